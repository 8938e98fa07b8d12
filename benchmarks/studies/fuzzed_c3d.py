"""Structured fuzzing of the C3D reader, and one byte of damage: what is refused, what is said, what stays silent.

``python -m benchmarks.studies.fuzzed_c3d [N]`` builds N (20 000) small files record by record and breaks their structure: sections
that overlap, overrun or have no end, records that lead backwards, absurd dimensions and counts, numbers that are none. Right is a
recording or one sentence, in time and in 512 MB, from a reading process that lives on. Then one byte of header or parameters of
recordings beside the project is changed N / 10 times: silent is what gives other data without a finding or a refusal. The table
lies beside this module.
"""

from __future__ import annotations

import os
import struct
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.judgement.check.check import inspect
from biomech_id.readers import Recording
from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.sandbox import Sandbox
from biomech_id.readers.source import Source, read_source

SEED = 20261122
TABLE = Path(__file__).with_suffix(".md")
SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "c3d"
BLOCK, MEMORY_BYTES, SLOWEST_S = 512, 512 * 1024**2, 5.0
#: Recordings of the second part: small enough to be read twice a hundred times.
LARGEST_BYTES = 1_500_000
LABELS = ["LASI", "RASI", "SACR", "LKNE", "RKNE", "LANK", "RANK"]


