"""A laboratory's plates over its sessions: what all steps together say, when a plate changed its place, and what a recipe may do.

The log is one fit to the steps of all sessions (`plates.place`), in which nobody knows how foot markers are placed: what both
walking directions and both feet on a plate leave is the plates' own. A correction is proposed for typical walkers only, from
`LEAST_SESSIONS` people on, where it is told apart from the markers and the plate did not change its place in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import Finding, MissingInputError
from biomech_id.files.json_text import read_json
from biomech_id.judgement.session_plates import IN_MM, LEAST, PLATE_NUMBERS, places_of
from biomech_id.plates.place import BEYOND_SD, LIKE_NOBODY, Population, fit_plates
from biomech_id.plates.records import LEAST_STEPS, read_population, step_from, write_population
from biomech_id.plates.steps import PlateStep
from biomech_id.values import dataclass

#: People whose steps a proposal needs.
LEAST_SESSIONS = 10
#: Smaller corrections (m, m, rad) are not worth making: as much is left between two ways of estimating them. None is proposed that
#: is not known to as much.
LEAST_WORTH = np.array([0.005, 0.005, np.radians(1.0)])
#: Reasons of steps that typical walkers do not make.
UNTYPICAL = ("plate-no-heel-landing", "plate-step-untypical")
#: So many of so many successive sessions off the log's mean the same way are a change of the plate.
CHANGED, OF_SUCCESSIVE = 2, 3


@dataclass(frozen=True, eq=False)
class LoggedSession:
    """What one session of a study says of the plates.

    Attributes
    ----------
    name : str
        Its folder, relative to the study's.
    person : str
        Code of the subject.
    date : str
        ISO date of the session; empty where nobody recorded it.
    steps : tuple[PlateStep, ...]
        Its steps that tell where plates stand.
    typical : bool
        Whether no step of it was refused as no typical walker's.
    """

    name: str
    person: str
    date: str
    steps: tuple[PlateStep, ...]
    typical: bool


@dataclass(frozen=True, eq=False)
class PlateLog:
    """One plate over the sessions of a study; "elsewhere" is the truth less the file.

    Attributes
    ----------
    plate : str
        Name of the plate in the files.
    sessions : tuple[str, ...]
        Names of the n sessions with a typical step on it, in order of time.
    dates : tuple[str, ...]
        Their ISO dates; empty where nobody recorded one.
    people : int
        Number of people behind them.
    steps : int
        Number of steps of all sessions together.
    of_sessions : FloatArray
        (n, 3), what each session alone says: m, m, rad.
    of_sessions_sd : FloatArray
        (n, 3), its standard deviation.
    elsewhere : FloatArray
        (3,), what all say together, foot markers left free.
    sd : FloatArray
        (3,), its standard deviation.
    """

    plate: str
    sessions: tuple[str, ...]
    dates: tuple[str, ...]
    people: int
    steps: int
    of_sessions: FloatArray
    of_sessions_sd: FloatArray
    elsewhere: FloatArray
    sd: FloatArray

    @property
    def middle(self) -> FloatArray:
        """(3,), median over the sessions: the centre line of the chart."""
        return np.asarray(np.median(self.of_sessions, axis=0))

    @property
    def off(self) -> BoolArray:
        """(n, 3), where a session lies off the centre line by more than it can err, and by ``LEAST``."""
        return np.asarray(np.abs(self.of_sessions - self.middle) > self.limits)

    @property
    def limits(self) -> FloatArray:
        """(n, 3), by how much a session may lie off the centre line."""
        return np.asarray(np.maximum(LEAST, BEYOND_SD * self.of_sessions_sd))

    @property
    def changed(self) -> tuple[str, ...]:
        """Sessions in which, with one shortly before, the plate stands elsewhere than in the log, the same way."""
        away = np.where(self.off, np.sign(self.of_sessions - self.middle), 0.0)
        names = []
        for at in range(1, len(away)):
            recent = away[max(0, at - OF_SUCCESSIVE + 1) : at + 1]
            if any(((recent == way).sum(axis=0) >= CHANGED)[recent[-1] == way].any() for way in (-1.0, 1.0)):
                names.append(self.sessions[at])
        return tuple(names)

    @property
    def told_apart(self) -> tuple[str, ...]:
        """Of x, y and turn those that are the plate's own and not the foot markers'."""
        return tuple(np.array(PLATE_NUMBERS)[BEYOND_SD * self.sd <= LEAST_WORTH].tolist())

    @property
    def beyond(self) -> tuple[str, ...]:
        """Of x, y and turn those that differ from nothing, and are worth a correction."""
        return tuple(np.array(PLATE_NUMBERS)[np.abs(self.elsewhere) > np.maximum(LEAST_WORTH, BEYOND_SD * self.sd)].tolist())

    @property
    def proposal(self) -> dict[str, Any]:
        """A table of the recipe's ``plate_places``; empty where nothing is proposed."""
        names = [name for name in self.beyond if name in self.told_apart]
        if self.people < LEAST_SESSIONS or self.changed or not names or not self.plate.startswith("plate "):
            return {}
        keys = dict(zip(PLATE_NUMBERS, ("x_mm", "y_mm", "turn_deg"), strict=True))
        by = dict(zip(PLATE_NUMBERS, (self.elsewhere * IN_MM).tolist(), strict=True))
        return {"plate": int(self.plate.removeprefix("plate ")), **{keys[name]: round(by[name], 1) for name in names}}


