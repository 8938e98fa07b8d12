"""A laboratory's memory: past results as charts, and the same person's other sessions.

What one session takes from it (`Memory`) is small, holds no name and no date of anybody else, and stands in the session's manifest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MM_PER_M, SCHEMA
from biomech_id.errors import FileRefusedError, Finding, MissingInputError
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import read_json
from biomech_id.files.unfinished import is_unfinished
from biomech_id.judgement.laboratory.charts import CHART_ARRAYS, FILLING, LIMIT, Charted, Charts, chart_session
from biomech_id.judgement.laboratory.left_behind import PLACED
from biomech_id.judgement.laboratory.values import CHARTS, ChartKey, SessionValues, session_values
from biomech_id.languages import Sentence
from biomech_id.values import dataclass, replace

#: Sessions from which on an examiner's spread is known well enough; before, the laboratory's is printed.
EXAMINER_SESSIONS = 8
#: Bones have their length from this age on (years).
GROWN_YEARS = 20.0
#: How far two measurements of one length may lie apart, m: 1.96 SD of a difference; a leg is measured to 5 mm, a width to 2 mm.
APART_M = {"leg_length_m": 0.014, "knee_width_m": 0.0055, "ankle_width_m": 0.0055, "height_m": 0.02}
#: Children grow by this much in a year at most, m.
GROWS_M_YEAR = {"leg_length_m": 0.06, "knee_width_m": 0.01, "ankle_width_m": 0.01, "height_m": 0.12}
#: Plates of one name whose middles lie further apart than this in x or y, mm, are two plates.
ELSEWHERE_MM = 100.0
_DAYS_A_YEAR = 365.25


@dataclass(frozen=True, eq=False)
class ChartedLab:
    """All charts over the sessions of a laboratory.

    Attributes
    ----------
    sessions : tuple[SessionValues, ...]
        The n sessions in order of time.
    keys : tuple[ChartKey, ...]
        (m,), what each column of the arrays charts.
    values, sd : FloatArray
        (n, m), each in the unit of its chart; NaN where a session says nothing.
    charted : tuple[Charted, ...]
        What each session was on the charts before it was taken in.
    before : tuple[Charts, ...]
        The charts before each session.
    after : Charts
        The charts after all of them.
    unread, elsewhere : tuple[str, ...], optional
        Folders of results that cannot be read, and of sessions whose plates stand elsewhere: neither is on a chart.
    """

    sessions: tuple[SessionValues, ...]
    keys: tuple[ChartKey, ...]
    values: FloatArray
    sd: FloatArray
    charted: tuple[Charted, ...]
    before: tuple[Charts, ...]
    after: Charts
    unread: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def mean(self) -> FloatArray:
        """(n, m), of the sessions before each; NaN where a chart had none."""
        return np.array([np.where(charts.count > 0, charts.mean, np.nan) for charts in self.before]).reshape(self.values.shape)

    @property
    def deviation_sd(self) -> FloatArray:
        """(n, m), by how much a session may differ from that mean, one standard deviation; NaN where a chart had none."""
        rows = [np.where(c.count > 0, c.deviation_sd(sd), np.nan) for c, sd in zip(self.before, self.sd, strict=True)]
        return np.array(rows).reshape(self.values.shape)

    @property
    def sums(self) -> FloatArray:
        """(n, 2, m), cumulative sums upwards and downwards with each session, standard deviations."""
        return np.array([charted.sums for charted in self.charted]).reshape(len(self.sessions), 2, len(self.keys))

    def alarms(self) -> Iterator[tuple[int, ChartKey, float, int]]:
        """Yield every alarm: place of the session, chart, size in its unit, sessions behind it."""
        for at, charted in enumerate(self.charted):
            for column in np.flatnonzero(charted.alarm):
                yield at, self.keys[column], float(charted.size[column]), int(charted.sessions[column])


@dataclass(frozen=True, eq=False)
class Memory:
    """What one session takes from a laboratory's memory.

    Attributes
    ----------
    sessions : tuple[str, ...]
        SHA-256 of the ``summary.json`` of every session behind it.
    keys : tuple[ChartKey, ...]
        (m,), what each value of the arrays charts.
    charts : Charts
        Of shape (m,), before the session.
    not_usable : Mapping[str, tuple[int, int]]
        Plate -> past sessions that could not use it, and those that say anything of it.
    person : tuple[SessionValues, ...]
        Other sessions of the same person, of which sizes, age, date and treatments alone are kept.
    unread : int
        Results that could not be read.
    elsewhere : int
        Sessions left out because their plates stand elsewhere.
    """

    sessions: tuple[str, ...]
    keys: tuple[ChartKey, ...]
    charts: Charts
    not_usable: Mapping[str, tuple[int, int]]
    person: tuple[SessionValues, ...]
    unread: int = 0
    elsewhere: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as the manifest holds it."""
        charts = [
            {"chart": quantity, "of": of, **{name: getattr(self.charts, name)[..., at].tolist() for name in CHART_ARRAYS}}
            for at, (quantity, of) in enumerate(self.keys)
        ]
        not_usable = [{"plate": plate, "not_usable": n, "sessions": of} for plate, (n, of) in self.not_usable.items()]
        person = [
            {"date": one.date, "age_years": one.age_years, "treated": list(one.treated), "sizes_m": dict(one.sizes_m)}
            for one in self.person
        ]
        left_out = {"unread": self.unread, "elsewhere": self.elsewhere}
        return {"sessions": list(self.sessions), "charts": charts, "plates": not_usable, "person": person, **left_out}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Memory:
        """Return what `to_dict` made.

        Parameters
        ----------
        given : Mapping[str, Any]
            As of a manifest.
        """
        rows = given["charts"]
        charts = Charts(*(np.array([row[name] for row in rows]).T for name in CHART_ARRAYS)) if rows else Charts.empty((0,))
        person = (
            SessionValues(
                "", "", "", one["date"], {}, {}, (), {}, "", dict(one["sizes_m"]), one["age_years"], tuple(one["treated"])
            )
            for one in given["person"]
        )
        not_usable = {row["plate"]: (int(row["not_usable"]), int(row["sessions"])) for row in given["plates"]}
        keys = tuple((row["chart"], row["of"]) for row in rows)
        left_out = (int(given.get(name, 0)) for name in ("unread", "elsewhere"))
        return cls(tuple(given["sessions"]), keys, charts, not_usable, tuple(person), *left_out)


