"""Whether steps tell where a plate stands: every recorded walk as it is, and with its plates moved or turned.

``python -m benchmarks.studies.plate_places [FOLDER]`` analyses every session of the children and of the norm's subjects beside the
project (``../shared``, or ``BIOMECH_ID_SHARED``) as it is and with all its plates moved by 20 and 30 mm either way along either
axis and turned by 8 degrees either way: the corners of the recordings in memory, then the whole program. Who is judged is no part
of the population that judges. With ``--population`` it first builds that population anew from the same recordings, walks and turns
(``biomech_id/plates/plate_population.json``). Nothing is random. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import biomech_id as bid
from biomech_id import __version__
from biomech_id.feet.feet import find_feet
from biomech_id.feet.movements import TrialKind
from biomech_id.judgement.session_plates import tell_plates
from biomech_id.plates.records import POPULATION_FILE, read_population, write_population
from biomech_id.plates.steps import PlateStep, told_by_steps
from biomech_id.trial import Trial

TABLE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("c3d/children", "c3d/norm_subjects")
SOURCE = (
    "children: six healthy children of one laboratory, two plates, walks and turns (HC002D ... HC036A); norm_subjects: eight "
    "healthy children and adolescents of another, four plates, both directions (NP1002 ... NP1027); ../shared/c3d"
)
#: By what the file's plates are moved: mm, mm, degrees.
MOVES: dict[str, tuple[float, float, float]] = {
    "as recorded": (0, 0, 0),
    "+20 mm x": (20, 0, 0), "-20 mm x": (-20, 0, 0), "+20 mm y": (0, 20, 0), "-20 mm y": (0, -20, 0),
    "+30 mm x": (30, 0, 0), "-30 mm x": (-30, 0, 0), "+30 mm y": (0, 30, 0), "-30 mm y": (0, -30, 0),
    "+8 degrees": (0, 0, 8), "-8 degrees": (0, 0, -8),
}  # fmt: skip
WITHIN = np.array([10.0, 10.0, 4.0])
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Session:
    """One session with its plates moved: where its steps put them less where they were put, mm and degrees, and what was said.

    ``open`` are plates of which the steps cannot tell whether plate or person is beside.
    """

    folder: str
    person: str
    move: str
    error: Array
    beyond: tuple[str, ...]
    open: tuple[str, ...] = ()


def people(shared: Path, folders: Sequence[str] = FOLDERS) -> Iterator[tuple[str, Path]]:
    """Name of a folder of sessions, and each session in it."""
    for folder in folders:
        yield from ((Path(folder).name, path) for path in sorted((shared / folder).iterdir()))


def trials_of(folder: Path) -> list[Trial]:
    """Every recording of a session."""
    return [bid.read_c3d(path) for path in sorted(folder.glob("*.c3d"))]


def moved(trial: Trial, move: tuple[float, float, float]) -> Trial:
    """A recording whose file puts every plate elsewhere: mm, mm, degrees."""
    x_mm, y_mm, turn_deg = move
    return replace(trial, plates=tuple(p.moved(1e-3 * x_mm, 1e-3 * y_mm, float(np.radians(turn_deg))) for p in trial.plates))


def sessions(
    shared: Path, moves: Sequence[str] = tuple(MOVES), folders: Sequence[str] = FOLDERS, persons: Sequence[str] = ()
) -> Iterator[Session]:
    """Every session with its plates moved in every way, those with a verdict; turns, which have none, are analysed once."""
    for folder, path in people(shared, folders):
        if persons and path.name not in persons:
            continue
        trials, typical = trials_of(path), read_population(without=path.name)
        for name in ("as recorded", *(move for move in moves if move != "as recorded")):
            results = bid.analyse([moved(trial, MOVES[name]) for trial in trials], uncertainty=False, budget=False).computed.trials
            turns = {result.name for result in results if result.kind is not TrialKind.STRAIGHT}
            trials = [trial for trial in trials if trial.name not in turns]
            said = tell_plates(results, typical)
            if said is not None and said.places:
                found = np.array([place.elsewhere for place in said.places]) * [1e3, 1e3, np.degrees(1.0)]
                beyond = tuple(f"{place.plate}: {' '.join(place.beyond)}" for place in said.places if place.beyond)
                unsure = tuple(f"{place.plate}: {' '.join(place.plate_or_habit)}" for place in said.places if place.plate_or_habit)
                yield Session(folder, path.name, name, found + MOVES[name], beyond, unsure)


def population(shared: Path) -> Iterator[tuple[str, str, PlateStep]]:
    """Laboratory, person and step of every walk and turn."""
    for folder, path in people(shared):
        trials = {trial.name: trial for trial in trials_of(path)}
        session = bid.analyse(list(trials.values()), uncertainty=False, budget=False).computed
        for result in session.trials:
            feet = find_feet(trials[result.name], result.motion, body_mass_kg=result.mass_kg)
            travel = feet.travel
            if travel.kind is TrialKind.TURN:
                travel = replace(travel, kind=TrialKind.STRAIGHT)
            whole = None if result.whole_body is None else (result.whole_body.momentum, result.contacts)
            stances = result.assignment.stances if result.assignment else ()
            steps, _ = told_by_steps(result.name, feet.landmarks, travel, stances, result.plates, whole=whole)
            yield from ((folder, path.name, step) for step in steps)


def table(found: Sequence[Session]) -> str:
    """The table: each way of moving, sessions flagged and errors, for both laboratories."""
    groups = [(Path(folder).name, [each for each in found if each.folder == Path(folder).name]) for folder in FOLDERS]
    lines = ["| plates | laboratory | sessions | flagged | within 10 mm, 10 mm, 4 degrees | mean error x, y, turn | SD |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for move in MOVES:
        for folder, of_folder in groups:
            mine = [each for each in of_folder if each.move == move]
            if not mine:
                continue
            errors = np.concatenate([each.error for each in mine])
            share = ", ".join(f"{100 * value:.0f}" for value in (np.abs(errors) < WITHIN).mean(axis=0))
            mean, sd = (", ".join(f"{value:.1f}" for value in each) for each in (errors.mean(axis=0), errors.std(axis=0)))
            flagged = sum(bool(each.beyond) for each in mine)
            lines.append(f"| {move} | {folder} | {len(mine)} | {flagged} | {share} % | {mean} | {sd} |")
    alarms = [f"- {each.person}: {'; '.join(each.beyond)}" for each in found if each.move == "as recorded" and each.beyond]
    return "\n".join([*lines, "", "Flagged as recorded:", "", *(alarms or ["- none"])])


def row_of(each: Session) -> str:
    """One session's row: errors of each plate, and what was said."""
    errors = "; ".join(", ".join(f"{value:.1f}" for value in plate) for plate in each.error)
    return f"| {each.person} | {each.move} | {errors} | {'; '.join(each.beyond) or '-'} | {'; '.join(each.open) or '-'} |"