@dataclass
class Built:
    """A file in the making: header words by their number from 1, records, and what lies behind them."""

    rng: np.random.Generator
    records: list[bytearray] = field(default_factory=list)
    header: dict[int, bytes] = field(default_factory=dict)
    blocks: int | None = None
    processor: int = 84
    tail: bytes = b"\0\0"
    data: bytes = b""
    padded: bool = True
    cut: int = 0

    def content(self) -> bytes:
        """The bytes of the file."""
        body = bytes([1, 80, 0, self.processor]) + b"".join(map(bytes, self.records)) + self.tail
        blocks = -(-len(body) // BLOCK)
        section = bytearray(body.ljust(blocks * BLOCK, b"\0") if self.padded else body)
        section[2] = blocks & 0xFF if self.blocks is None else self.blocks
        header = bytearray(bytes([2, 80]).ljust(BLOCK, b"\0"))
        for word, raw in {9: struct.pack("<H", blocks + 2), **self.header}.items():
            header[2 * word - 2 : 2 * word - 2 + len(raw)] = raw
        whole = bytes(header) + bytes(section) + self.data
        return whole[: len(whole) - self.cut] if self.cut else whole


def record(name: str, group: int, kind: int = 0, dims: tuple[int, ...] = (), raw: bytes = b"") -> bytearray:
    """One record as the format has it; a group where ``group`` is negative."""
    body = struct.pack("<bB", kind, len(dims)) + bytes(dims) + raw if group > 0 else b""
    letters = name.encode("latin-1")
    return bytearray(struct.pack("<bb", len(letters), group) + letters + struct.pack("<H", 3 + len(body)) + body + b"\0")


def built(rng: np.random.Generator) -> Built:
    """A sound small file: 4 to 12 frames, some points, often channels, a plate and events."""
    points, frames = int(rng.integers(1, len(LABELS) + 1)), int(rng.integers(4, 13))
    samples, channels = int(rng.choice([1, 2, 5])), int(rng.choice([0, 6, 8]))
    file = Built(rng)
    word = lambda value: struct.pack("<H", value & 0xFFFF)  # noqa: E731
    number = lambda *values: struct.pack(f"<{len(values)}f", *values)  # noqa: E731
    text = lambda rows: (-1, (8, len(rows)), b"".join(row.encode().ljust(8) for row in rows))  # noqa: E731
    file.header = {
        2: word(points), 3: word(channels * samples), 4: word(1), 5: word(frames), 7: number(-1.0),
        10: word(samples if channels else 0), 11: number(100.0),
    }  # fmt: skip
    groups: dict[str, dict[str, Any]] = {
        "POINT": {
            "USED": (2, (), word(points)), "SCALE": (4, (), number(-1.0)), "RATE": (4, (), number(100.0)),
            "DATA_START": (2, (), word(0)), "FRAMES": (2, (), word(frames)), "LABELS": text(LABELS[:points]),
            "UNITS": (-1, (2,), b"mm"),
        },
        "ANALOG": {
            "USED": (2, (), word(channels)), "RATE": (4, (), number(100.0 * samples)), "GEN_SCALE": (4, (), number(1.0)),
            "SCALE": (4, (channels,), number(*[1.0] * channels)), "OFFSET": (2, (channels,), word(0) * channels),
            "LABELS": text([f"C{i}" for i in range(channels)]),
        },
        "FORCE_PLATFORM": {
            "USED": (2, (), word(int(channels > 5))), "TYPE": (2, (1,), word(2)), "ZERO": (2, (2,), word(0) * 2),
            "CORNERS": (4, (3, 4, 1), number(300, 200, 0, -300, 200, 0, -300, -200, 0, 300, -200, 0)),
            "ORIGIN": (4, (3, 1), number(0, 0, -10)), "CHANNEL": (2, (6, 1), b"".join(map(word, range(1, 7)))),
        },
        "EVENT": {
            "USED": (2, (), word(1)), "LABELS": text(["Foot Off"]), "CONTEXTS": text(["Left"]),
            "TIMES": (4, (2, 1), number(0.0, 0.02)),
        },
        "TRIAL": {"ACTUAL_START_FIELD": (2, (2,), word(1) + word(0)), "ACTUAL_END_FIELD": (2, (2,), word(frames) + word(0))},
        "ROTATION": {"USED": (2, (), word(0))},
    }  # fmt: skip
    for group_number, (group, parameters) in enumerate(groups.items(), start=1):
        if group == "POINT" or rng.random() < 0.8:
            file.records.append(record(group, -group_number))
            file.records += [record(name, group_number, *value) for name, value in parameters.items()]
    values = rng.normal(0.0, 300.0, (frames, 4 * points + channels * samples)).astype("<f4")
    values[:, 3 : 4 * points : 4] = 0.0
    file.data = values.tobytes().ljust(-(-values.nbytes // BLOCK) * BLOCK, b"\0")
    return file


def _absurd(rng: np.random.Generator) -> int:
    return int(rng.choice([0, 1, 2, 3, 127, 128, 255, 256, 32767, 32768, 65534, 65535, int(rng.integers(65536))]))


def _some(file: Built) -> bytearray:
    return file.records[int(file.rng.integers(len(file.records)))]


def _pointer(file: Built) -> None:
    """A record that leads nowhere, backwards, into itself, or far away."""
    chosen = _some(file)
    at = 2 + abs(struct.unpack("b", chosen[:1])[0])
    chosen[at : at + 2] = struct.pack("<H", _absurd(file.rng))


def _dimensions(file: Built) -> None:
    """Absurd dimensions: many, large, empty; with or without the data that they ask for."""
    chosen = _some(file)
    at = 2 + chosen[0] + 3
    many = int(file.rng.choice([0, 1, 2, 3, 7, 8, 200, 255]))
    chosen[at : at + 1] = bytes([many]) + bytes(file.rng.choice([0, 1, 2, 255], size=min(many, 10)).tolist())


def _kind(file: Built) -> None:
    """Another type of number, or one that does not exist."""
    chosen = _some(file)
    chosen[min(len(chosen) - 1, 4 + chosen[0])] = int(file.rng.choice([255, 0, 1, 2, 3, 4, 8, 127, 128]))


def _name(file: Built) -> None:
    """A name whose length is wrong, or that is none; a group's number that is another's or nobody's."""
    chosen = _some(file)
    chosen[int(file.rng.integers(2))] = int(file.rng.choice([0, 1, 2, 5, 127, 128, 129, 250, 255]))


def _value(file: Built) -> None:
    """A number that is absurd or none."""
    chosen = _some(file)
    at = 2 + chosen[0] + 4
    raw = struct.pack("<H", _absurd(file.rng))
    if file.rng.random() < 0.5:
        raw = struct.pack("<f", file.rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, 1e-30, -1e30, 3e9]))
    chosen[at : at + len(raw)] = raw


def _word(file: Built) -> None:
    """A word of the header."""
    file.header[int(file.rng.integers(1, 13))] = struct.pack("<H", _absurd(file.rng))


def _start(file: Built) -> None:
    """Data that begin inside the parameters, behind the file, or nowhere; a section of another length; another place for it."""
    file.header[9] = struct.pack("<H", int(file.rng.choice([0, 1, 2, 3, 4, 5, 200, 65535])))
    if file.rng.random() < 0.5:
        file.blocks = int(file.rng.choice([0, 1, 2, 3, 4, 100, 255]))
    if file.rng.random() < 0.3:
        file.header[1] = bytes([int(file.rng.integers(256)), 80])


def _endless(file: Built) -> None:
    """A list without an end, followed by its data at once or by what an older list left."""
    file.tail = b"" if file.rng.random() < 0.5 else bytes(b"".join(map(bytes, file.records[::-1])))[: int(file.rng.integers(600))]
    file.padded = bool(file.rng.random() < 0.5)


def _overlap(file: Built) -> None:
    """A record inside another, or twice."""
    chosen, other = _some(file), _some(file)
    at = int(file.rng.integers(len(chosen)))
    chosen[at:at] = other if file.rng.random() < 0.5 else other[: int(file.rng.integers(1, len(other)))]


def _many(file: Built) -> None:
    """Thousands of records, or of parameters of one name."""
    file.records += [record(f"N{number % 300}", int(file.rng.integers(1, 8)), 2, (), b"\1\0") for number in range(2000)]


def _length(file: Built) -> None:
    """A file cut anywhere, or with something behind it."""
    size = len(file.content())
    file.cut = int(file.rng.integers(size)) if file.rng.random() < 0.7 else 0
    file.data += bytes(int(file.rng.integers(3000))) if not file.cut else b""


def _bytes(file: Built) -> None:
    """Some bytes of some record."""
    chosen = _some(file)
    for place in file.rng.integers(len(chosen), size=3):
        chosen[place] = int(file.rng.integers(256))


BREAKS: tuple[Callable[[Built], None], ...] = (
    _pointer, _dimensions, _kind, _name, _value, _value, _word, _start, _endless, _overlap, _length, _bytes,
)  # fmt: skip


def broken(seed: int) -> bytes:
    """The file of a seed, with one to four things wrong with its structure."""
    rng = np.random.default_rng([SEED, seed])
    file = built(rng)
    for number in rng.integers(len(BREAKS), size=int(rng.integers(1, 5))):
        BREAKS[number](file)
    if rng.random() < 0.01:
        _many(file)
    if rng.random() < 0.05:
        file.processor = int(rng.choice([83, 85, 86, 0]))
    return file.content()


def answered(sandbox: Sandbox, path: Path, content: bytes) -> str:
    """What became of one file: read, refused, or what must not be."""
    path.write_bytes(content)
    started = time.perf_counter()
    try:
        recording = sandbox.read(path)
        inspect(recording.trial)
        told = "read, with findings" if recording.trial.findings else "read"
    except BiomechError as refusal:
        sentence = refusal.message
        told = "refused"
        if "made the reading process fail" in sentence or "took more than" in sentence or "needs more memory" in sentence:
            told = f"FAULT: {sentence}"
        elif "\n" in sentence or not sentence.endswith("."):
            told = f"NO SENTENCE: {sentence!r}"
    return told if time.perf_counter() - started < SLOWEST_S else f"SLOW: {time.perf_counter() - started:.1f} s"


def fuzzed(n: int, folder: Path) -> Iterator[tuple[int, str]]:
    """Seed and answer of n files."""
    sandbox = Sandbox(memory_bytes=MEMORY_BYTES)
    try:
        for seed in range(n):
            yield seed, answered(sandbox, folder / "fuzzed.c3d", broken(seed))
    finally:
        sandbox.close()


def recordings() -> list[Path]:
    """Recordings beside the project that are read in little time."""
    found = sorted(path for path in SHARED.rglob("*") if path.suffix.lower() == ".c3d")
    return [path for path in found if 1024 <= path.stat().st_size < LARGEST_BYTES]


def seen(recording: Recording) -> tuple[Any, list[Any], list[tuple[str, str]]]:
    """Words, arrays and findings of a recording: all data that anything is computed from."""
    trial = recording.trial
    words = (
        trial.markers.names, trial.rate_hz, trial.first_frame, trial.events, trial.subject, trial.session_date,
        tuple(trial.model_outputs),
        trial.analog.names, trial.analog.units, trial.analog.rate_hz, len(trial.plates),
    )  # fmt: skip
    arrays = [trial.markers.position_m, *trial.model_outputs.values()]
    for plate in trial.plates:
        arrays += [plate.force_lab_N, plate.moment_lab_Nm, plate.corners_m]
    if trial.analog.names:
        arrays.append(trial.analog.values)
    told = sorted((finding.rule, finding.where) for finding in (*trial.findings, *inspect(trial)))
    return words, arrays, told


def one_byte(seed: int, paths: list[Path], kept: dict[Path, Any]) -> tuple[str, str]:
    """What one changed byte of header (one in ten) or parameters does: refused, said, same or silent, and where it was."""
    rng = np.random.default_rng([SEED, 1, seed])
    path = paths[int(rng.integers(len(paths)))]
    if path not in kept:
        source = read_source(path)
        kept[path] = source, open_c3d(source).parameters, seen(interpret(source))
    source, parameters, before = kept[path]
    in_header = rng.random() < 0.1
    at = int(rng.integers(BLOCK)) if in_header else int(rng.integers(parameters.start, parameters.end))
    content = bytearray(source.data)
    content[at] ^= int(rng.integers(1, 256))
    try:
        after = seen(interpret(Source(path, bytes(content), "")))
    except BiomechError:
        return "refused", ""
    place = next((each.name for each in parameters.records if each.start <= at < each.end), "between records")
    if before[2] != after[2]:
        return "said", ""
    same = before[0] == after[0] and len(before[1]) == len(after[1])
    same = same and all(np.array_equal(one, other, equal_nan=True) for one, other in zip(before[1], after[1], strict=True))
    return ("same", "") if same else ("silent", "header" if in_header else place)


def main(n: int = 20_000) -> int:
    """Run both parts and write the table; 1 where a file was answered with anything but a recording or a sentence."""
    answers: Counter[str] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for seed, answer in fuzzed(n, Path(folder)):
            answers[answer.partition(":")[0]] += 1
            if answer.partition(":")[0].isupper():
                faults.append(f"seed {seed}: {answer}")
    warnings.simplefilter("ignore")
    paths, kept = recordings(), {}
    outcomes = Counter(one_byte(seed, paths, kept) for seed in range(n // 10 if paths else 0))
    TABLE.write_text(table(n, answers, outcomes, len(paths), faults), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))
    return 1 if faults else 0


def table(n: int, answers: Counter[str], outcomes: Counter[tuple[str, str]], files: int, faults: list[str]) -> str:
    """The page beside this module."""
    whole = Counter[str]()
    for (what, _), times in outcomes.items():
        whole[what] += times
    reads = sum(whole.values()) - whole["refused"]
    lines = [
        "# Fuzzed C3D files", "",
        f"Version {__version__}; {n} files built with broken structure (seeds 0 to {n - 1} of {SEED}), "
        "read in a process with 512 MB.", "",
        "| answer | files |", "|---|---|", *(f"| {name} | {times} |" for name, times in sorted(answers.items())), "",
        *(f"- {fault}" for fault in faults[:20]), "" if faults else "No crash, no hang, no file that needed more memory.", "",
        f"One byte of header or parameters changed in one of {files} recordings, {sum(whole.values())} times:", "",
        "| outcome | files |", "|---|---|", *(f"| {name} | {times} |" for name, times in sorted(whole.items())), "",
        f"Silent (other data, and nothing said): {100 * whole['silent'] / max(1, reads):.1f} % of {reads} reads, in:", "",
        *(f"- {place}: {times}" for (what, place), times in outcomes.most_common() if what == "silent"), "",
    ]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
