"""Measurements moved to other groups, names, languages, units and sides: how many are found, and whether any is found wrong.

``python -m benchmarks.studies.measurement_names [N] [FOLDER]`` takes the recordings of a folder (by default ``c3d`` beside the
project) whose PROCESSING group holds a person's measurements under the vendor's names, takes them out, and writes them back N times
(400) in another way: in one of several groups, as parameters or as lists of names, values and units, as numbers or as text, each
under a name of ``measurement_names.csv`` (written before the vocabulary was), the unit in the name, in the value, beside it or
nowhere; every tenth measurement is left out. Decoys are put among them. The same files are written once more with a typing error in
each name: one letter of a word dropped, changed or exchanged with the next. The table lies beside this module.
"""

from __future__ import annotations

import csv
import os
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import degrees
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.readers.c3d.file import open_c3d
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.c3d.subject import read_subject
from biomech_id.readers.source import FileFindings, Source, read_source
from biomech_id.trial import Subject

TABLE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).resolve().parents[2]
SEED = 20260101
BLOCK = 512
#: The gate: of the values that are there.
LEAST_RIGHT = 0.98
OTHER_SIDE = {
    "l": "r", "L": "R", "left": "right", "Left": "Right", "LEFT": "RIGHT", "links": "rechts", "Linke": "Rechte",
    "Linkes": "Rechtes", "gauche": "droite", "Gauche": "Droite", "izquierda": "derecha", "Izquierda": "Derecha",
    "izquierdo": "derecho", "sinistra": "destra", "sinistro": "destro", "esquerda": "direita", "esquerdo": "direito",
}  # fmt: skip
GROUPS = ("PROCESSING", "SUBJECT", "SUBJECTS", "MANUFACTURER", "PATIENT", "Anthropometry", "Messwerte", "MESURES")
LISTS = (("ANALYSIS", "NAMES"), ("SUBJECT", "LABELS"), ("PATIENT", "NAMES"))
#: What is no such measurement, and stands among them in files.
DECOYS = {
    "LRadiusLength": "240", "RFemurLength": "410", "UpperLegLength": "410", "LowerLegLength": "400", "Left Pelvis Depth": "55",
    "A_Left_FootLength_mm": "200", "Name": "Anna 70", "Date of birth": "17", "Address": "12", "BMI": "21.5",
    "Kniewinkel links": "120",
}  # fmt: skip
_SIDE = re.compile(r"\{(\w+)\}")
_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


@dataclass(frozen=True)
class Entry:
    """One measurement as a file is to hold it, and what it is in SI."""

    quantity: str
    side: str
    name: str
    stored: str
    unit: str
    value: float | str