#: What a ``summary.json`` or ``manifest.json`` that is none of a session ends in: one result stops no other, whoever wrote it.
_NO_SESSION = (FileRefusedError, LookupError, TypeError, ValueError, AttributeError)


def read_sessions(folder: Path) -> tuple[tuple[SessionValues, ...], tuple[str, ...]]:
    """Read what every session below a folder is on the charts, in order of time.

    Parameters
    ----------
    folder : Path
        Folders of what ``run`` wrote, however deep; without a date they are in order of name. Unfinished ones are none.

    Returns
    -------
    sessions : tuple[SessionValues, ...]
        All that could be read.
    unread : tuple[str, ...]
        Folders whose ``summary.json`` or ``manifest.json`` is none of a session, or cannot be read; relative to ``folder``.

    Raises
    ------
    MissingInputError
        There is no such folder.
    """
    if not folder.is_dir():
        raise MissingInputError.at(folder, f"{folder} is no folder of past results.", "a folder of what run or batch wrote")
    sessions, unread = [], []
    for path in sorted(folder.rglob("summary.json")):
        within = path.parent.relative_to(folder)
        if any(map(is_unfinished, within.parts)) or (within.parts and _is_kept_beside(path.parent)):
            continue
        name = within.as_posix() if within.parts else path.absolute().parent.name
        manifest = path.with_name("manifest.json")
        try:
            inputs = read_json(manifest).get("inputs", {}) if manifest.exists() else {}
            sessions.append(session_values(read_json(path), name, sha256_of(path), inputs))
        except _NO_SESSION:
            unread.append(name)
    return tuple(sorted(sessions, key=lambda session: (session.date, session.name))), tuple(unread)


