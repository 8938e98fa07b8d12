"""The page that replays a session: its size, its first picture and its answer to the slider, with software rendering.

Needs the recordings beside the project, a browser and Playwright. A child's walks are shown under other names until there are ten
trials, and a walk with sixteen muscles and the whole body. Gates: libraries and page at most 1 MB; a trial of 250 frames at most
0.5 MB; first picture within 1.5 s and a step of the slider within 33 ms, medians, on an idle machine with two cores.
The page is put together by software, as on a machine without a graphics card.
"""

from __future__ import annotations

import dataclasses
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.pipeline.review_page import _look, _words, write_review
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.review.document import page_html
from biomech_id.review.session_data import variables
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.folder.replay import read_replay
from tests.peers.browser import browser, open_page

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CHILD, WHOLE_BODY = "children/HC002D", "norm_subjects/NP1006"
TRIALS, REPEATS, STEPS = 10, 5, 200
MOST_PAGE_B, MOST_TRIAL_B, MOST_FIRST_S, MOST_STEP_S = 1e6, 0.5e6, 1.5, 0.033
SCRUB = """async (steps) => {
  const slider = document.getElementById("scrub");
  const gl = document.querySelector(".stage canvas")?.getContext("webgl2");
  const took = [];
  for (let i = 0; i < steps; i++) {
    const start = performance.now();
    slider.value = String((7 * i) % (Number(slider.max) + 1));
    slider.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    took.push(performance.now() - start);
  }
  return took;
}"""


def many_trials(out: Path, folder: Path) -> int:
    """Write a session with its trials under further names, each a little other, so that none is stored for two; frames of one."""
    tables = read_tables(out)
    first = [trial["name"] for trial in tables.summary["trials"]]
    copies = [(f"{first[i % len(first)]}_{i}", first[i % len(first)], 1.0 + 1e-3 * i) for i in range(TRIALS)]
    changed: dict[str, Any] = {"frames": {new: tables.frames[old] * scale for new, old, scale in copies}}
    for new, old, _ in copies:
        changed["frames"][new][["frame", "time"]] = tables.frames[old][["frame", "time"]]
    for name in ("cycles", "stances", "gaps", "quality", "uncertainty", "emg", "emg_raw", "channels"):
        table = getattr(tables, name)
        if table is not None:
            changed[name] = pd.concat([table[table["trial"] == old].assign(trial=new) for new, old, _ in copies], ignore_index=True)
    about = {trial["name"]: trial for trial in tables.summary["trials"]}
    summary = {**tables.summary, "trials": [{**about[old], "name": new} for new, old, _ in copies]}
    write_folder(dataclasses.replace(tables, summary=summary, **changed), folder, extras=[lambda to: _replays(out, to, copies)])
    return int(about[first[0]]["n_frames"])


def _replays(out: Path, folder: Path, copies: list[tuple[str, str, float]]) -> None:
    (folder / "replay").mkdir()
    for new, old, scale in copies:
        replay = read_replay(out, old)
        assert replay is not None
        values = {each.name: np.asarray(getattr(replay, each.name)) for each in dataclasses.fields(replay)}
        values["marker_lab_m"] = (values["marker_lab_m"] * scale).astype(np.float32)
        np.savez_compressed(folder / "replay" / f"{new}.npz", **values)


def page_bytes() -> int:
    """Libraries, our own script, and the words and titles that every page holds."""
    shown = list(variables())
    data = {"sessions": [], "variables": shown, "words": _words(), **_look(None, None, shown)}
    return len(page_html(data, {}, title="", language="en").encode())


def trial_bytes(out: Path) -> float:
    """What one trial takes in the page, for each 250 frames."""
    with tempfile.TemporaryDirectory() as work:
        size = write_review(out, Path(work) / "page.html").stat().st_size - page_bytes()
    trials = read_tables(out).summary["trials"]
    return 250.0 * size / sum(int(trial["n_frames"]) for trial in trials)


def seen(path: Path) -> tuple[list[float], list[float]]:
    """Seconds to the first picture, and seconds of each step."""
    first, steps = [], []
    with browser() as opened:
        for _ in range(REPEATS):
            page = open_page(opened, path)
            first.append(page.page.evaluate("() => performance.getEntriesByName('first-frame')[0].startTime") / 1e3)
            page.page.wait_for_timeout(1500)
            steps += [took / 1e3 for took in page.page.evaluate(SCRUB, STEPS)]
            page.page.context.close()
    return first, steps


def main() -> int:
    """Print sizes and times; 1 where a gate is not met or nothing could be measured."""
    if not (SHARED / "c3d" / CHILD).is_dir():
        print(f"No recordings in {SHARED}; set BIOMECH_ID_SHARED.")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in (CHILD, WHOLE_BODY):
            run_job(Job((SHARED / "c3d" / name,), Recipe(report=False, budget=False)), work / name.replace("/", "_"))
        n_frames = many_trials(work / CHILD.replace("/", "_"), work / "ten")
        page = page_bytes()
        sizes = {name: trial_bytes(work / name.replace("/", "_")) for name in (CHILD, WHOLE_BODY)}
        first, steps = seen(write_review(work / "ten", work / "ten.html"))
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
        print(f"libraries and page    {page / 1e6:.3f} MB (at most {MOST_PAGE_B / 1e6:g})")
        for name, size in sizes.items():
            print(f"250 frames of {name:20} {size / 1e6:.3f} MB (at most {MOST_TRIAL_B / 1e6:g})")
        print(f"ten trials of {n_frames} frames: {(work / 'ten.html').stat().st_size / 1e6:.2f} MB")
        print(f"first picture         {statistics.median(first):.2f} s (at most {MOST_FIRST_S})")
        print(f"a step of the slider  {1e3 * statistics.median(steps):.1f} ms (at most {1e3 * MOST_STEP_S:g})")
        print(f"load of the machine   {load:.1f}")
        met = page <= MOST_PAGE_B and max(sizes.values()) <= MOST_TRIAL_B
        return 0 if met and statistics.median(first) <= MOST_FIRST_S and statistics.median(steps) <= MOST_STEP_S else 1


if __name__ == "__main__":
    sys.exit(main())
