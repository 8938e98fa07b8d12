"""The centre of pressure is judged stance by stance: one outside its foot loses its own kinetics, a side only where it repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.algebra.arrays import BoolArray
from biomech_id.conventions import Aspect
from biomech_id.errors import Finding
from biomech_id.judgement.grade import _of_stances
from biomech_id.judgement.quality import graded
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import KineticsValid
from biomech_id.movement.grades import Grade, QualityRow
from biomech_id.sample.recording import SampleTrial
from biomech_id.session.solved import Solved
from biomech_id.trial import ForcePlate, Trial

pytestmark = pytest.mark.usefixtures("no_mirror_is_tried")

RULE = "pressure-outside-foot"
#: Sideways by as much as the issue asks for: a foot is 89 mm wide.
ASIDE_M = 0.06


@cache
def recordings() -> tuple[Trial, SampleTrial]:
    """A static trial, and a walk over four plates: left, right, left, right."""
    person = bid.virtual_subject(duration_s=4.5, plates="types")
    return person.static("static", duration_s=1.0).trial, person.walk("walk")


def solved(plates: Sequence[ForcePlate]) -> Solved:
    static, sample = recordings()
    walk = replace(sample.trial, plates=tuple(plates))
    (trial,) = bid.analyse([static, walk], uncertainty=False, budget=False).computed.trials
    return trial


def pushed(plate: ForcePlate, by_m: float, where: BoolArray) -> ForcePlate:
    """The plate whose force acts elsewhere, to the laboratory's left, in some of its samples."""
    aside = np.where(where[:, None], [0.0, by_m, 0.0], 0.0)
    return replace(plate, moment_lab_Nm=plate.moment_lab_Nm + np.cross(aside, plate.force_lab_N))


def moved(*numbers: int, by_m: float = ASIDE_M) -> Solved:
    """Analyse the walk with some plates moved sideways, counted from 1."""
    plates = recordings()[1].trial.plates
    return solved([plate.moved(0.0, by_m, 0.0) if at in numbers else plate for at, plate in enumerate(plates, 1)])


def said(trial: Solved) -> list[Finding]:
    return [finding for finding in trial.findings if finding.rule == RULE]


def row_of(trial: Solved) -> QualityRow:
    (row,) = (row for row in trial.quality if row.rule == "cop-inside-foot")
    return row


def inside(trial: Solved) -> dict[str, Grade]:
    row = row_of(trial)
    return {"both": row.verdict, **{side: row.by[Aspect.KINETICS, side] for side in "LR"}}


def with_kinetics(trial: Solved) -> list[tuple[str, tuple[str, ...]]]:
    """Side and plates of every stance whose cycle is in the means of moments."""
    counted = {(cycle.side, cycle.start_s) for cycle in trial.cycles if trial.counts(cycle, Aspect.KINETICS)}
    assert trial.assignment is not None
    return [(stance.side, stance.plates) for stance in trial.assignment.stances if (stance.side, stance.start_s) in counted]


@pytest.fixture(scope="module")
def clean() -> Solved:
    return solved(recordings()[1].trial.plates)


def test_nothing_is_said_of_a_walk_over_plates_that_stand_where_the_file_says(clean: Solved) -> None:
    assert [side for side, _ in with_kinetics(clean)] == ["L", "R", "L", "R"]
    assert said(clean) == []
    assert set(inside(clean).values()) == {Grade.ACCEPT}


@pytest.mark.parametrize("by_m", [ASIDE_M, -ASIDE_M])
def test_one_stance_outside_loses_its_own_kinetics(clean: Solved, by_m: float) -> None:
    """Either way, medially and laterally: the other stance of the same foot stays, and the trial is not rejected."""
    trial = moved(1, by_m=by_m)
    taken = with_kinetics(clean)[0]
    assert with_kinetics(trial) == with_kinetics(clean)[1:]
    assert inside(trial) == {"both": Grade.WARN, "L": Grade.WARN, "R": Grade.ACCEPT}
    assert [row.rule for row in trial.quality if row.verdict is Grade.REJECT] == []
    (finding,) = said(trial)
    ((start_s, plate, outside_mm),) = finding.values["stances"]  # type: ignore[attr-defined]
    assert (finding.where, finding.values["side"], (plate,)) == ("walk", *taken)
    assert 20.0 < outside_mm < 1e3 * ASIDE_M
    (cycle,) = (cycle for cycle in trial.cycles if (cycle.side, cycle.start_s) == ("L", start_s))
    assert (cycle.kinetics_valid, cycle.refused) == (KineticsValid.FALSE, ())
    assert [why.rule for why in cycle.reasons] == ["pressure-beside-foot"]
    assert trial.counts(cycle, Aspect.KINEMATICS)
    said_of_it = f"left foot, {outside_mm:.0f} mm beyond its outline in the stance at {start_s:.2f} s on plate 1: no such"
    assert said_of_it in finding.message