def _is_kept_beside(folder: Path) -> bool:
    """Whether results are a desk's older ones, ones under way, a signed copy or an export: the session is told by those beside."""
    exported = folder.parent.name == "export" and (folder.parent.parent / "results").is_dir()
    return exported or folder.name in ("results.before", "results.next") or (folder.parent / "signatures.toml").is_file()


def one_laboratory(sessions: Sequence[SessionValues], own: SessionValues | None = None) -> tuple[SessionValues, ...]:
    """Return the sessions whose plates stand where those of one session do; those without plates belong to every laboratory.

    Parameters
    ----------
    sessions : Sequence[SessionValues]
        In order of time.
    own : SessionValues | None, optional
        The one session; None for the one of those with plates that has the most others beside it, the later of equals.
    """
    centres = [own] if own else [one for one in reversed(sessions) if one.plate_middles_mm]
    beside = [tuple(each for each in sessions if _side_by_side(each, one)) for one in centres]
    return max(beside, key=len, default=tuple(sessions))


def _side_by_side(one: SessionValues, other: SessionValues) -> bool:
    """Whether half the plates of the same name stand at the same place in both; true where they share none."""
    shared = one.plate_middles_mm.keys() & other.plate_middles_mm.keys()
    far = [np.abs(np.subtract(one.plate_middles_mm[p], other.plate_middles_mm[p])).max() > ELSEWHERE_MM for p in shared]
    return bool(2 * sum(far) <= len(far))


def read_lab(folder: Path) -> ChartedLab:
    """Read the results below a folder, and return the charts over those of one laboratory.

    Parameters
    ----------
    folder : Path
        Folder with the laboratory's results, as of `read_sessions`.

    Raises
    ------
    MissingInputError
        There is no such folder, or no result in it that can be read.
    """
    sessions, unread = read_sessions(folder)
    if not sessions:
        readable = " that can be read" * bool(unread)
        words = f"{folder} holds no results of run or batch{readable}; name the folder that they were written to."
        raise MissingInputError.at(folder, words, "a folder of what run or batch wrote")
    own = one_laboratory(sessions)
    elsewhere = tuple(session.name for session in sessions if session not in own)
    return replace(charted_lab(own), unread=unread, elsewhere=elsewhere)


def charted_lab(sessions: Sequence[SessionValues]) -> ChartedLab:
    """Return all charts over the sessions of a laboratory.

    Parameters
    ----------
    sessions : Sequence[SessionValues]
        In order of time.
    """
    order = {quantity: at for at, quantity in enumerate(CHARTS)}
    keys = tuple(sorted({key for session in sessions for key in session.values}, key=lambda key: (key[1], order[key[0]])))
    rows = [_row(keys, session) for session in sessions]
    charts, before, every = Charts.empty((len(keys),)), [], []
    for values, sd in rows:
        before.append(charts)
        charts, charted = chart_session(charts, values, sd)
        every.append(charted)
    table = np.array(rows).reshape(len(rows), 2, len(keys))
    return ChartedLab(tuple(sessions), keys, table[:, 0], table[:, 1], tuple(every), tuple(before), charts)