def gates(found: Sequence[Session]) -> dict[str, bool]:
    """Of the children's laboratory: what the issue asks, and whether it holds."""
    mine = [each for each in found if each.folder == "children"]
    shifted = {move: [bool(each.beyond) for each in mine if each.move == move] for move in MOVES}
    errors = np.concatenate([each.error for each in mine])
    return {
        "20 mm and 8 degrees flagged in 90 %": all(np.mean(shifted[move]) >= 0.9 for move in MOVES if move[1:3] in ("20", "8 ")),
        "30 mm always flagged": all(all(shifted[move]) for move in MOVES if move[1:3] == "30"),
        "at most one false alarm": sum(shifted["as recorded"]) <= 1,
        "within 10 mm and 4 degrees in 90 %": bool(((np.abs(errors) < WITHIN).mean(axis=0) >= 0.9).all()),
    }


def main(words: Sequence[str] = ()) -> int:
    """Write the table, and say whether every gate holds; with ``--population`` the population first."""
    named = [word for word in words if not word.startswith("-")]
    shared = Path(named[0] if named else os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (shared / FOLDERS[0]).is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    if "--population" in words:
        write_population(POPULATION_FILE, SOURCE, list(population(shared)))
        read_population.cache_clear()
    found: list[Session] = []
    for each in sessions(shared):
        found.append(each)
        if each.move == tuple(MOVES)[-1]:
            # Person by person: what is there stands in the table.
            TABLE.write_text(page(found), encoding="utf-8", newline="\n")
    said = gates(found)
    print("\n".join(f"{gate}: {holds}" for gate, holds in said.items()))
    return int(not all(said.values()))


def page(found: Sequence[Session]) -> str:
    """The page: who was judged, the table, and the gates."""
    head = (
        "# Where plates stand, by the steps on them\n\n"
        f"biomech_id {__version__}; {len({each.person for each in found})} people, each judged by the steps of the others. Error "
        "is where the steps put a plate less where it was put, one for each plate, mm, mm and degrees.\n\n"
    )
    lines = "\n".join(f"- {gate}: {'yes' if holds else 'NO'}" for gate, holds in gates(found).items())
    rows = "\n".join(
        ["| person | plates | errors of each | elsewhere | plate or person |", "|---|---|---|---|---|", *map(row_of, found)]
    )
    return f"{head}{table(found)}\n\nGates, children's laboratory:\n\n{lines}\n\nEvery session:\n\n{rows}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