def read_log(study: Path) -> tuple[LoggedSession, ...]:
    """Read what every session below a folder says of its plates, in order of time.

    Parameters
    ----------
    study : Path
        What ``batch`` wrote, or a folder of what ``run`` wrote.

    Raises
    ------
    MissingInputError
        No session below it has a step that tells.
    """
    sessions = []
    for path in sorted(study.rglob("summary.json")):
        summary = read_json(path)
        plates = summary.get("plates")
        if plates and plates["steps"]:
            name = path.parent.relative_to(study).as_posix()
            code, date = (summary["subject"].get(key) or "" for key in ("code", "session_date"))
            steps = tuple(map(step_from, plates["steps"]))
            typical = not any(silent["rule"] in UNTYPICAL for silent in plates["silent"])
            sessions.append(LoggedSession(name, code or name, date, steps, typical))
    if not sessions:
        raise MissingInputError(
            f"No session below {study} has a step that tells where its plates stand.",
            value=str(study), expected="results of batch with straight walks over force plates", where=str(study),
        )  # fmt: skip
    return tuple(sorted(sessions, key=lambda session: (session.date, session.name)))


def plate_logs(sessions: Sequence[LoggedSession], population: Population | None = None) -> tuple[PlateLog, ...]:
    """Return every plate over the sessions of typical walkers, by one fit to all their steps.

    Parameters
    ----------
    sessions : Sequence[LoggedSession]
        In order of time.
    population : Population | None, optional
        How typical walkers press; None for the one that ships.
    """
    typical = population or read_population()
    used = [session for session in sessions if session.typical]
    rows = [(session, step) for session in used for step in session.steps]
    fit = fit_plates([step for _, step in rows], typical, LIKE_NOBODY, [session.person for session, _ in rows])
    alone = {session.name: {p.plate: p for p in places_of(fit_plates(session.steps, typical))} for session in used}
    logs = []
    for at, plate in enumerate(fit.plates):
        seen = [session for session in used if plate in alone[session.name]]
        places = [alone[session.name][plate] for session in seen]
        people = len({session.person for session in seen})
        logs.append(PlateLog(
            plate, tuple(s.name for s in seen), tuple(s.date for s in seen), people, sum(place.steps for place in places),
            np.array([place.elsewhere for place in places]), np.array([place.sd for place in places]),
            fit.elsewhere[at], fit.sd[at],
        ))  # fmt: skip
    return tuple(logs)


def log_findings(logs: Sequence[PlateLog]) -> list[Finding]:
    """What the log says of each plate: that it changed its place, a correction, or why there is none.

    Parameters
    ----------
    logs : Sequence[PlateLog]
        The log of every plate of the study.
    """
    findings = []
    for log in logs:
        numbers = dict(zip(("x_mm", "y_mm", "turn_deg"), (log.elsewhere * IN_MM).tolist(), strict=True))
        sds = dict(zip(("sd_x_mm", "sd_y_mm", "sd_turn_deg"), (log.sd * IN_MM).tolist(), strict=True))
        values = {"plate": log.plate, "people": log.people, "steps": log.steps, **numbers, **sds}
        if log.changed:
            findings.append(Finding("plate-log-changed", {**values, "sessions": log.changed}, log.plate))
        elif log.proposal:
            of = tuple(name for name in log.beyond if name in log.told_apart)
            findings.append(Finding("plate-log-proposal", {**values, "of": of}, log.plate))
        elif log.people < LEAST_SESSIONS:
            findings.append(Finding("plate-log-short", {**values, "least": LEAST_SESSIONS}, log.plate))
        else:
            mixed = tuple(name for name in log.beyond if name not in log.told_apart)
            findings.append(Finding("plate-log-stands", {**values, "not_apart": mixed}, log.plate))
    return findings


def own_population(sessions: Sequence[LoggedSession], path: Path) -> Path:
    """Write the steps of a laboratory's typical walkers as a population, and return the file.

    Parameters
    ----------
    sessions : Sequence[LoggedSession]
        Of people without a gait disorder, on plates that were surveyed.
    path : Path
        JSON file to write; an existing one is replaced.

    Raises
    ------
    MissingInputError
        Fewer steps than a population needs.
    """
    steps = [("own", session.person, step) for session in sessions if session.typical for step in session.steps]
    if len(steps) < LEAST_STEPS:
        raise MissingInputError(
            f"{len(steps)} steps of typical walkers are too few for a population.",
            value=len(steps), expected=f"at least {LEAST_STEPS} steps", where=str(path),
        )  # fmt: skip
    people = len({person for _, person, _ in steps})
    write_population(path, f"{len(steps)} steps of {people} people of one laboratory", steps)
    return path
