"""Two other readers as second opinions: where they agree about a file, damaged or not, ours says the same or refuses.

One is ezc3d, in a process that may die; the other reads straight from the format description and shares nothing with the library.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from raw_c3d import Raw

from benchmarks.studies.fuzzed_c3d import BLOCK, broken, built, record, recordings
from biomech_id.errors import BiomechError
from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.source import Source, read_source

DAMAGED, BUILT, PATIENCE_S = 50, 50, 1.0
LARGEST_BYTES = 250_000
CHILD = """
import sys, numpy, ezc3d
print("ready", flush=True)
for line in sys.stdin:
    path = line.rstrip("\\n")
    try:
        numpy.save(path + ".npy", ezc3d.c3d(path)["data"]["points"][:3].transpose(2, 1, 0))
        print("read", flush=True)
    except Exception:
        print("refused", flush=True)
"""

pytestmark = pytest.mark.slow


class Ezc3d:
    """The other reader, started again where a file has ended it."""

    def __init__(self) -> None:
        self.child: subprocess.Popen[str] | None = None

    def points(self, path: Path) -> np.ndarray | None:
        """(n_frames, points, 3), NaN where not measured; None where it refuses, dies or hangs."""
        if self.child is None:
            self.child = subprocess.Popen(
                [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            # Its imports are no part of what a file may take.
            assert self.child.stdout is not None
            assert self.child.stdout.readline().strip() == "ready"
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        timer = threading.Timer(PATIENCE_S, self.child.kill)
        timer.start()
        try:
            self.child.stdin.write(f"{path}\n")
            self.child.stdin.flush()
            answer = self.child.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            self.close()
        return np.load(f"{path}.npy") if answer == "read" else None

    def close(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


@pytest.fixture(scope="module")
def ezc3d() -> Iterator[Ezc3d]:
    pytest.importorskip("ezc3d")
    reader = Ezc3d()
    yield reader
    reader.close()


def agreed(ezc3d: Ezc3d, path: Path) -> np.ndarray | None:
    """What both others read, or None where they do not agree."""
    theirs = ezc3d.points(path)
    if theirs is None or theirs.size == 0:
        return None
    try:
        raw = Raw(path)
        points = raw.stored[..., :3].copy()
        with np.errstate(invalid="ignore"):
            points[raw.stored[..., 3] < 0] = np.nan
    except (ValueError, IndexError, KeyError, OverflowError, ZeroDivisionError, MemoryError, struct.error):
        return None
    return points if points.shape == theirs.shape and np.array_equal(points, theirs, equal_nan=True) else None


def ours(path: Path) -> tuple[np.ndarray | None, bool]:
    """What the library reads, None where it refuses; and whether it has something to say about the file's structure."""
    try:
        file = open_c3d(read_source(path))
    except BiomechError:
        return None, True
    positions, measured = file.points()
    return np.where(measured[..., None], positions, np.nan), bool(file.findings)


def damaged(seed: int, paths: list[Path]) -> tuple[bytes, Path]:
    """A recording with one byte of its header's first half or of its parameters changed, and the recording."""
    rng = np.random.default_rng([26, seed])
    path = paths[seed % len(paths)]
    data = bytearray(path.read_bytes())
    section = open_c3d(Source(path, bytes(data), "")).parameters
    at = int(rng.integers(2, 24)) if rng.random() < 0.4 else int(rng.integers(section.start, section.end))
    data[at] ^= int(rng.integers(1, 256))
    return bytes(data), path


def test_where_two_readers_agree_ours_agrees_or_refuses(ezc3d: Ezc3d, c3d_dir: Path, tmp_path: Path) -> None:
    """Of a damaged recording whose length proves both others wrong, ours may hold what was recorded, and must say so."""
    paths = [path for path in recordings() if path.stat().st_size < LARGEST_BYTES]
    cases: list[tuple[bytes, Path | None]] = [(path.read_bytes(), None) for path in paths]
    cases += [damaged(seed, paths) for seed in range(DAMAGED)]
    cases += [(broken(seed), None) for seed in range(BUILT)]
    path, both, refused, wrong = tmp_path / "case.c3d", Counter[str](), 0, []
    for number, (content, sound) in enumerate(cases):
        path.write_bytes(content)
        theirs = agreed(ezc3d, path)
        if theirs is None:
            continue
        both["genuine" if number < len(paths) else "built" if sound is None else "damaged"] += 1
        mine, said = ours(path)
        if mine is None:
            refused += 1
        elif not np.array_equal(mine, theirs, equal_nan=True):
            recorded = None if sound is None else ours(sound)[0]
            if recorded is None or not said or not np.array_equal(mine, recorded, equal_nan=True):
                wrong.append((number, mine.shape, theirs.shape))
    assert not wrong
    assert both["genuine"] > 0.8 * len(paths), "the two others agree on most recordings, or nothing was tested"
    assert both["damaged"] > 0.6 * DAMAGED, "and on most damaged ones"
    assert refused < 0.1 * both.total()


@pytest.mark.parametrize("said", ["both", "section", "header"])
def test_a_full_section_without_an_end_stops_where_its_data_begin(said: str) -> None:
    """Data that read like a record follow the last one at once: whichever of header and section tells, they stay data."""
    for seed in range(8):
        file = built(np.random.default_rng(seed))
        file.tail = b""
        room = -(4 + len(b"".join(map(bytes, file.records))) + len(record("FILL", 1, -1, (0, 0)))) % BLOCK
        rows = next(rows for rows in range(1, 256) if room % rows == 0 and room // rows < 256)
        file.records.append(record("FILL", 1, -1, (room // rows, rows), b" " * room))
        lure = bytes(record("WALK", 1, 2, (), b"\1\0"))
        file.data = lure + file.data[len(lure) :]
        if said == "section":
            file.header[9] = b"\0\0"
        if said == "header":
            file.blocks = 1
        opened = open_c3d(Source(Path("x.c3d"), file.content(), ""))
        assert opened.parameters.records[-1].name == "FILL"
        assert (opened.layout.points, opened.layout.n_frames) == (file.header[2][0], file.header[5][0])
        assert opened.points()[0][0, 0, 0] == np.frombuffer(lure, "<f4", 1)[0]
