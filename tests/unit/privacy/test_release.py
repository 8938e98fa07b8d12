"""Attacks on a release: who has the folder, a list of names and birth dates, and no key, finds neither name nor day in it.

Every place where people write something holds a name of its own, every hash a dictionary could undo is planted, and each attack is
first seen to succeed on the results that were not released.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import itertools
import json
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.conventions import table_columns
from biomech_id.errors import OptionError, OutputError
from biomech_id.files.json_text import read_json
from biomech_id.pipeline import release as release_module
from biomech_id.pipeline.release import release_results
from biomech_id.pipeline.reproduce import reproduce_results
from biomech_id.privacy.kept_words import kept_text
from biomech_id.privacy.name_words import all_vetted, folded
from biomech_id.privacy.release import ReleaseRules, k_of
from biomech_id.session.folder.read_write import damaged_outputs, read_tables, write_folder
from biomech_id.session.folder.replay import Replay, read_replay, write_replay
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables

BORN, DAY = date(2014, 3, 5), date(2026, 5, 4)
AGE = (DAY - BORN).days / 365.25
PERSON = "Anneliese Müllerschön"
C3D = hashlib.sha256(b"a recording").hexdigest()
SECRET = bytes(range(32))


def plain(text: str) -> str:
    return folded(unicodedata.normalize("NFC", text))


#: A place -> the name that stands there and nowhere else; the list of names that the attacker has.
NAMES = {
    "subject-code": "Müllerschön", "given-name": "Anneliese", "recording": "Zawadzki", "static": "Quistorp",
    "condition": "Yildirim", "kept-note": "Oberhuber", "other-note": "Pfaffinger", "author": "Krzyzan", "comment": "Wojcik",
    "value": "Tschirner", "message": "Vanderbeke", "where": "Ljungqvist", "unknown-rule": "Dvorakova",
    "other-subject": "Nakamura", "history": "Szymborska", "step": "Bjoernson", "reason": "Halvorsen",
    "cycle-reason": "Iwanowski", "source": "Jezierski", "complaint": "Kowalczyk", "failed": "Leopoldina",
    "norm-source": "Mikkelsen", "norm-name": "Novotny", "setting": "Ostrowski", "channel-setting": "Papadakis",
    "channel": "Quintana", "marker": "Rasmussen", "stance-reason": "Stojanovic", "examiner": "Tkachenko", "raw": "Urbanczyk",
    "own-table": "Vasquez", "command": "Wisniewski", "input": "Xanthopoulos", "in-memory": "Yamaguchi", "style": "Zielinska",
    "calibration": "Abramowitz", "calibration-key": "Bartoszewski", "unknown-key": "Czerny", "subject-key": "Dombrowski",
    "folder": "Engelbrecht", "replay": "Fitzgerald", "treatment": "Gutierrez", "plug-in": "Hashimoto",
    "frame-column": "Ibrahimovic", "stale-file": "Jankowski", "clinic-key": "Kaczmarek", "belt-key": "Lindqvist",
    "plate-reason": "Mazurek",
}  # fmt: skip


def one_row(table: str, /, **cells: Any) -> pd.DataFrame:
    usual = {"text": "", "integer": 1, "number": 1.0}
    return pd.DataFrame([{column.name: cells.get(column.name, usual[column.kind]) for column in table_columns(table)}])


def finding(rule: str, message: str = "", where: str = "", **values: Any) -> dict[str, Any]:
    return {"rule": rule, "values": values, "severity": "warning", "message": message, "hint": "", "where": where}


def template(name: str, born: date) -> bytes:
    return f'code = "{name}"\nbirth_date = {born.isoformat()}\n'.encode()


def texts_to_hash(name: str, born: date) -> dict[str, bytes]:
    """What a hash in results could be of, that whoever knows name and birth date can make."""
    day = born.isoformat()
    return {
        "name": name.encode(), "name-and-day": f"{name}{day}".encode(), "line-feed": f"{name}\n{day}".encode(),
        "person": f"person\n{name}".encode(), "subject-file": template(name, born),
    }  # fmt: skip


ALGORITHMS = ("md5", "sha1", "sha256", "sha512", "blake2b")


def planted_hashes() -> Iterator[str]:
    for algorithm, content in itertools.product(ALGORITHMS, texts_to_hash(PERSON, BORN).values()):
        yield hashlib.new(algorithm, content).hexdigest()


def poisoned(tables: Tables) -> Tables:
    """Results in which everybody who can write something has written a name."""
    n, old = NAMES, tables.summary["trials"][0]
    stem, static = f"{n['recording']}_walk_20140305", f"{n['static']}_static"
    cycles = [
        {**cycle, "reason": n["cycle-reason"], "reasons": [finding("turns", turn_deg=3.0, by=n["cycle-reason"])]}
        for cycle in old["cycles"]
    ]
    trial = {
        **old, "name": stem, "file": f"{stem}.c3d", "static": static, "condition": n["condition"],
        "reasons": [f"As {n['reason']} said."],
        "history": [f"filtered by {n['history']}"], "steps": [{"rule": "read", "values": {"frames": 3, "unit": n["step"]}}],
        "cycles": cycles, "belts": {n["belt-key"]: {}},
        "findings": [
            finding("plate-unloaded", f"Nobody but {n['message']} stepped.", n["where"], plate=n["value"], file=f"{stem}.c3d"),
            finding("nobody-knows-this", n["unknown-rule"], by=n["unknown-rule"]),
            finding("subjects-several", subjects=[[n["other-subject"], 3]], taken="Winter May", file="Winter.c3d"),
            finding("inertia-age", "born 5.3.2014", age=AGE, table="adults", initials="A. M."),
        ],
    }  # fmt: skip
    summary = {
        **tables.summary, "trials": [trial], "conditions": [n["condition"], "Winter"],
        "static": {"file": f"{static}.c3d", "name": static, "frames": 50},
        "subject": {
            **tables.summary["subject"], "code": PERSON, "birth_date": BORN.isoformat(), "session_date": DAY.isoformat(),
            "age_years": AGE, "sex": "female", "condition": n["condition"], "sources": {"mass_kg": f"{n['source']}.toml"},
            n["subject-key"]: 1,
        },
        "clinic": {
            "": {"diagnosis": f"MMC L4, seen by {n['kept-note']} 05.03.2014", "school": n["other-note"], n["clinic-key"]: "1"},
            "treatment 1": {"kind": f"osteotomy by {n['treatment']}", "date": "2019-05-31", "side": "left"},
        },
        "review": {"file": "review.toml", "decisions": [{"decision": "comment", "text": n["comment"], "author": n["author"]}]},
        "complaints": [n["complaint"]], "failed": [{"file": f"{n['failed']}.c3d", "error": n["failed"]}],
        "plates": {"places": [], "silent": [{"plate": "plate 1", "rule": "plate-kind", "reason": n["plate-reason"]}], "steps": []},
        "norm": {"n": 20, "source": n["norm-source"], "name": n["norm-name"], "version": "", "date": BORN.isoformat()},
        "recipe": {"model": {"marker_set": f"{n['setting']}.toml"}, "emg": {"channels": {f"{n['channel-setting']} RF": "x"}}},
        n["unknown-key"]: 1, "marks": list(planted_hashes()),
    }  # fmt: skip
    manifest = {
        **tables.manifest, "command": f"biomech-id run {n['command']}", "recipe": summary["recipe"],
        "inputs": {
            f"{stem}.c3d": C3D, f"{static}.c3d": C3D,
            f"{n['input']}.toml": hashlib.sha256(template(PERSON, BORN)).hexdigest(),
        },
        "in_memory": {"trials": {n["in-memory"]: "1"}}, "drawn": {"style": {"name": n["style"], "sha256": "1"}},
        "dependencies": {**tables.manifest["dependencies"], n["plug-in"]: "1"},
    }  # fmt: skip
    marker = f"{n['marker']}:LHEE"
    return replace(
        tables, summary=summary, manifest=manifest,
        calibration={"schema": 3, "words": n["calibration"], "trials": {n["calibration-key"]: {}}, "sides": {}},
        frames={stem: tables.frames["walk"].assign(**{f"{n['frame-column']}.X": 1.0})},
        gaps=pd.concat([one_row("gaps", trial=stem, marker=each) for each in (marker, "AM1", "LHEE")]),
        stances=one_row("stances", trial=stem, side="L", reason=f"as {n['stance-reason']} saw", verdict="clean"),
        channels=pd.concat([
            one_row("channels", trial=stem, label=f"{n['channel']} RF"),
            one_row("channels", trial=stem, label="AM gastro", also="05.03.2014"),
        ]),
        norm=pd.concat([
            one_row("norm", variable="PelvisAngles", component="X", n=20, mean=5.0, source=n["norm-source"], name=n["norm-name"],
                    contributors=";".join(["12.5"] * 20)),
            one_row("norm", variable="HipAngles", component="X", n=1, mean=7.25),
            one_row("norm", variable="contributor.marks", n=20, contributors=hashlib.sha256(PERSON.encode()).hexdigest()[:12]),
        ]),
        examination=one_row("examination", test="flexion", side="L", examiner=n["examiner"], date=DAY.isoformat(), grade="3"),
    )  # fmt: skip


@dataclass(frozen=True)
class Attacker:
    """Who has a folder, and what is read in it."""

    folder: Path

    @property
    def sessions(self) -> list[Path]:
        return sorted(path.parent for path in self.folder.rglob("summary.json"))

    def texts(self) -> Iterator[str]:
        for path in sorted(self.folder.rglob("*")):
            yield path.relative_to(self.folder).as_posix()
            if path.suffix == ".npz":
                with zipfile.ZipFile(path) as file:
                    yield from (file.read(name).decode("utf-32-le", errors="ignore") for name in file.namelist())
                with np.load(path) as arrays:
                    yield from (" ".join(map(str, arrays[name])) for name in arrays.files if arrays[name].dtype.kind == "U")
            elif path.is_file():
                yield path.read_bytes().decode("utf-8", errors="ignore")

    @cached_property
    def all_text(self) -> str:
        return plain("\n".join(map(_unescaped, self.texts())))

    @cached_property
    def hashes(self) -> set[str]:
        return set(re.findall(r"(?<![0-9a-z])[0-9a-f]{12,128}(?![0-9a-z])", self.all_text))

    def documents(self) -> list[dict[str, Any]]:
        return [read_json(path) for path in sorted(self.folder.rglob("*.json"))]


def _unescaped(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)


def values_of(document: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield from values_of(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from values_of(value, name)
    else:
        yield name, document


def by_name(place: str) -> Callable[[Attacker], object]:
    return lambda attacker: plain(NAMES[place]) in attacker.all_text


def by_text(*texts: str) -> Callable[[Attacker], object]:
    return lambda attacker: [text for text in texts if plain(text) in attacker.all_text]


def by_dictionary(algorithm: str) -> Callable[[Attacker], object]:
    """Every name of a list by every day near the true one, against every hash, whole or its first digits."""
    days = [date.fromordinal(BORN.toordinal() + shift) for shift in range(-3, 4)]

    def attack(attacker: Attacker) -> object:
        found = attacker.hashes
        starts = {each[:12] for each in found}
        return [
            (name, born, what)
            for name, born in itertools.product((PERSON, PERSON.lower(), "Müllerschön", "Muellerschoen^Anneliese"), days)
            for what, content in texts_to_hash(name, born).items()
            if hashlib.new(algorithm, content).hexdigest()[:12] in starts
        ]

    return attack


def by_guessed_key(secret: bytes) -> Callable[[Attacker], object]:
    """The code, or a keyed hash, by a key that anybody could try."""

    def attack(attacker: Attacker) -> object:
        found = attacker.hashes
        made = {
            hmac.new(secret, b"person\n" + plain(name).encode(), "sha256").hexdigest() for name in (PERSON, "Anneliese Mullerschon")
        }
        made |= {hmac.new(secret, f"{each}\n{C3D}".encode(), "sha256").hexdigest() for each in found if len(each) == 20}
        return [each for each in made if each in found or each[:20] in found]

    return attack


def by_subsets(attacker: Attacker) -> object:
    """Name and every subset of what is kept, hashed: a fingerprint of the person that somebody put into the results."""
    found = attacker.hashes
    subject = next(document["subject"] for document in attacker.documents() if "subject" in document)
    kept = [str(subject[key]) for key in ("age_years", "sex", "mass_kg", "session_date")]
    subsets = itertools.chain.from_iterable(itertools.combinations(kept, size) for size in range(5))
    return [each for each in subsets if hashlib.sha256("|".join((PERSON, *each)).encode()).hexdigest() in found]


def times(attacker: Attacker, *, folders: bool) -> object:
    now = datetime.now(UTC).timestamp()
    written = [path.stat().st_mtime for path in attacker.folder.rglob("*") if path.is_dir() == folders]
    return [each for each in written if abs(each - now) < 86400.0 or each % 86400 != 43200]


def zip_times(attacker: Attacker) -> object:
    infos = [info for path in attacker.folder.rglob("*.npz") for info in zipfile.ZipFile(path).infolist()]
    assert infos
    return [info.date_time for info in infos if info.date_time[:3] not in ((1980, 1, 1), (1979, 12, 31))]


def ages(attacker: Attacker) -> object:
    """Ages finer than a year, anywhere."""
    named = (value for each in attacker.documents() for name, value in values_of(each) if name in ("age", "age_years"))
    return [value for value in named if value is not None and value != int(value)]


def norm_of_one(attacker: Attacker) -> object:
    rows = [row for path in attacker.folder.rglob("norm.csv") for row in csv.DictReader(path.open(encoding="utf-8"))]
    return [row for row in rows if row["contributors"] or int(row["n"]) < 5]


def plain_digests(attacker: Attacker) -> object:
    """Hashes of inputs that whoever has a recording, or guesses a file, compares."""
    inputs = [document["inputs"] for document in attacker.documents() if "inputs" in document]
    return [
        entry
        for each in inputs
        for name, entry in each.items()
        if not entry.startswith("hmac-sha256:") or not name.endswith(".c3d")
    ]


ATTACKS: dict[str, Callable[[Attacker], object]] = {
    **{f"name: {place}": by_name(place) for place in NAMES},
    **{f"dictionary: {algorithm}": by_dictionary(algorithm) for algorithm in ALGORITHMS},
    "a fingerprint of kept values": by_subsets,
    "the norm's marks": by_text(hashlib.sha256(PERSON.encode()).hexdigest()[:12]),
    "the norm of one person": norm_of_one,
    "hashes of inputs": plain_digests,
    "the recording's own hash": by_text(C3D),
    "initials in a marker's label": by_text("am1"),
    "initials in a channel's label": by_text("am gastro"),
    "initials in a value": by_text("a. m."),
    "a name of our own words, a condition": by_text('"winter"'),
    "a name of our own words, another subject": by_text("winter may"),
    "a name of our own words, a file": by_text("winter.c3d"),
    "birth date, as ISO writes it": by_text("2014-03-05"),
    "birth date, in a file's name": by_text("20140305"),
    "birth date, in a sentence": by_text("5.3.2014"),
    "birth date, in a kept note": by_text("05.03.2014"),
    "birth date, from an exact age": ages,
    "the day of the session": by_text(DAY.isoformat()),
    "the day of an operation": by_text("2019-05-31"),
    "times of files": lambda attacker: times(attacker, folders=False),
    "times of folders": lambda attacker: times(attacker, folders=True),
}  # fmt: skip
#: Attacks for which nothing could be planted: they fail on any results, and the code of a release is what they are after.
ON_RELEASES = {
    **{f"guessed key: {secret!r}": by_guessed_key(secret) for secret in (b"", b"key", bytes(32), b"biomech-id")},
    "times in archives of arrays": zip_times,
}  # fmt: skip


def write_poisoned(tables: Tables, out: Path) -> None:
    marks = [
        hashlib.sha256("|".join((PERSON, *each)).encode()).hexdigest()
        for each in itertools.chain.from_iterable(
            itertools.combinations((str(AGE), "female", "64.0", DAY.isoformat()), size) for size in range(5)
        )
    ]
    given = poisoned(tables)
    given = replace(given, summary={**given.summary, "fingerprints": marks})
    trial = next(iter(given.frames))
    labels = (f"{NAMES['replay']}:LTOE", "LHEE", "AM1")
    replay = Replay(
        100.0, 1, labels, np.ones((2, 3, 3), np.float32), (), np.ones((2, 0, 3, 3), np.float32), np.ones((2, 0, 3), np.float32), (),
        np.ones((2, 0, 3), np.float32), (), np.ones((0, 4, 3), np.float32), np.ones((2, 0, 3), np.float32),
        np.ones((2, 0, 3), np.float32),
    )  # fmt: skip

    def stale(folder: Path) -> None:
        (folder / "report.pdf").write_bytes(NAMES["stale-file"].encode())
        (folder / "own_table.csv").write_text(NAMES["own-table"], encoding="utf-8")

    write_folder(given, out, extras=[lambda folder: write_replay(folder, trial, replay), stale])
    # What is read from a table's file has its columns alone.
    table = one_row("examination", test="flexion", examiner=NAMES["examiner"], date=DAY.isoformat()).assign(raw=NAMES["raw"])
    (out / "examination.csv").write_text(table.to_csv(index=False), encoding="utf-8")


@dataclass(frozen=True)
class Both:
    """Results of the house and what was released of them."""

    house: Attacker
    released: Attacker
    key: Path


@pytest.fixture(scope="module")
def results(session: Session) -> Tables:
    """Of a small body, and of long tables the first two curves: nobody is known by their length."""
    tables = session.tables()
    long = ("cycles", "budget", "uncertainty", "peaks", "emg", "emg_raw")
    cut = {name: getattr(tables, name).head(202) for name in long if getattr(tables, name) is not None}
    return replace(tables, **cut, frames={name: frames.head(20) for name, frames in tables.frames.items()})


@pytest.fixture(scope="module")
def both(results: Tables, tmp_path_factory: pytest.TempPathFactory) -> Both:
    root = tmp_path_factory.mktemp("release")
    key = root / "lab.key"
    key.write_text(SECRET.hex() + "\n", encoding="ascii")
    house = root / "house"
    write_poisoned(results, house / NAMES["folder"])
    keep = ("diagnosis", "treatment", "examination")
    release_results([house], root / "released", key, keep=keep)
    return Both(Attacker(house), Attacker(root / "released"), key)


def test_there_are_sixty_attacks_and_more() -> None:
    assert len(ATTACKS) + len(ON_RELEASES) >= 60


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_that_succeeds_on_the_house_fails_on_the_release(attack: str, both: Both) -> None:
    assert ATTACKS[attack](both.house), "the attack finds nothing where there is something to find"
    assert not ATTACKS[attack](both.released)


@pytest.mark.parametrize("attack", ON_RELEASES)
def test_an_attack_on_what_a_release_adds_fails(attack: str, both: Both) -> None:
    assert not ON_RELEASES[attack](both.released)


def test_a_guessed_key_is_found_if_it_is_the_key(both: Both) -> None:
    (session,) = both.released.sessions
    code, name = session.name.split("_")[0], "anneliese muellerschoen"
    assert hmac.new(SECRET, b"person\n" + name.encode(), "sha256").hexdigest()[:20] == code
    assert by_guessed_key(SECRET)(both.released)


def test_what_is_released_can_be_worked_with(both: Both) -> None:
    (session,) = both.released.sessions
    tables, code = read_tables(session), session.name.split("_")[0]
    assert damaged_outputs(session) == ()
    assert list(tables.frames) == [f"{code}_walk01"]
    assert set(tables.stances["trial"]) == {f"{code}_walk01"}
    assert (tables.summary["subject"]["age_years"], tables.summary["subject"]["sex"]) == (12, "female")
    assert tables.summary["trials"][0]["condition"] == "condition_1"
    assert tables.summary["clinic"][""] == {"diagnosis": "MMC L4"}
    assert sorted(tables.gaps["marker"])[0] == "LHEE"
    replay = read_replay(session, f"{code}_walk01")
    assert replay is not None
    assert replay.marker_names[1] == "LHEE"
    assert tables.norm is not None
    assert list(tables.norm["variable"]) == ["PelvisAngles"]


def test_days_of_one_person_move_together_and_intervals_stay(both: Both) -> None:
    (session,) = both.released.sessions
    tables = read_tables(session)
    moved = date.fromisoformat(tables.summary["subject"]["session_date"])
    operated = date.fromisoformat(tables.summary["clinic"]["treatment 1"]["date"])
    assert (moved - operated) == DAY - date(2019, 5, 31)
    assert tables.examination is not None
    assert set(tables.examination["date"]) == {moved.isoformat()}
    assert abs((moved - DAY).days) <= 180


def test_codes_are_one_for_one_person_and_shifts_spread() -> None:
    rules = ReleaseRules(SECRET)
    ways = ("Müllerschön^Anneliese", "anneliese MUELLERSCHOEN", "Mu\u0308llerschön, Anneliese", "Anneliese_Müllerschön")
    assert len({rules.code(way) for way in ways}) == 1
    assert rules.code("P1") != rules.code("P2")
    assert ReleaseRules(bytes(32)).code(PERSON) != rules.code(PERSON)
    shifts = [rules.shift_days(str(number)) for number in range(2000)]
    assert (min(s for s in shifts if s is not None), max(s for s in shifts if s is not None)) == (-180, 180)


def test_k_counts_what_is_kept() -> None:
    age = [("age_years", "7")]
    assert k_of({"a": [age], "b": [age]}) == {"a": 2, "b": 2}
    assert k_of({"a": [[*age, ("diagnosis", "CP")]], "b": [age]}) == {"a": 1, "b": 1}
    # One of them came twice: whoever knows that finds the folder.
    assert k_of({"a": [age, age], "b": [age]}) == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("CP, spastic diplegia, GMFCS 2", "CP spastic diplegia GMFCS 2"), ("Anna Winter", ""), ("born 5.3.2014", ""),
        ("MMC Th12", "MMC Th12"), ("AM1 LT4", ""), ("left transtibial amputation 2019-05-31", "left transtibial amputation moved"),
    ],
)  # fmt: skip
def test_of_a_note_only_words_of_the_list_are_kept(note: str, kept: str) -> None:
    assert kept_text(note, lambda day: "moved")[0] == kept


@pytest.mark.parametrize(
    "text", ["Anneliese", "walk of Anneliese", "A. M.", "2014-03-05", "05.03.2014", "20140305", "AnnelieseHeel"]
)
def test_a_text_that_is_not_ours_is_not_vetted(text: str) -> None:
    assert not all_vetted(text)


def other_session(results: Tables, out: Path, name: str, **subject: Any) -> None:
    given = {**results.summary["subject"], "code": name, **subject}
    write_folder(replace(results, summary={**results.summary, "subject": given}), out)


def test_without_markers_nothing_gives_a_length_or_the_mass_back(both: Both, tmp_path: Path) -> None:
    house = both.house.folder
    release_results([house], tmp_path / "released", both.key, body=False)
    (session,) = Attacker(tmp_path / "released").sessions
    tables = read_tables(session)
    assert not (session / "replay").exists()
    assert not [name for name in tables.frames[f"{session.name.split('_')[0]}_walk01"] if "JC" in name or "Outline" in name]
    assert not tables.spatiotemporal["parameter"].astype(str).str.endswith("_dimensionless").any()
    assert "FootCentreOfPressure" not in set(tables.cycles["variable"])
    assert tables.summary["subject"]["mass_kg"] == 65.0  # 64 kg, to 5 kg
    assert (tables.summary["subject"]["leg_length_m"], tables.calibration["sides"], tables.summary["plates"]) == ({}, {}, None)
    of_body = [name for name, _ in values_of(tables.summary["trials"][0]["findings"]) if re.search(r"_(mm|m|kg|N)$", name)]
    assert of_body == []


def test_the_command_tells_k_and_what_it_cannot_do(results: Tables, both: Both, tmp_path: Path) -> None:
    other_session(results, tmp_path / "house" / "one", "Bea")
    other_session(results, tmp_path / "house" / "two", "Zoe")
    words = ["release", str(tmp_path / "house"), "-o", str(tmp_path / "out"), "--key", str(both.key), "--no-days"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 3, told.output
    assert told.stdout.count("k = 2") == 2
    assert "What no code takes away" in told.stdout
    assert "not anonymous" in told.stdout
    listing = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert set(listing["k"].values()) == {2}
    assert len(listing["findings"]) == 3
    assert list(listing["k"]) == sorted(listing["k"])
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    again = CliRunner().invoke(app, [*words, "--warnings-ok", "--language", "de"])
    assert again.exit_code == 0
    assert "Was kein Code wegnimmt" in again.stdout
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    assert CliRunner().invoke(app, words[:4]).exit_code == 2
    assert CliRunner().invoke(app, [*words, "--language", "xx"]).exit_code == 2
    assert CliRunner().invoke(app, ["release", str(both.key.parent / "none"), *words[2:]]).exit_code == 1
    (compared,) = list(reproduce_results(next((tmp_path / "out").glob("*_01")), tmp_path))[:1]
    assert not compared.equal
    assert "release" in compared.causes[0]


@pytest.mark.parametrize("where", ["folder in results", "results in folder", "key in results", "key in folder"])
def test_what_would_lie_in_one_another_is_refused(where: str, both: Both, tmp_path: Path) -> None:
    house, folder, key = both.house.folder, tmp_path / "out", both.key
    folder = {"folder in results": house / "out", "results in folder": house.parent}.get(where, folder)
    key = {"key in results": house / "lab.key", "key in folder": folder / "lab.key"}.get(where, key)
    with pytest.raises(OptionError):
        release_results([house], folder, key)
    assert not (tmp_path / "out").exists()
    assert not (house / "out").exists()
    assert not (house / "lab.key").exists()


def test_two_people_of_one_name_are_told_apart_by_a_code(results: Tables, both: Both, tmp_path: Path) -> None:
    other_session(results, tmp_path / "house" / "one", "Bea", birth_date="2014-03-05")
    other_session(results, tmp_path / "house" / "two", "BEA", birth_date="2016-03-05")
    with pytest.raises(OptionError, match="one name and two birth dates"):
        release_results([tmp_path / "house"], tmp_path / "out", both.key)


def test_a_word_that_is_left_fails_the_release_and_leaves_nothing(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(folder: Path, **_: Any) -> None:
        (folder / "notes.csv").write_text(PERSON, encoding="utf-8")

    monkeypatch.setattr(release_module, "_write_replays", forgetful)
    with pytest.raises(OutputError, match="nothing was written"):
        release_results([both.house.folder], tmp_path / "out", both.key)
    assert list(tmp_path.iterdir()) == []


def test_a_name_on_a_page_of_the_report_fails_the_release(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are compressed in the file: what they show is looked through as it is drawn, from what is released."""
    drawn: list[Tables] = []

    def draws(folder: Path, *, tables: Tables, printed: list[str], **_: Any) -> None:
        drawn.append(tables)
        printed.append(f"Report of {PERSON}")

    monkeypatch.setattr(release_module, "draw_own_report", draws)
    with pytest.raises(OutputError, match=r"report\.pdf would still hold"):
        release_results([both.house.folder], tmp_path / "out", both.key, report=True)
    assert plain("Müllerschön") not in plain(str(drawn[0].summary))


def test_somebody_elses_files_are_not_replaced(both: Both, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=r"mine\.txt"):
        release_results([both.house.folder], tmp_path / "out", both.key)