def _row(keys: Sequence[ChartKey], session: SessionValues) -> tuple[FloatArray, FloatArray]:
    pairs = np.array([session.values.get(key, (np.nan, 1.0)) for key in keys]).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def placement_spread(sessions: Sequence[SessionValues]) -> tuple[dict[str, Any], ...]:
    """Return how far placements of markers lie apart, by examiner.

    Parameters
    ----------
    sessions : Sequence[SessionValues]
        All of one laboratory, in any order.

    Returns
    -------
    tuple[dict[str, Any], ...]
        One for each examiner, all of the laboratory first, under "": ``sessions``, ``of`` (whose spread it is: the laboratory's
        below 8 sessions) and ``sd``, residual -> standard deviation over people and legs, in the units of ``spread.csv``.
    """
    every = {"": list(sessions)}
    for session in sessions:
        if session.examiner:
            every.setdefault(session.examiner, []).append(session)
    rows = []
    for examiner, own in every.items():
        of = examiner if len(own) >= EXAMINER_SESSIONS else ""
        legs = {name: [leg for session in every[of] for leg in session.placement.get(name, ())] for name in PLACED}
        sd = {name: float(np.std(values, ddof=1)) for name, values in legs.items() if len(values) > 1}
        rows.append({"examiner": examiner, "sessions": len(own), "of": of, "sd": sd})
    return tuple(rows)


def lab_document(lab: ChartedLab) -> dict[str, Any]:
    """Return the charts as ``biomech-id lab --json`` writes them: one list over the sessions for every number of a chart.

    Parameters
    ----------
    lab : ChartedLab
        All charts.
    """
    numbers = {
        "value": lab.values, "sd": np.where(np.isfinite(lab.values), lab.sd, np.nan),
        "mean": lab.mean, "deviation_sd": lab.deviation_sd, "up": lab.sums[:, 0], "down": lab.sums[:, 1],
    }  # fmt: skip
    charts = [
        {
            "chart": quantity, "of": of, "unit": CHARTS[quantity].unit, "limit": LIMIT,
            **{name: [float(x) if np.isfinite(x) else None for x in table[:, at]] for name, table in numbers.items()},
            "alarms": [
                {"session": lab.sessions[place].name, "size": size, "sessions": n}
                for place, key, size, n in lab.alarms() if key == (quantity, of)
            ],
        }
        for at, (quantity, of) in enumerate(lab.keys)
    ]  # fmt: skip
    sessions = [
        {
            "name": one.name,
            "person": one.person,
            "date": one.date,
            "not_usable": {p: list(trials) for p, trials in one.not_usable.items()},
        }
        for one in lab.sessions
    ]
    return {
        "schema": SCHEMA, "sessions": sessions, "charts": charts, "placement": list(placement_spread(lab.sessions)),
        "findings": [
            {**each.to_dict(), "severity": str(each.severity), "message": each.message} for each in lab_findings(lab)
        ],
    }  # fmt: skip


def remembered(sessions: Iterable[SessionValues], own: SessionValues, unread: int = 0) -> Memory:
    """Return what a session takes from a laboratory's memory: what was known before it, without itself.

    Parameters
    ----------
    sessions : Iterable[SessionValues]
        As of `read_sessions`.
    own : SessionValues
        The session; results of the same recordings are no past, and neither are later days and sessions of other plates.
    unread : int, optional
        Number of results that could not be read.
    """
    every = [each for each in sessions if not each.inputs & own.inputs and not (own.date and each.date > own.date)]
    past = one_laboratory(every, own)
    lab = charted_lab(past)
    loaded = Counter(plate for session in past for plate in session.plates)
    refused = Counter(plate for session in past for plate in session.not_usable)
    person = tuple(session for session in past if own.person and session.person == own.person)
    not_usable = {plate: (refused[plate], loaded[plate]) for plate in sorted(loaded)}
    hashes = tuple(session.sha256 for session in past)
    return Memory(hashes, lab.keys, lab.after, not_usable, person, unread, len(every) - len(past))


