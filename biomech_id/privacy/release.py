"""Results that leave the house: one session's tables and documents with codes, moved days, whole years and no word of a person.

A code is the first 80 bits of the HMAC of "person" and the name, the shift of days that of "days" and the code, both by the
laboratory's key: who has a list of names and no key can try none of them. That marker distances, segment lengths and curves are the
person's own no code can take away; `k_of` says how many people of a release share what is kept in words and numbers.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from biomech_id.conventions import CYCLE_ROWS, KINETICS_VALID, frame_columns
from biomech_id.privacy.kept_words import kept_notes
from biomech_id.privacy.name_words import NameWords, all_vetted, folded, words_of_name, written_out
from biomech_id.privacy.pseudonym import FILES, Pseudonym, called_labels, folders_that_tell, recording_word
from biomech_id.privacy.released_texts import ReleasedTexts
from biomech_id.request.input_hashes import InputHashes, keyed, may_be_guessed
from biomech_id.schema.documents import DOCUMENTS
from biomech_id.session.output.manifest import UNVERIFIED
from biomech_id.session.tables.session_tables import Table, Tables
from biomech_id.session.values.norm import CONTRIBUTOR
from biomech_id.values import dataclass, field, replace

#: Digits of a code: 80 bits.
PERSON_DIGITS = 20
_SHA256_DIGITS = 64
#: Days are moved by less than half a year.
_DAYS = 361
#: People below which a norm shows what single ones do.
LEAST_NORM = 5
#: Below so many people who share what is kept, whoever knows some of it finds a few folders.
SMALL_K = 5
#: What is released of a subject; without lengths and masses the first row alone, mass and height to these steps, kg and m.
SUBJECT_KEPT = ("age_years", "sex", "mass_kg", "height_m")
OF_BODY = ("leg_length_m", "knee_width_m", "ankle_width_m")
ROUNDED_TO = {"mass_kg": 5.0, "height_m": 0.05}
#: Keys of a summary that hold what people wrote, or files that could not be read.
_WRITTEN_BY_PEOPLE: Mapping[str, Any] = {"clinic": None, "review": None, "complaints": [], "failed": []}


@dataclass(frozen=True)
class ReleaseRules:
    """How results are released.

    Attributes
    ----------
    secret : bytes
        Key of the laboratory, from which shifts of days follow.
    keep : frozenset[str], optional
        Keys of the clinic's notes that are kept, "treatment" and "examination".
    days : bool, optional
        Whether days are kept, moved; otherwise there are none.
    body : bool, optional
        Whether markers, places, lengths and masses are kept.
    """

    secret: bytes = field(repr=False)
    keep: frozenset[str] = frozenset()
    days: bool = True
    body: bool = True

    def code(self, name: str) -> str:
        """Return the code of a person, the same however marks and case of the name are written.

        Parameters
        ----------
        name : str
            As the results have it: a name, or a code of the house.
        """
        parts = sorted(re.findall(r"\w+", folded(written_out(unicodedata.normalize("NFC", name))).replace("_", " ")))
        return keyed(self.secret, "person", " ".join(parts)).hex()[:PERSON_DIGITS]

    def shift_days(self, code: str) -> int | None:
        """Return by how many days every day of a person is moved, so that intervals stay; None where days are left out.

        Parameters
        ----------
        code : str
            Pseudonym of the person: equal codes, equal shifts.
        """
        return int.from_bytes(keyed(self.secret, "days", code)) % _DAYS - _DAYS // 2 if self.days else None


@dataclass(frozen=True)
class Released:
    """One session as it is released.

    Attributes
    ----------
    tables : Tables
        Its tables and documents.
    texts : ReleasedTexts
        What its texts became.
    day : datetime.date | None
        The session's day, moved.
    left_out : int
        Words of notes that were to be kept, and are not.
    """

    tables: Tables
    texts: ReleasedTexts
    day: datetime.date | None
    left_out: int


def released(tables: Tables, rules: ReleaseRules, *, name: str, folder: Path, markers: Sequence[str] = ()) -> Released:
    """Return one session as it is released.

    Parameters
    ----------
    tables : Tables
        As they were read from the folder of a session.
    rules : ReleaseRules
        How it is released.
    name : str
        The person's, of which the code is made.
    folder : Path
        Where the session lies, whose name may be the person's.
    markers : Sequence[str], optional
        Labels of its recordings.
    """
    code = rules.code(name)
    texts = ReleasedTexts(
        _names(tables, code, folder, markers), words_of_name(name), rules.shift_days(code), rules.body
    )  # fmt: skip
    summary, left = _summary(tables, texts, rules)
    tidy: dict[str, Any] = {
        each: texts.of_table(table, _OWN)
        for each in _TIDY
        if (table := getattr(tables, each)) is not None and _is_released(each, rules)
    }
    tidy |= {"norm": _norm(tables, texts), "examination": _examination(tidy.get("examination"))}
    if tables.norm is not None and tidy["norm"] is None:
        summary["norm"] = None
        tidy |= {"scores": tidy["scores"].iloc[:0], "statistics": None, "deviations": None}
    if not rules.body:
        rows = {variable for (variable, _), row in CYCLE_ROWS.items() if "mm" in row.unit}
        tidy["cycles"] = tidy["cycles"][~tidy["cycles"]["variable"].isin(rows)]
        parameters = tidy["spatiotemporal"]["parameter"].astype(str)
        tidy["spatiotemporal"] = tidy["spatiotemporal"][~parameters.str.endswith("_dimensionless")]
    day = summary["subject"].get("session_date")
    made = replace(
        tables, summary=summary, calibration=_calibration(tables.calibration, texts), manifest=_manifest(tables, texts, rules),
        frames={texts.names.trial(trial): _frames(frames, rules) for trial, frames in tables.frames.items()}, further={},
        **dict[str, Any]({each: tidy.get(each) for each in _TIDY}),
    )  # fmt: skip
    return Released(made, texts, datetime.date.fromisoformat(day) if day else None, left)


#: Columns of names that this program makes.
_OWN = ("variable", "component", "name", "pattern", "covered_by")
_TIDY = tuple(
    name for name in Tables.__dataclass_fields__ if name not in ("frames", "calibration", "summary", "manifest", "further")
)  # fmt: skip


def _is_released(table: str, rules: ReleaseRules) -> bool:
    if table == "examination":
        return "examination" in rules.keep
    return table not in ("parity",) and (rules.body or table not in ("muscles", "muscle_forces", "joint_contact", "whole_body"))


def _names(tables: Tables, code: str, folder: Path, markers: Sequence[str]) -> Pseudonym:
    """What everything of a session is called when it is released."""
    summary, recordings = tables.summary, dict[str, str]()
    static = str(summary.get("static", {}).get("name") or "")
    counts: dict[str, int] = {}
    of_trials = {str(trial["name"]): str(trial.get("file") or trial["name"]) for trial in summary["trials"]}
    inputs = {PurePosixPath(path).stem: path for path in tables.manifest.get("inputs", {}) if not may_be_guessed(path)}
    statics = {str(trial.get("static") or "") for trial in summary["trials"]} | {static}
    own = str(summary["subject"].get("code") or "")
    exact = {own: code} if own else {}
    for stem, file in {**inputs, **dict.fromkeys(sorted(statics - {""}), ""), **of_trials}.items():
        word = "static" if stem in statics and stem not in of_trials else recording_word(stem)
        counts[word] = counts.get(word, 0) + 1
        recordings[stem] = f"{code}_{word}{counts[word]:02d}"
        suffix = PurePosixPath(file or inputs.get(stem, "")).suffix
        exact |= {stem: recordings[stem], f"{stem}{suffix}": f"{recordings[stem]}{suffix.lower()}"}
        exact |= {path: f"{recordings[stem]}{suffix.lower()}" for path in (file, inputs.get(stem, "")) if path}
    conditions = dict.fromkeys(str(each) for each in summary.get("conditions", ()) if each)
    exact |= {each: f"condition_{number}" for number, each in enumerate(conditions, 1)}
    named = [(each, "a stored name") for each in (str(summary["subject"].get("code") or ""), *conditions)]
    named += [(each, FILES) for each in (*recordings, *map(str, tables.manifest.get("inputs", {})))]
    named += [(each, "a folder's name") for each in (folder.name, *folders_that_tell(folder))]
    words = NameWords.of(named, without=code)
    channels = tables.channels
    labels = {} if channels is None else dict(zip(map(str, channels["label"]), map(bool, channels["muscle"]), strict=True))
    all_markers = dict.fromkeys((*markers, *map(str, tables.gaps["marker"])))
    kept = {label: label for label in (*all_markers, *labels)}
    kept |= called_labels(all_markers, words)
    kept |= called_labels(labels, words, known={label for label, shown in labels.items() if shown}, kind="channel")
    return Pseudonym(code, {**kept, **exact}, recordings, words)


def _summary(tables: Tables, texts: ReleasedTexts, rules: ReleaseRules) -> tuple[dict[str, Any], int]:
    given = tables.summary
    known = {re.split(r"[.\[]", key.path)[0] for key in DOCUMENTS[0].keys} - {*_WRITTEN_BY_PEOPLE, "subject"}
    summary = {key: texts.of_value(value, key) for key, value in given.items() if key in known}
    summary |= {key: value for key, value in _WRITTEN_BY_PEOPLE.items() if key in given}
    summary |= {"version": given["version"], "subject": _subject(given["subject"], texts, rules)}
    if summary.get("norm"):
        summary["norm"] |= dict.fromkeys(("source", "name", "version", "date"), "")
    for trial in summary["trials"]:
        for each in (trial, *trial["plates"]):
            steps = each.get("steps", [])
            each["history"] = texts.in_words(steps)
        for cycle in trial["cycles"]:
            cycle["reason"] = "; ".join(filter(None, texts.in_words(cycle.get("reasons", []))))
        if not rules.body:
            trial["foot_outline_mm"] = trial["residuals"] = {}
    if not rules.body:
        summary["plates"] = None
    notes, left = kept_notes(given.get("clinic") or {}, rules.keep, texts.moved)
    if notes:
        summary["clinic"] = notes
    return summary, left


def _subject(given: Mapping[str, Any], texts: ReleasedTexts, rules: ReleaseRules) -> dict[str, Any]:
    kept = (*SUBJECT_KEPT, *OF_BODY, "marker_diameter_m", "foot_flat") if rules.body else SUBJECT_KEPT
    known = {key.path.split(".")[1] for key in DOCUMENTS[0].keys if key.path.startswith("subject.")}
    subject: dict[str, Any] = {key: texts.of_value(given[key], key) if key in kept else None for key in given if key in known}
    if not rules.body:
        subject |= {
            key: round(round(subject[key] / step) * step, 2) for key, step in ROUNDED_TO.items() if subject.get(key) is not None
        }
        subject |= {key: {} for key in OF_BODY if key in given}
    day = str(given.get("session_date") or "")
    return subject | {"code": texts.names.code, "session_date": texts.of(day) or None, "sources": {}}


def _calibration(given: Mapping[str, Any], texts: ReleasedTexts) -> dict[str, Any]:
    made: dict[str, Any] = texts.of_value(given)
    if texts.body:
        return made
    return {key: value for key, value in made.items() if value is None or isinstance(value, str | bool)} | {
        "schema": given["schema"], "sides": {}
    }  # fmt: skip


def _manifest(tables: Tables, texts: ReleasedTexts, rules: ReleaseRules) -> dict[str, Any]:
    given = tables.manifest
    hashes = InputHashes(texts.names.code, rules.secret, every=True)
    recordings = {path: str(entry) for path, entry in given.get("inputs", {}).items() if not may_be_guessed(path)}
    return {
        **{key: given[key] for key in ("schema", "version", "python") if key in given},
        "command": "biomech-id release",
        "recipe": texts.of_value(given.get("recipe", {})),
        "inputs": {
            texts.names.exact[path]: hashes.entry(path, sha256) if len(sha256) == _SHA256_DIGITS else UNVERIFIED
            for path, sha256 in sorted(recordings.items(), key=lambda each: texts.names.exact[each[0]])
        },
        "coded": True,
        "released": True,
        "dependencies": {name: version for name, version in given.get("dependencies", {}).items() if all_vetted(name)},
        "outputs": {},
    }


def _norm(tables: Tables, texts: ReleasedTexts) -> Table | None:
    """A norm without its contributors, and none of fewer people than `LEAST_NORM`."""
    norm = tables.norm
    if norm is None:
        return None
    curves = norm[~norm["variable"].astype(str).str.startswith(CONTRIBUTOR) & (norm["n"] >= LEAST_NORM)]
    if curves.empty:
        return None
    blank = {name: "" for name in ("contributors", "source", "name", "version", "date") if name in curves}
    return texts.of_table(curves.assign(**blank), _OWN)


def _examination(table: Table | None) -> Table | None:
    return None if table is None else table.assign(**{name: "" for name in ("examiner", "raw", "source") if name in table})


def _frames(frames: Table, rules: ReleaseRules) -> Table:
    columns = [name for name in frames.columns if all_vetted(name.split(".")[0])]
    if not rules.body:
        kept = {"frame", "time", *(name for name, _ in frame_columns())}
        columns = [name for name in columns if name in kept or name.endswith(KINETICS_VALID)]
    return frames[columns]


def kept_values(one: Released) -> tuple[tuple[str, str], ...]:
    """Return what is kept of a person in numbers and words, by which others can be told apart.

    Parameters
    ----------
    one : Released
        A session as it is released.

    Returns
    -------
    tuple[tuple[str, str], ...]
        (what, value): age, sex, sizes, aids, footwear, notes and examinations that are kept.
    """
    summary = one.tables.summary
    values: dict[str, Any] = {key: summary["subject"].get(key) for key in (*SUBJECT_KEPT, *OF_BODY)}
    values |= {key: sorted({str(trial.get(key) or "") for trial in summary["trials"]}) for key in ("aid", "footwear")}
    values |= {
        f"{section} {key}".strip(): text for section, notes in (summary["clinic"] or {}).items() for key, text in notes.items()
    }
    if one.tables.examination is not None:
        values["examination"] = one.tables.examination.to_csv(index=False)
    return tuple((key, str(value)) for key, value in values.items() if value not in (None, {}, []))


def k_of(kept: Mapping[str, Collection[object]]) -> dict[str, int]:
    """Return for each person how many of a release cannot be told apart by what is kept, the person among them.

    Parameters
    ----------
    kept : Mapping[str, Collection[object]]
        Code -> what is kept of each of the person's sessions, with its day after the first one.

    Returns
    -------
    dict[str, int]
        Code -> k; 1 for who stands alone.

    Examples
    --------
    >>> from biomech_id.privacy.release import k_of
    >>> k_of({"a": ["7 y, 25 kg"], "b": ["7 y, 25 kg"], "c": ["7 y, 25 kg", "8 y, 25 kg"]})
    {'a': 2, 'b': 2, 'c': 1}
    """
    alike = {code: tuple(sorted(map(str, sessions))) for code, sessions in kept.items()}
    counts = list(alike.values())
    return {code: counts.count(each) for code, each in alike.items()}
