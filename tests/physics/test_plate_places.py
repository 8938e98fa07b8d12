"""Steps tell where a plate stands: the virtual subject's plates moved in its recordings, its truth known exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.judgement.session_plates import PlatesTold, plate_findings, tell_plates, with_plate_places
from biomech_id.plates.place import LIKE_NOBODY, LIKE_OTHERS, fit_plates, not_a_habit, population_of
from biomech_id.plates.records import population_records, read_population, step_from, step_record
from biomech_id.plates.steps import PlateStep
from biomech_id.request.recipe import Recipe
from biomech_id.session.session import Session
from biomech_id.trial import Trial
from tests.moved_plates import as_if_moved

DATA = Path(__file__).resolve().parents[2] / "data"
IN_MM = np.array([1e3, 1e3, np.degrees(1.0)])


def analysed(walk: Trial, static: Trial, *more: Trial) -> Session:
    return bid.analyse([static, walk, *more], uncertainty=False, budget=False).computed


def told(session: Session) -> PlatesTold:
    found = tell_plates(session.trials)
    assert found is not None
    return found


def moved(trial: Trial, x_m: float, y_m: float, turn_rad: float) -> Trial:
    return replace(trial, plates=tuple(plate.moved(x_m, y_m, turn_rad) for plate in trial.plates))


@pytest.fixture(scope="module")
def recordings() -> tuple[Trial, Trial]:
    person = bid.virtual_subject(upper_body=True)
    return person.walk().trial, person.static().trial


@pytest.fixture(scope="module")
def session(recordings: tuple[Trial, Trial]) -> Session:
    return analysed(*recordings)


def test_a_moved_plate_is_flagged_and_found_by_how_far_it_was_moved(recordings: tuple[Trial, Trial], session: Session) -> None:
    walk, static = recordings
    before = told(session)
    shift = np.array([0.030, -0.025, np.radians(3.0)])
    off = analysed(moved(walk, *shift), static)
    for place, was in zip(told(off).places, before.places, strict=True):
        # The file's plate was moved by the shift: the truth less the file is less by it; priors keep a share.
        assert np.abs((place.elsewhere - was.elsewhere + shift) * IN_MM).max() < 7.0
        assert {"x", "y"} & set(place.beyond)
    # Two steps in one direction measure it, and claim nothing.
    (untold,) = (f for f in off.findings if f.rule.startswith("plate") and f.rule != "plate-bandwidth")
    assert untold.rule == "plates-not-told"
    assert [reason.rule for _, reason in untold.values["plates"]] == ["plate-few-steps"] * 2  # type: ignore[attr-defined]
    assert "2 steps in one direction, off by" in untold.message
    assert {row.verdict for t in off.trials for row in t.quality if row.rule == "plate-place"} == {"not judged"}
    # The force acts far beside the feet: that rule takes the loads, and not the plate's place.
    assert {row.rule for t in off.trials for row in t.quality if row.verdict == "reject"} == {"cop-offset"}
    assert [trial.has_kinetics for trial in off.trials] == [False]


def there_and_back(session: Session) -> PlatesTold:
    """Its steps, and the same walked the other way by a foot of the other side, as a symmetric walker would."""
    found = told(session)
    steps = [replace(step, direction_lab=-step.direction_lab) for step in found.fit.steps]
    fit = replace(found.fit, steps=(*found.fit.steps, *steps))
    return replace(found, fit=fit)


def test_three_steps_in_two_directions_are_enough_for_a_claim(session: Session) -> None:
    """A plate where the file says is not flagged and the limit is said; one elsewhere is."""
    enough = there_and_back(session)
    assert (told(session).enough, enough.enough) == (False, True)
    (stand,) = plate_findings(enough)
    assert stand.rule == "plates-stand"
    assert 13.0 <= float(str(stand.values["mm"])) < 20.0
    assert "x" in list(stand.values["not_apart"])  # type: ignore[call-overload]
    off = replace(enough.places[0], elsewhere=enough.places[0].elsewhere + [0.03, 0.0, 0.0], sure=np.ones(3, dtype=bool))
    (elsewhere, *_) = plate_findings(replace(enough, places=(off, *enough.places[1:])))
    assert (elsewhere.rule, elsewhere.where) == ("plate-elsewhere", "plate 1")
    (graded,) = with_plate_places(session.trials, replace(enough, places=(off, *enough.places[1:])))
    *_, own = (row for row in graded.quality if row.rule == "plate-place")
    assert own.verdict == "warn"


def test_a_habit_of_both_feet_is_not_called_a_plate() -> None:
    """There and back with one foot of each side of the laboratory: the subject's own course looks like two plates moved apart."""
    trials = {path.stem: bid.read_c3d(path) for path in sorted(DATA.rglob("*.c3d"))}
    walks = [trials["walk01"], trials["walk02"]]
    session = analysed(walks[0], trials["static"], walks[1])
    places = told(session).places
    assert [place.plate_or_habit for place in places] == [("y",), ("y",)]
    assert [place.beyond for place in places] == [(), ()]
    (silent,) = (finding for finding in session.findings if finding.rule.startswith("plate"))
    assert {plate: reason.rule for plate, reason in silent.values["plates"]} == {  # type: ignore[attr-defined]
        "plate 1": "plate-or-habit", "plate 2": "plate-or-habit"
    }  # fmt: skip
    assert {row.verdict for t in session.trials for row in t.quality if row.rule == "plate-place"} == {"not judged"}
    # The same for plates that are moved alike, or one alone: no habit looks like that.
    steps = told(session).fit.steps
    population = read_population()
    for plates in (("plate 1", "plate 2"), ("plate 2",)):
        off = [as_if_moved(step, (0.0, -0.03, 0.0)) if step.plate in plates else step for step in steps]
        sure = not_a_habit(fit_plates(off, population), population)
        assert sure[1, 1]


