"""The page that replays a session: its size, its first picture and its answer to the slider, with software rendering.

Needs the recordings beside the project, a browser and Playwright. A child's walks are shown under other names until there are ten
trials, and a walk with sixteen muscles and the whole body. Gates: libraries and page at most 1 MB; a trial of 250 frames at most
0.5 MB; first picture within 1.5 s and a step of the slider within 33 ms, medians, on an idle machine with two cores. A step into
another stride of a trial with 85 of them takes at most 80 ms of the page's thread, median of its processor time, at 1280x720.
The page is put together by software, as on a machine without a graphics card. ``--strides`` measures the last alone and needs no
recordings.
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
from tests.peers.browser import Page, browser, open_page

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CHILD, WHOLE_BODY = "children/HC002D", "norm_subjects/NP1006"
TRIALS, REPEATS, STEPS = 10, 5, 200
DATA = Path(__file__).resolve().parents[1] / "data"
STRIDES, STRIDE_STEPS, MOST_STRIDE_S = 85, 40, 0.08
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


def many_strides(out: Path, folder: Path, strides: int) -> None:
    """Write a session of one trial: the first one over and over, each time a little other, until each side has so many cycles."""
    tables = read_tables(out)
    first = tables.summary["trials"][0]
    name, length_s = first["name"], first["n_frames"] / first["rate_hz"]
    each = min(sum(cycle["side"] == side for cycle in first["cycles"]) for side in "LR")
    passes = -(-strides // each)

    def again(table: pd.DataFrame, *times: str) -> pd.DataFrame:
        of_trial = table[table["trial"] == name]
        if "cycle" in table:
            of_trial = of_trial[of_trial["cycle"] <= each]
        later = [
            of_trial.assign(
                **{time: of_trial[time] + i * length_s for time in times},
                **({"cycle": of_trial["cycle"] + i * each} if "cycle" in table else {}),
                **({"value": of_trial["value"] * (1.0 + 2e-3 * i)} if "value" in table else {}),
            )
            for i in range(passes)
        ]
        repeated: pd.DataFrame = pd.concat(later, ignore_index=True)
        return repeated

    frames = pd.concat([tables.frames[name]] * passes, ignore_index=True)
    frames["frame"] = first["first_frame"] + np.arange(len(frames))
    frames["time"] = (frames["frame"] - 1) / first["rate_hz"]
    changed: dict[str, Any] = {"frames": {name: frames}, "stances": again(tables.stances, "start_s", "end_s")}
    changed |= {
        each_: table[table["trial"] == name] for each_ in ("gaps", "quality") if (table := getattr(tables, each_)) is not None
    }
    for cut in ("cycles", "uncertainty", "emg"):
        if getattr(tables, cut) is not None:
            made = again(getattr(tables, cut))
            changed[cut] = made[made["cycle"] <= strides]
    if tables.emg_raw is not None:
        changed["emg_raw"] = again(tables.emg_raw, "time_s")
    summary = {**tables.summary, "trials": [{
        **first, "n_frames": len(frames),
        "cycles": [_later(cycle, i * length_s, i * each) for i in range(passes) for cycle in first["cycles"]
                   if cycle["cycle"] <= min(each, strides - i * each)],
        "events": [_later(event, i * length_s) for i in range(passes) for event in first["events"]],
    }]}  # fmt: skip
    write_folder(dataclasses.replace(tables, summary=summary, **changed), folder,
                 extras=[lambda to: _long_replay(out, to, name, passes)])  # fmt: skip


def _later(entry: dict[str, Any], by_s: float, cycles: int = 0) -> dict[str, Any]:
    later = {key: value + by_s if key.endswith("_s") and value is not None else value for key, value in entry.items()}
    return later | {"cycle": entry["cycle"] + cycles} if "cycle" in entry else later


def _long_replay(out: Path, folder: Path, name: str, passes: int) -> None:
    (folder / "replay").mkdir()
    replay = read_replay(out, name)
    assert replay is not None
    values = {each.name: np.asarray(getattr(replay, each.name)) for each in dataclasses.fields(replay)}
    tiled = {
        key: np.concatenate([value] * passes) if value.shape[:1] == (replay.n_frames,) else value for key, value in values.items()
    }
    np.savez_compressed(folder / "replay" / f"{name}.npz", **tiled)


def stride_steps(path: Path) -> list[float]:
    """Processor seconds of the page's thread for each step of the slider into another stride."""
    with browser() as opened:
        page = open_page(opened, path, viewport={"width": 1280, "height": 720})
        page.page.wait_for_timeout(1500)
        session = page.page.context.new_cdp_session(page.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})

        def spent_s() -> float:
            return float(
                next(each["value"] for each in session.send("Performance.getMetrics")["metrics"] if each["name"] == "TaskDuration")
            )

        took = []
        for frame in middles(page)[: 2 * STRIDE_STEPS : 2]:
            before = spent_s()
            page.scrub(frame)
            page.settle()
            took.append(spent_s() - before)
        return took


def middles(page: Page) -> list[int]:
    """Frames in the middle of the first trial's left strides."""
    return list(
        page.page.evaluate(
            """() => {
              const note = JSON.parse(document.getElementById("data").textContent).sessions[0].trials[0];
              return note.cycles.filter((cycle) => cycle.side === "L")
                .map((cycle) => Math.round((cycle.start_s + cycle.end_s) / 2 * note.rate_hz) - note.first_frame + 1);
            }"""
        )
    )


def strides_in_time() -> bool:
    """Print what a step into another of 85 strides takes; whether it is within its gate."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        recordings = tuple(DATA / f"{name}.c3d" for name in ("static", "walk01"))
        run_job(Job(recordings, Recipe(report=False, budget=False)), work / "one")
        many_strides(work / "one", work / "many", STRIDES)
        steps = stride_steps(write_review(work / "many", work / "many.html"))
    median_s = statistics.median(steps)
    print(f"into another stride   {1e3 * median_s:.1f} ms of the page's thread, of {STRIDES} (at most {1e3 * MOST_STRIDE_S:g})")
    return median_s <= MOST_STRIDE_S


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
    fluent = strides_in_time()
    if "--strides" in sys.argv:
        return 0 if fluent else 1
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
        met = fluent and page <= MOST_PAGE_B and max(sizes.values()) <= MOST_TRIAL_B
        return 0 if met and statistics.median(first) <= MOST_FIRST_S and statistics.median(steps) <= MOST_STEP_S else 1


if __name__ == "__main__":
    sys.exit(main())
