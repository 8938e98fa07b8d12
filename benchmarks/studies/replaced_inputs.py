"""Recordings replaced, edited or removed while they are analysed: the manifest is true, or the run says what changed.

``python -m benchmarks.studies.replaced_inputs [N]`` analyses the virtual subject N (100) times; at a random step of the run a
random input (a recording, ``subject.toml``) is replaced by another, edited by a byte, edited by a byte or replaced with its size
and its time put back as they were, or removed. Half of the subjects were written a moment before, half have lain there long enough
that nothing is hashed twice unless it changed. Right is: every hash of the manifest is of bytes that lay there, and where other
bytes lie there at the end, the run says so (finding ``input-changed``, or a file that is refused) and ends with exit code 3, or it
fails with a sentence. The table lies beside this module.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.files.inputs import COARSEST_CLOCK_S
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.sample import virtual_subject, write_c3d

SEED = 20260402
TABLE = Path(__file__).with_suffix(".md")
QUICK = Recipe(report=False, budget=False, uncertainty=False)
FILES = ("static.c3d", "walk01.c3d", "subject.toml")
WAYS = ("replaced", "edited", "edited, time put back", "replaced, size and time put back", "removed")


def sessions(root: Path) -> tuple[Path, Path]:
    """A subject's folder, and another whose files replace its own."""
    own, other = root / "own", root / "other"
    for folder, person in ((own, virtual_subject()), (other, virtual_subject(speed_m_s=1.1))):
        folder.mkdir()
        write_c3d(person.static("static"), folder / "static.c3d")
        write_c3d(person.walk("walk01"), folder / "walk01.c3d")
        (folder / "subject.toml").write_text(f"mass_kg = {70 + len(folder.name)}\n", encoding="utf-8")
    return own, other


def disturbed(own: Path, other: Path, root: Path, rng: np.random.Generator) -> tuple[str, str, bool]:
    """How one file was changed, what became of the run, and whether that is right; ``root`` may hold the subject already."""
    subject, name, way = root / "subject", str(rng.choice(FILES)), str(rng.choice(WAYS))
    if not subject.exists():
        shutil.copytree(own, subject)
    step, count = int(rng.integers(0, 4)), 0

    def change(step_told: object) -> None:
        nonlocal count
        if count == step:
            _change(subject / name, other / name, way)
        count += 1

    if step == 3:  # before anything is read: nothing is wrong then
        _change(subject / name, other / name, way)
    hashes = {_hash(folder / each) for folder in (own, other) for each in FILES} | {_hash(subject / each) for each in FILES}
    try:
        outcome = run_job(Job((subject,), QUICK), root / "out", progress=change)
    except BiomechError:
        return way, "refused", not (root / "out").exists()
    manifest = json.loads((root / "out" / "manifest.json").read_text(encoding="utf-8"))["inputs"]
    now = {each: _hash(subject / each) for each in FILES if (subject / each).is_file()}
    true = {each: sha for each, sha in manifest.items() if sha in hashes | set(now.values())} == manifest
    same = manifest == now
    said = any("hanged or gone" in sentence or name in sentence for sentence in outcome.complaints)
    return way, "as it is" if same else "said" if said else "not said", true and (same or said)


def _change(target: Path, other: Path, way: str) -> None:
    if way == "removed":
        target.unlink(missing_ok=True)
    elif way == "replaced":
        shutil.copyfile(other, target.with_suffix(".new"))
        os.replace(target.with_suffix(".new"), target)
    elif target.is_file():
        times, data = target.stat(), bytearray(target.read_bytes())
        data[-2] ^= 1
        written = target.with_suffix(".new") if way.startswith("replaced") else target
        written.write_bytes(data)
        os.replace(written, target)
        if way.endswith("put back"):
            os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def main(n: int = 100) -> int:
    """Write the table."""
    rng = np.random.default_rng(SEED)
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        own, other = sessions(Path(temporary))
        for number in range(0, n, 2):
            shutil.copytree(own, Path(temporary) / str(number) / "subject")
        time.sleep(COARSEST_CLOCK_S)
        for done in range(1, n + 1):
            place = Path(temporary) / str(done - 1)
            place.mkdir(exist_ok=True)
            way, became, right = disturbed(own, other, place, rng)
            shutil.rmtree(place)
            counts[way, became] += 1
            counts[way, "wrong"] += not right
            rows = [(way, [counts[way, what] for what in ("as it is", "said", "refused", "wrong")]) for way in WAYS]
            totals = [sum(row[i] for _, row in rows) for i in range(4)]
            lines = [
                f"biomech_id {__version__}, {done} runs, seed {SEED}", "",
                "| a file was | manifest as what lies there | change said | refused | wrong |", "|---|---|---|---|---|",
                *(f"| {way} | {' | '.join(map(str, row))} |" for way, row in (*rows, ("all", totals))),
            ]  # fmt: skip
            TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