def test_what_repeats_refuses_the_side() -> None:
    """Both left stances, on two plates; one right and one left are two different stances and refuse nobody else."""
    trial = moved(1, 3)
    assert inside(trial) == {"both": Grade.WARN, "L": Grade.REJECT, "R": Grade.ACCEPT}
    assert [side for side, _ in with_kinetics(trial)] == ["R", "R"]
    assert trial.grade_of(Aspect.KINETICS, "L") is Grade.REJECT
    (finding,) = said(trial)
    assert finding.values["refused"]
    assert "it repeats" in finding.message
    apart = moved(1, 4)
    assert inside(apart) == {"both": Grade.WARN, "L": Grade.WARN, "R": Grade.WARN}
    assert [finding.values["side"] for finding in said(apart)] == ["L", "R"]


def outside(*stances: tuple[str, float, str]) -> dict[tuple[str, float], tuple[tuple[str, ...], float, Sentence]]:
    """Side, begin (s) and plate of stances outside their foot, as the rule has them."""
    return {(side, at): ((plate,), 30.0, Sentence("pressure-beside-foot")) for side, at, plate in stances}


def test_a_plate_repeats_as_a_side_does() -> None:
    """A left and a right stance outside on one plate refuse both sides, a right one on another plate nobody more."""
    by = {(Aspect.KINETICS, side): Grade.REJECT for side in "LR"}
    row = graded("walk", "cop-inside-foot", 40.0, by=by)
    assert _of_stances(row, outside(("L", 1.0, "a"), ("R", 4.0, "a"))).by == by
    apart = _of_stances(row, outside(("L", 1.0, "a"), ("R", 4.0, "b")))
    assert (apart.verdict, set(apart.by.values())) == (Grade.WARN, {Grade.WARN})


def test_a_side_mostly_inside_is_doubted_even_where_it_repeats() -> None:
    """Two of many stances, as on a treadmill: they are taken, and the side keeps the others."""
    row = _of_stances(graded("walk", "cop-inside-foot", 97.0), outside(("L", 1.0, "a"), ("L", 4.0, "a")))
    assert (row.verdict, row.by[Aspect.KINETICS, "L"], row.by[Aspect.KINETICS, "R"]) == (Grade.WARN, Grade.WARN, Grade.ACCEPT)


def stance_samples(plate: ForcePlate) -> tuple[np.ndarray, np.ndarray]:
    """Share of the stance at each sample of a plate, from its load's begin to its end, and its vertical force in body weights."""
    weight = plate.force_lab_N[:, 2] / (72.0 * 9.80665)
    loaded = np.flatnonzero(weight > 0.05)
    return (np.arange(len(weight)) - loaded[0]) / (loaded[-1] - loaded[0]), weight


@pytest.mark.parametrize("part", ["the last tenth", "below a fifth of body weight"])
def test_nothing_is_said_where_the_centre_of_pressure_is_not_judged(clean: Solved, part: str) -> None:
    """The force acts 70 mm medially of where it did, under the toe that leaves or a light foot; in the other frames it is said."""
    plates = list(recordings()[1].trial.plates)
    share, weight = stance_samples(plates[0])
    unjudged = share > 0.9 if part == "the last tenth" else (weight < 0.2) & (share < 0.9)
    assert unjudged[(share > 0.0) & (share < 1.0)].any()
    plates[0] = pushed(plates[0], -0.07, unjudged)
    trial = solved(plates)
    assert said(trial) == []
    assert (row_of(trial).value, inside(trial)) == (100.0, inside(clean))
    assert with_kinetics(trial) == with_kinetics(clean)
    plates[0] = pushed(plates[0], -0.07, ~unjudged)
    assert len(said(solved(plates))) == 1
