"""A plate that does not bear the foot standing wholly on it is named, and no foot beside a plate, half on it or above it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.trial import ForcePlate, Trial

NUMBER = 3
STANCE_S = 0.6


@pytest.fixture
def walk(walker):
    return walker(first_frame=51)


def strike_s(walk) -> float:
    """Of the right foot on the first plate, absolute seconds."""
    return float(walk.strikes("R")[NUMBER] + (walk.first_frame - 1) / walk.rate_hz)


def with_plate(trial: Trial, change: Callable[[ForcePlate], ForcePlate]) -> Trial:
    return replace(trial, plates=(change(trial.plates[0]), *trial.plates[1:]))


def dead(plate: ForcePlate) -> ForcePlate:
    return replace(plate, force_lab_N=0.0 * plate.force_lab_N, moment_lab_Nm=0.0 * plate.moment_lab_Nm)


def without(walk, first: float, last: float = 9.0) -> Callable[[ForcePlate], ForcePlate]:
    """Nothing is read between these shares of the stance."""

    def change(plate: ForcePlate) -> ForcePlate:
        share = (np.arange(plate.n_samples) / plate.rate_hz - walk.strikes("R")[NUMBER]) / STANCE_S
        kept = ((share < first) | (share >= last))[:, None]
        return replace(plate, force_lab_N=plate.force_lab_N * kept, moment_lab_Nm=plate.moment_lab_Nm * kept)

    return change


def under_both(walk, **size: float) -> Trial:
    return walk.trial([walk.plate_under("R", NUMBER, **size), walk.plate_under("L", NUMBER)], walk.events())


@pytest.mark.parametrize("heading_rad", [0.0, 0.4, 2.2, -1.1])
@pytest.mark.parametrize("belt", [False, True])
def test_a_dead_plate_under_a_foot_is_named(walker, heading_rad, belt):
    walk = walker(first_frame=51, heading_rad=heading_rad, belt=belt)
    sizes = {"length": 2.0 if belt else 0.5}
    trial = walk.trial([walk.plate_under("R", NUMBER, **sizes)], walk.events())
    if belt:  # in the laboratory's axes it stands where the foot does in the middle of its stance
        back = walk.to_lab(np.zeros(1), 0.0, 0.0, np.array([walk.strikes("R")[NUMBER] + 0.3]))
        trial = with_plate(trial, lambda plate: replace(plate, corners_m=plate.corners_m + back))
    assignment = assign_plates(with_plate(trial, dead))
    mine = [found for found in assignment.silent if abs(found.values["start_s"] - strike_s(walk)) < 1e-6]
    assert [found.rule for found in mine] == ["plate-silent-under-foot"]
    said = mine[0].values
    assert (said["side"], said["plate"]) == ("R", "plate 1")
    assert (said["peak_percent"], said["shear_percent"]) == (0.0, 0.0)
    assert said["inside_mm"] > 30.0
    assert mine[0].where == "walk"
    assert not belt or len(assignment.silent) > 1
    assert belt or len(assignment.silent) == 1


def test_a_plate_that_bears_its_foot_is_not_named(walk):
    assert assign_plates(under_both(walk)).silent == ()


@pytest.mark.parametrize("share", [0.05, 0.25, 0.35])
def test_what_a_plate_reads_is_said(walk, share):
    """The fore-aft force on the vertical channel, and the other way round: it brakes first, and pushes then."""

    def exchanged(plate: ForcePlate) -> ForcePlate:
        vertical = plate.force_lab_N[:, 2]
        braking = np.arange(plate.n_samples) / plate.rate_hz < walk.strikes("R")[NUMBER] + 0.5 * STANCE_S
        fore_aft = np.where(braking, -1.0, 1.0) * share / 1.1 * vertical
        return replace(plate, force_lab_N=np.stack([vertical, np.zeros_like(vertical), fore_aft], axis=1))

    (found,) = assign_plates(with_plate(under_both(walk), exchanged)).silent
    assert found.values["peak_percent"] == pytest.approx(100.0 * share, abs=0.1)
    assert found.values["shear_percent"] == pytest.approx(110.0, abs=0.1)
    assert f"{100.0 * share:.0f} % of body weight" in found.message
    assert "right foot" in found.message


def test_beside_half_on_or_above_a_dead_plate_nothing_is_said(walk):
    """Within 3 cm of an edge it may stand beside it; ten centimetres above it, on something else."""
    edge = under_both(walk, shift=-0.06)
    half = under_both(walk, shift=-0.3)
    beside = under_both(walk, shift=0.6)
    over = with_plate(under_both(walk), lambda plate: replace(plate, corners_m=plate.corners_m - [0.0, 0.0, 0.2]))
    for trial in (edge, half, beside, over):
        assert assign_plates(with_plate(trial, dead)).silent == ()


def test_what_nobody_knows_is_not_said(walk):
    """Without a body mass, of a plate that has its foot by the file, or of samples that are missing."""
    trial = with_plate(under_both(walk), dead)
    nameless = replace(trial, subject=replace(trial.subject, mass_kg=None))
    bound = with_plate(trial, lambda plate: replace(plate, foot="R"))
    missing = with_plate(trial, lambda plate: replace(plate, force_lab_N=np.nan * plate.force_lab_N))
    assert [len(assign_plates(each).silent) for each in (trial, nameless, bound, missing)] == [1, 0, 0, 0]


def test_a_stance_that_somebody_took_out_is_not_named(walk):
    trial = with_plate(under_both(walk), dead)
    out = StanceVerdict("walk", "R", plates=(), start_s=strike_s(walk))
    assert assign_plates(trial, verdicts=[out]).silent == ()


def test_a_foot_that_swings_over_a_plate_does_not_stand_on_it(walk):
    """Events of the other foot: the stance that they make is a swing, over a plate as long as a treadmill."""
    exchanged = tuple(replace(event, side={"L": "R", "R": "L"}[event.side]) for event in walk.events())
    trial = replace(under_both(walk, length=6.0), events=exchanged)
    assert assign_plates(with_plate(trial, dead)).silent == ()


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("heading_rad", [0.0, 2.2])
def test_a_force_that_ends_under_a_foot_is_named_with_its_share_of_the_stance(walker, heading_rad, share):
    walk = walker(first_frame=51, heading_rad=heading_rad)
    trial = walk.trial([walk.plate_under("R", NUMBER), walk.plate_under("L", NUMBER)], walk.events())
    (found,) = assign_plates(with_plate(trial, without(walk, share))).silent
    assert (found.rule, found.values["side"], found.values["plate"]) == ("force-ends-in-stance", "R", "plate 1")
    assert found.values["start_s"] == pytest.approx(strike_s(walk))
    assert found.values["from_percent"] == pytest.approx(100.0 * share, abs=1.0)
    assert found.values["peak_percent"] == pytest.approx(110.0, abs=0.1)
    assert f"ends at {100.0 * share:.0f} % of the stance" in found.message


def test_a_force_that_comes_back_is_said_to_be_lost_between(walk):
    (found,) = assign_plates(with_plate(under_both(walk), without(walk, 0.4, 0.6))).silent
    assert found.rule == "force-ends-in-stance"
    assert "is lost from 40 to 60 % of the stance" in found.message


def test_a_foot_that_rolls_off_its_plate_is_not_named(walk):
    """Its force ends in mid-stance too, but it is not wholly on the plate."""
    trial = walk.trial([walk.plate_under("R", NUMBER, length=0.4, shift=-0.22)], walk.events())
    assignment = assign_plates(trial)
    assert "force-ends-early" in {stance.reason.rule for stance in assignment.stances}
    assert assignment.silent == ()


def test_an_off_that_is_marked_late_does_not_blame_the_plate(walk):
    """The force falls as that of a foot that leaves, over a tenth of a second; that a sample was lost before is another thing."""

    def leaving(plate: ForcePlate) -> ForcePlate:
        share = (np.arange(plate.n_samples) / plate.rate_hz - walk.strikes("R")[NUMBER]) / STANCE_S
        falls = np.clip((0.8 - share) / 0.17, 0.0, 1.0)[:, None] * (share < 1.0)[:, None]
        return replace(plate, force_lab_N=plate.force_lab_N * falls, moment_lab_Nm=plate.moment_lab_Nm * falls)

    assignment = assign_plates(with_plate(with_plate(under_both(walk), leaving), without(walk, 0.4, 0.42)))
    assert "force-ends-early" in {stance.reason.rule for stance in assignment.stances}
    assert assignment.silent == ()


@pytest.mark.filterwarnings("error")
def test_nobody_stands_on_a_plate_that_stands_upright(walk):
    """As in a file that says another axis is vertical: seen from above it has no inside."""
    upright = with_plate(under_both(walk), lambda plate: replace(plate, corners_m=plate.corners_m[:, [0, 2, 1]]))
    assert assign_plates(with_plate(upright, dead)).silent == ()
