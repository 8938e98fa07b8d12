"""Weight from periodic steps: only where plates saw all of them, and where they tell one mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.gait.step_mass import step_mass_kg
from biomech_id.sample import virtual_subject
from biomech_id.trial import EventKind, Trial


@pytest.fixture(scope="module")
def walk() -> Trial:
    return virtual_subject().walk("walk01").trial


def scaled(trial: Trial, factor: float) -> Trial:
    plates = (replace(p, force_lab_N=p.force_lab_N * factor, moment_lab_Nm=p.moment_lab_Nm * factor) for p in trial.plates)
    return replace(trial, plates=tuple(plates))


def test_steps_on_plates_weigh_who_walks(walk: Trial) -> None:
    found = step_mass_kg([walk])
    assert found is not None
    assert found == (pytest.approx(72.0, rel=0.02), "walk01")


def test_half_the_load_is_half_the_mass(walk: Trial) -> None:
    (whole, _), (half, _) = step_mass_kg([walk]) or (0, ""), step_mass_kg([scaled(walk, 0.5)]) or (0, "")
    assert half == pytest.approx(whole / 2, rel=1e-3)


def test_two_stances_one_after_the_other_tell_it_without_the_foot_before(walk: Trial) -> None:
    # Only the strikes are stored: nobody knows when the foot before left the floor.
    first_off = min(event.time_s for event in walk.events if event.kind is EventKind.FOOT_OFF)
    fewer = tuple(event for event in walk.events if event.time_s > first_off + 0.01)
    found = step_mass_kg([replace(walk, events=fewer)])
    assert found is not None
    assert found[0] == pytest.approx(72.0, rel=0.03)


def test_a_stance_that_is_seen_in_part_weighs_along_while_its_plate_tells_all_of_it(walk: Trial) -> None:
    """As in a recording that ends before the last foot leaves its plate."""
    ratio = round(walk.plates[0].rate_hz / walk.rate_hz)
    n = max(int(np.flatnonzero(plate.force_lab_N[:, 2] > 20.0)[-1]) for plate in walk.plates) // ratio - round(0.1 * walk.rate_hz)
    plates = tuple(
        replace(p, force_lab_N=p.force_lab_N[: n * ratio], moment_lab_Nm=p.moment_lab_Nm[: n * ratio]) for p in walk.plates
    )
    cut = Trial(
        "cut", replace(walk.markers, position_m=walk.markers.position_m[:n], filled=None), plates, first_frame=walk.first_frame
    )
    found = step_mass_kg([cut])
    assert found is not None
    assert found[0] == pytest.approx(72.0, rel=0.03)


def test_no_plates_no_steps_and_one_plate_tell_nothing(walk: Trial) -> None:
    assert step_mass_kg([]) is None
    assert step_mass_kg([replace(walk, plates=())]) is None
    assert step_mass_kg([replace(walk, plates=walk.plates[:1])]) is None
    assert step_mass_kg([virtual_subject().static().trial]) is None


def test_trials_of_two_minds_tell_nothing(walk: Trial) -> None:
    other = replace(scaled(walk, 1.2), name="walk02")
    assert step_mass_kg([walk, other]) is None
    assert step_mass_kg([walk, replace(scaled(walk, 1.02), name="walk02")]) is not None


def test_a_plate_that_loses_force_is_not_believed(walk: Trial) -> None:
    """The second foot's plate loses a third: the two feet's impulses differ by more than two legs do."""
    first, second = walk.plates
    weak = replace(second, force_lab_N=second.force_lab_N * 0.66, moment_lab_Nm=second.moment_lab_Nm * 0.66)
    found = step_mass_kg([replace(walk, plates=(first, weak), events=())])
    assert found is None or abs(found[0] / 72.0 - 1.0) < 0.2
    assert np.isfinite(found[0]) if found else True