def test_momentum_follows_a_moved_plate_by_the_whole_of_it(recordings: tuple[Trial, Trial], session: Session) -> None:
    """Newton's third law: the moment of the shift, over the force, whatever the body does; a turn by its own column."""
    walk, static = recordings
    for shift in ((0.02, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, np.radians(4.0))):
        off = analysed(moved(walk, *shift), static)
        for step, was in zip(off.trials[0].plate_steps, session.trials[0].plate_steps, strict=True):
            # The truth is the file less the shift.
            expected = as_if_moved(was, [-each for each in shift])
            assert np.abs(step.momentum_lab_m - expected.momentum_lab_m).max() < 0.001
            assert np.abs(step.curve - expected.curve).max() < 0.005


def test_left_and_right_on_one_plate_tell_a_shift_from_the_markers() -> None:
    """Across the walk the foot markers' bias turns with the side: both feet on one plate tell it, one foot alone does not."""
    steps = [step for *_, step in population_records()[1] if step.trial == "HC030A05"]
    left, right = (next(step for step in steps if step.side == side) for side in "LR")
    population = read_population()
    both = fit_plates([replace(left, plate="one"), replace(right, plate="one")], population, LIKE_NOBODY)
    alone = fit_plates([replace(left, plate="one")], population, LIKE_NOBODY)
    across = 0 if abs(left.direction_lab[1]) > 0.9 else 1
    assert both.sd[0, across] < 0.75 * alone.sd[0, across]


def test_steps_that_fit_no_place_are_left_out() -> None:
    steps = [step for *_, step in population_records()[1] if step.trial == "HC030A05"]
    wild = replace(steps[0], curve=steps[0].curve[::-1].copy())
    fit = fit_plates([wild, steps[1]], read_population())
    assert fit.steps == (steps[1],)
    assert fit.plates == (steps[1].plate,)


def test_a_step_outlives_its_record() -> None:
    for *_, step in population_records()[1][:5]:
        again = step_from(step_record(step))
        assert np.array_equal(again.by_plate, step.by_plate)
        assert (again.trial, again.side, again.plate) == (step.trial, step.side, step.plate)


def test_laboratories_that_differ_by_their_plates_alone_make_one_population() -> None:
    """Plates of a second laboratory moved by 12 mm leave the population where it is, once it is levelled."""
    rows = [row for row in population_records()[1] if row[0] == "children"]
    second = [row for row in population_records()[1] if row[0] != "children"]

    def mean(shift_m: float) -> np.ndarray:
        steps: list[PlateStep] = [step for *_, step in rows]
        steps += [as_if_moved(step, (shift_m, 0.0, 0.0)) for *_, step in second]
        return population_of(steps, [lab for lab, *_ in rows + second], [who for _, who, _ in rows + second]).mean

    assert np.abs(mean(0.012) - mean(0.0)).max() < 0.02
    assert LIKE_OTHERS[0] < LIKE_NOBODY[0]


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"run": True}, "plate-kind"),
        ({"pattern": "crouch"}, "plate-no-heel-landing"),
        ({"pattern": "steppage"}, "plate-not-steady"),
    ],
)
def test_no_verdict_on_runs_and_on_feet_that_do_not_land_on_the_heel(settings: dict[str, object], rule: str) -> None:
    person = bid.virtual_subject(**settings)  # type: ignore[arg-type]
    session = analysed(person.walk().trial, person.static().trial)
    (silent,) = (finding for finding in session.findings if finding.rule.startswith("plate"))
    assert silent.rule == "plates-not-told"
    assert {reason.rule for _, reason in silent.values["plates"]} == {rule}  # type: ignore[attr-defined]
    assert {row.verdict for t in session.trials for row in t.quality if row.rule == "plate-place"} == {"not judged"}


def test_a_recipe_puts_a_plate_back_and_says_so(recordings: tuple[Trial, Trial], session: Session) -> None:
    walk, static = recordings
    off = moved(walk, 0.030, -0.020, np.radians(2.0))
    places = [{"plate": number, "x_mm": -30.0, "y_mm": 20.0, "turn_deg": -2.0} for number in (1, 2)]
    back = bid.analyse([static, off], plate_places=places, uncertainty=False, budget=False).computed  # type: ignore[arg-type]
    for plate, was in zip(back.trials[0].plates, session.trials[0].plates, strict=True):
        assert np.allclose(plate.corners_m, was.corners_m, atol=1e-9)
        assert np.allclose(plate.force_lab_N, was.force_lab_N, atol=1e-6)
    said = [step for step in back.trials[0].history if getattr(step, "rule", "") == "plate-placed"]
    assert [step.values["plate"] for step in said] == ["plate 1", "plate 2"]  # type: ignore[union-attr]
    with pytest.raises(OptionError, match="twice"):
        Recipe(plate_places=(places[0], places[0]))


def test_three_steps_tell_how_their_momentum_errs() -> None:
    rows = population_records()[1]
    steps = [step for *_, step in rows if np.isfinite(step.momentum_lab_m).all()][:3]
    population = population_of(steps, ["one"] * 3, ["somebody"] * 3)
    momentum_m = np.array([step.R_walk_lab @ step.momentum_lab_m for step in steps])
    assert population.momentum_m == pytest.approx(np.median(momentum_m, axis=0))
