"""Plates that lose a standing foot, in recordings of three laboratories: each fault is named, and no other plate is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest
from claims import CHECKS, said_of
from claims_of_sessions import ends_in_stance, silent_under_foot
from sessions import RECIPE, SIX_DOF, Session, Sessions

from biomech_id.languages import worded
from biomech_id.session.solved import Solved

pytestmark = pytest.mark.real

RULES = {"plate-silent-under-foot": silent_under_foot, "force-ends-in-stance": ends_in_stance}
#: Folder of a session -> its options and a walk with kinetics: of a child, of an adolescent without a static trial, of an adult.
RECORDINGS: dict[str, tuple[tuple[str, ...], str]] = {
    "children/HC030A": ((), "HC030A05"),
    "norm_subjects/NP1003": (SIX_DOF, "walkNorm_NP1003a09"),
    # Nothing but the two plates of this walk tells body mass, and what copies it counts once: a faulted plate takes the mass too.
    "leardini": (("--mass", "59.4"), "trial02"),
}
#: Done to a C3D file: number of the plate from 0, first and last sample of the stance.
Fault = Callable[[ezc3d.c3d, int, int, int], None]


def exchanged(first: int, second: int) -> Fault:
    """Two channel numbers of the plate, as exchanged cables make them."""

    def change(file: ezc3d.c3d, plate: int, start: int, end: int) -> None:
        file["parameters"]["FORCE_PLATFORM"]["CHANNEL"]["value"][[first, second], plate] = channels(file, plate)[[second, first]]

    return change


def ending(share: float) -> Fault:
    """The plate's channels read zero from this share of the stance on; 0 and less: throughout."""

    def change(file: ezc3d.c3d, plate: int, start: int, end: int) -> None:
        lost = slice(round(start + share * (end - start)) if share > 0.0 else 0, None)
        file["data"]["analogs"][0, channels(file, plate) - 1, lost] = 0.0

    return change


def channels(file: ezc3d.c3d, plate: int) -> np.ndarray:
    """Numbers of a plate's channels, from 1."""
    return np.array(file["parameters"]["FORCE_PLATFORM"]["CHANNEL"]["value"])[:, plate].copy()


FAULTS: dict[str, tuple[str, Fault]] = {
    "Fx and Fz exchanged": ("plate-silent-under-foot", exchanged(0, 2)),
    "Fy and Fz exchanged": ("plate-silent-under-foot", exchanged(1, 2)),
    "dead": ("plate-silent-under-foot", ending(0.0)),
    "ends at 30 %": ("force-ends-in-stance", ending(0.3)),
    "ends at 50 %": ("force-ends-in-stance", ending(0.5)),
    "ends at 70 %": ("force-ends-in-stance", ending(0.7)),
}


def walk_of(trials: tuple[Solved, ...], name: str) -> Solved:
    return next(trial for trial in trials if trial.name == name)


@pytest.mark.parametrize("folder", RECORDINGS)
def test_each_fault_is_named_and_true_to_the_file(folder: str, sessions: Sessions, c3d_dir: Path, tmp_path: Path) -> None:
    options, name = RECORDINGS[folder]
    clean = walk_of(sessions[folder].result.trials, name)
    stance = next(each for each in clean.assignment.stances if each.verdict.accepted)
    number = [plate.name for plate in clean.plates].index(stance.plates[0])
    plate = clean.plates[number]
    start, end = (round((edge_s - plate.first_time_s) * plate.rate_hz) for edge_s in (stance.start_s, stance.end_s))
    for title, (rule, fault) in FAULTS.items():
        home = tmp_path / title.replace(" ", "-")
        shutil.copytree(c3d_dir / folder, home / "c3d")
        target = home / "c3d" / clean.file
        target.chmod(0o644)
        file = ezc3d.c3d(str(target))
        fault(file, number, start, end)
        file.write(str(target))
        spoiled = Sessions(home, home / "computed")
        spoiled.sessions = {title: Session(("c3d",), options, recipe=RECIPE)}
        told = [said for said in said_of(spoiled[title], spoiled) if said.rule in RULES and said.trial.name == name]
        place = f"{folder}, {title}"
        assert [(said.rule, said["side"], said["plate"]) for said in told] == [(rule, stance.side, stance.plates[0])], place
        (said,) = told
        assert abs(said["start_s"] - stance.start_s) < 0.03, place
        trial = walk_of(spoiled[title].result.trials, name)
        assert trial.verdict == "warn", place
        assert f"{name}: " in spoiled[title].said["stderr"].replace("\n", " "), place
        assert CHECKS[rule].check(said), (place, said.text)
        for value, lie in CHECKS[rule].lies.items():
            assert not CHECKS[rule].check(replace(said, values={**said.values, value: lie(said[value])})), (place, value)
        for language in ("en", "de"):
            assert "{" not in worded(rule, said.values, language)


def test_recordings_as_they_are_have_no_silent_plate(sessions: Sessions) -> None:
    """Of 96 stances on one plate 85 lie wholly on it: none is named, and no foot stands wholly on a plate without load."""
    trials = [(session.name, trial) for session in sessions.with_results() for trial in session.result.trials]
    solved = [stance for _, trial in trials if trial.assignment for stance in trial.assignment.stances if stance.verdict.accepted]
    assert len(trials) > 40
    assert len(solved) > 100
    assert [(name, finding.message) for name, trial in trials for finding in trial.findings if finding.rule in RULES] == []