def memory_findings(memory: Memory, own: SessionValues) -> Iterator[Finding]:
    """Yield what a laboratory's memory says of a session.

    Parameters
    ----------
    memory : Memory
        What was known before it.
    own : SessionValues
        The session.
    """
    n = len(memory.sessions)
    charts = int((memory.charts.count >= FILLING).sum())
    yield Finding("lab-remembers", {"sessions": n, "charts": charts, "filling": FILLING})
    yield from _left_out({"lab-unread": memory.unread, "lab-elsewhere": memory.elsewhere}, {})
    for plate, trials in own.not_usable.items():
        before, of = memory.not_usable.get(plate, (0, 0))
        yield Finding("lab-plate-not-usable", {"plate": plate, "trials": trials, "before": before, "sessions": of}, plate)
    _, charted = chart_session(memory.charts, *_row(memory.keys, own))
    for at in np.flatnonzero(charted.alarm):
        yield _changed(memory.keys[at], float(charted.size[at]), int(charted.sessions[at]), "")
    yield from _bones(memory.person, own)


def lab_findings(lab: ChartedLab) -> Iterator[Finding]:
    """Yield what the charts say of a laboratory: every change, and plates that some sessions cannot use.

    Parameters
    ----------
    lab : ChartedLab
        All charts.
    """
    folders = {"lab-unread": lab.unread, "lab-elsewhere": lab.elsewhere}
    yield from _left_out({rule: len(names) for rule, names in folders.items()}, folders)
    for at, key, size, sessions in lab.alarms():
        yield _changed(key, size, sessions, lab.sessions[at].name)
    plates = Counter(plate for session in lab.sessions for plate in session.plates)
    for plate in sorted(plates):
        names = tuple(session.name for session in lab.sessions if plate in session.not_usable)
        if names:
            yield Finding(
                "lab-plate-comes-and-goes",
                {"plate": plate, "unusable": len(names), "names": names, "sessions": plates[plate]},
                plate,
            )


def _left_out(counts: Mapping[str, int], names: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Results that no chart counts, by rule; a session's own finding names nobody else's folder."""
    yield from (Finding(rule, {"results": n, "names": tuple(names.get(rule, ()))}) for rule, n in counts.items() if n)


def _changed(key: ChartKey, size: float, sessions: int, session: str) -> Finding:
    quantity, of = key
    values = {"chart": quantity, "of": of, "size": size, "unit": CHARTS[quantity].unit, "sessions": sessions, "session": session}
    return Finding("lab-changed", values, of)


def _bones(person: Sequence[SessionValues], own: SessionValues) -> Iterator[Finding]:
    """Lengths that no bone changes by: against the last session that no treatment has followed."""
    treated = [day for one in (*person, own) for day in one.treated]
    last = next((one for one in reversed(person) if not _treated_since(one, treated)), None)
    if last is None:
        return
    grown = last.age_years is not None and last.age_years >= GROWN_YEARS
    years = _years(last.date, own.date)
    differ = []
    for name, size_m in own.sizes_m.items():
        was_m, kind = last.sizes_m.get(name), name.split()[0]
        if was_m is None:
            continue
        grows_m = 0.0 if grown or last.age_years is None else GROWS_M_YEAR[kind] * years
        if size_m < was_m - APART_M[kind] or (last.age_years is not None and size_m > was_m + grows_m + APART_M[kind]):
            side = name.removeprefix(kind).strip()
            values = {"size": kind.removesuffix("_m"), "side": side, "was_mm": MM_PER_M * was_m, "now_mm": MM_PER_M * size_m}
            differ.append(Sentence("lab-bone", values))
    if differ:
        yield Finding("lab-bones-differ", {"differ": tuple(differ), "date": last.date, "grown": grown})


def _treated_since(one: SessionValues, treated: Sequence[str]) -> bool:
    """Whether a treatment followed a session, or may have: which treatments cut bones is not read from words."""
    return any(not day or day >= one.date for day in treated)


def _years(earlier: str, later: str) -> float:
    """Years between two days; a long time where one is unknown, so that nothing is called too fast."""
    if not earlier or not later:
        return _DAYS_A_YEAR
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days / _DAYS_A_YEAR