def names() -> dict[str, list[str]]:
    """Quantity -> every name of the list."""
    with TABLE.with_suffix(".csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    listed: dict[str, list[str]] = {}
    for row in rows:
        listed.setdefault(row["quantity"], []).append(row["name"])
    return listed


def sided(name: str, side: str) -> str:
    """A name of the list for one side."""
    return _SIDE.sub(lambda word: word[1] if side == "L" else OTHER_SIDE[word[1]], name)


def mistyped(name: str, rng: np.random.Generator) -> str:
    """A name with one letter of a word of five and more dropped, changed or exchanged with the next; else as it is."""
    words = [match.span() for match in re.finditer(r"[^\W\d_]{5,}", name)]
    if not words:
        return name
    start, end = words[rng.integers(len(words))]
    at = int(rng.integers(start, end - 1))
    kind = rng.integers(3)
    if kind == 0:
        return name[:at] + name[at + 1 :]
    if kind == 1:
        return name[:at] + str(rng.choice(list("abcdefghijklmnopqrstuvwxyz"))) + name[at + 1 :]
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def entries(person: Subject, rng: np.random.Generator, *, listed: bool) -> Iterator[Entry]:
    """Every measurement of a person in one file's way of writing them; every tenth is left out."""
    known = person.__dict__ | {"age_years": float(rng.integers(4, 80)), "sex": str(rng.choice(["female", "male"]))}
    length = str(rng.choice(list(_LENGTHS)))
    where = str(rng.choice(["name", "value", *["beside"] * listed, "nowhere"]))
    mass = "lb" if where != "nowhere" and rng.random() < 0.2 else "kg"
    upper, comma = rng.random() < 0.3, rng.random() < 0.3
    for quantity, called in names().items():
        value = known[quantity]
        name = str(rng.choice(called))
        pairs = value.items() if isinstance(value, Mapping) else [("", value)]
        for side, one in pairs:
            if one is None or rng.random() < 0.1:
                continue
            if quantity == "sex":
                yield Entry(quantity, "", name, str(rng.choice(_sex_words(one))), "", one)
                continue
            unit = {"mass_kg": mass, "age_years": "years", "tibial_torsion_rad": "deg"}.get(quantity, length)
            factor = {"lb": 1 / 0.45359237, "deg": degrees(1.0)}.get(unit, 1.0 / _LENGTHS.get(unit, 1.0))
            stored = f"{one * factor:.5g}"
            full = sided(name, side)
            if where == "name" and not full.endswith(")"):
                full = f"{full} ({unit})" if " " in full else f"{full}_{unit}"
            stored = stored.replace(".", ",") if comma else stored
            told = where if quantity != "tibial_torsion_rad" or where != "nowhere" else "value"
            yield Entry(
                quantity, side, full.upper() if upper else full, f"{stored} {unit}" if told == "value" else stored,
                unit if told == "beside" else "", one,
            )  # fmt: skip


def _sex_words(sex: str) -> list[str]:
    return {"female": ["F", "f", "female", "weiblich", "Femme", "w"], "male": ["M", "m", "male", "männlich", "Homme", "Hombre"]}[
        sex
    ]


def record(name: str, group: int, body: bytes) -> bytes:
    """A record of the parameter section: of a group (negative number) or a parameter."""
    spelt = name.encode("latin-1")
    return struct.pack("<bb", len(spelt), group) + spelt + struct.pack("<h", len(body) + 2) + body


def texts(rows: Sequence[str]) -> bytes:
    """A parameter's body that holds texts."""
    spelt = [row.encode("latin-1") for row in rows]
    width = max(1, *map(len, spelt))
    return struct.pack("<bbBB", -1, 2, width, len(rows)) + b"".join(row.ljust(width) for row in spelt) + b"\0"


def numbers(values: Sequence[float]) -> bytes:
    """A parameter's body that holds floats."""
    return struct.pack("<bbB", 4, 1, len(values)) + struct.pack(f"<{len(values)}f", *values) + b"\0"


def rewritten(data: bytes, stored: Parameters, groups: Mapping[str, Mapping[str, bytes]]) -> bytes:
    """The file without its PROCESSING and SUBJECT groups, and with others."""
    dropped = ("PROCESSING", "SUBJECT", "ANALYSIS")
    numbered = {r.group_id: r.name.upper() for r in stored.records if r.is_group}
    pieces = []
    for r in stored.records:
        if numbered.get(r.group_id) in dropped:
            continue
        body = b"\0" if r.is_group else struct.pack("<bb", r.kind, len(r.dims)) + bytes(r.dims) + r.raw + b"\0"
        pieces.append(record(r.name, -r.group_id if r.is_group else r.group_id, body))
    number = max(numbered)
    own = {name: id for id, name in numbered.items() if name not in dropped}
    for name, parameters in groups.items():
        number += name.upper() not in own
        at = own.get(name.upper(), number)
        pieces += [record(name, -at, b"\0")] if at == number else []
        pieces += [record(key, at, body) for key, body in parameters.items()]
    section = b"".join(pieces) + b"\0\0"
    blocks = -(-(4 + len(section)) // BLOCK)
    whole = (bytes([1, 80, blocks, 84]) + section).ljust(blocks * BLOCK, b"\0")
    header = bytearray(data[:BLOCK])
    header[0] = 2
    return bytes(header) + whole + data[stored.start + stored.blocks * BLOCK :]


def groups_of(written: Sequence[Entry], rng: np.random.Generator, *, listed: bool) -> dict[str, dict[str, bytes]]:
    """The parameters of a file that hold the entries, decoys and a setting of the capture software among them."""
    setting = {"SEG": {"MARKER_DIAMETER": numbers([25.0])}}
    rows = [(each.name, each.stored, each.unit) for each in written] + [(name, value, "") for name, value in DECOYS.items()]
    order = [rows[i] for i in rng.permutation(len(rows))]
    if listed:
        group, label = LISTS[rng.integers(len(LISTS))]
        columns = {label: [row[0] for row in order], "VALUES": [row[1] for row in order], "UNITS": [row[2] for row in order]}
        return {group: {key: texts(column) for key, column in columns.items()}} | setting
    group = str(rng.choice(GROUPS))
    held = {}
    for name, value, _ in order:
        as_number = re.fullmatch(r"-?\d+(\.\d+)?", value) and rng.random() < 0.7
        held[name] = numbers([float(value)]) if as_number else texts([value])
    return {group: held} | setting


def people(folder: Path) -> list[tuple[Path, Subject]]:
    """Recordings whose PROCESSING group holds mass, height and the legs' measurements, one of each folder, and whose they are."""
    seen: dict[Path, tuple[Path, Subject]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".c3d"):
        if path.parent in seen:
            continue
        try:
            file = open_c3d(read_source(path))
        except (BiomechError, IndexError):
            continue
        person = read_subject(file, "", None, FileFindings(path.name))
        told = [person.mass_kg, person.height_m, *(len(kept) > 1 for kept in (person.leg_length_m, person.knee_width_m))]
        if file.parameters.processor.floats(b"\0\0\x80?")[0] == 1.0 and all(told) and "PROCESSING:" in person.sources["mass_kg"]:
            seen[path.parent] = path, person
    return list(seen.values())


def judged(data: bytes, written: Sequence[Entry]) -> Counter[str]:
    """Right, missed and wrong values of a file; "invented" where it holds none."""
    found = read_subject(open_c3d(Source(Path("moved.c3d"), data, sha256(data).hexdigest())), "", None, FileFindings("moved.c3d"))
    truth = {(each.quantity, each.side): each.value for each in written}
    count: Counter[str] = Counter()
    for quantity in names():
        value = getattr(found, quantity)
        for side, one in value.items() if isinstance(value, Mapping) else [("", value)]:
            true = truth.get((quantity, side))
            if one is None:
                continue
            close = one == true if isinstance(one, str) else true is not None and abs(one - float(true)) < 1e-3 * abs(one) + 1e-6
            count["right" if close else "wrong" if true is not None else "invented"] += 1
    count["missed"] = len(truth) - count["right"] - count["wrong"]
    return count


def study(n: int, folder: Path, seed: int = SEED) -> tuple[Counter[str], Counter[str], int]:
    """Counts of n files as they are meant, of the same with typing errors, and how many people they are of."""
    rng, found = np.random.default_rng(seed), people(folder)
    meant: Counter[str] = Counter()
    slipped: Counter[str] = Counter()
    sources = [(path.read_bytes(), person) for path, person in found]
    for number in range(n):
        data, person = sources[number % len(sources)]
        stored = open_c3d(Source(Path("any.c3d"), data, "")).parameters
        listed = bool(rng.random() < 0.3)
        written = list(entries(person, rng, listed=listed))
        meant += judged(rewritten(data, stored, groups_of(written, rng, listed=listed)), written)
        typed = [Entry(**{**each.__dict__, "name": mistyped(each.name, rng)}) for each in written]
        slipped += judged(rewritten(data, stored, groups_of(typed, rng, listed=listed)), typed)
    return meant, slipped, len(found)


def main(n: int = 400, folder: Path | None = None) -> int:
    """Write the table and return whether the gate is missed."""
    folder = folder or Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared")) / "c3d"
    meant, slipped, persons = study(n, folder)
    rows = [(name, *(count[key] for key in ("right", "missed", "wrong", "invented"))) for name, count in
            (("as meant", meant), ("with a typing error in each name", slipped))]  # fmt: skip
    lines = [
        f"biomech_id {__version__}, {n} files of {persons} recordings, {sum(map(len, names().values()))} names, seed {SEED}", "",
        "| names | right | not found | wrong | found where there is none |", "|---|---|---|---|---|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    total = meant["right"] + meant["missed"] + meant["wrong"]
    false = sum(count[key] for count in (meant, slipped) for key in ("wrong", "invented"))
    return int(bool(false) or meant["right"] < LEAST_RIGHT * total)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3])))
