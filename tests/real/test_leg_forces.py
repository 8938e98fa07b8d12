"""Muscle forces in the legs of a walk with its own scaled model: without reserves, without a plate, by other options."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomech_id.dynamics.leg_forces import ForceOptions, LegForces
from biomech_id.errors import MissingInputError
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.forces.actuators import read_actuated
from biomech_id.osim.forces.leg_forces import leg_forces, scaled_actuators
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import SkeletalModel
from biomech_id.pipeline.stage.analysis import Analysis, TrialAnalysis
from biomech_id.pipeline.stages import analysed
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def model_file(shared_dir: Path) -> Path:
    return shared_dir / "opensim" / "gait10dof18musc" / "subject01.osim"


@pytest.fixture(scope="module")
def walk(model_file: Path) -> TrialAnalysis:
    recipe = Recipe(model=str(model_file), budget=False, uncertainty=False)
    (walk,) = analysed(Job((model_file.parent / "ExperimentalData",), recipe), Analysis(), until="describe").walks
    return walk


def forces_of(walk: TrialAnalysis, **options: object) -> tuple[dict[str, LegForces], dict[str, dict[str, object]]]:
    assert isinstance(walk.model, SkeletalModel)
    assert walk.movement is not None
    assert walk.loads is not None
    legs, findings = leg_forces(walk.model, walk.movement, walk.loads, ForceOptions(**options))  # type: ignore[arg-type]
    return legs, {finding.rule: dict(finding.values) for finding in findings}


def test_a_leg_without_a_plate_is_not_solved_and_changes_nothing(walk: TrialAnalysis) -> None:
    both, _ = forces_of(walk)
    assert walk.loads is not None
    unknown = {key: load for key, load in walk.loads.items() if key[0] == "R"}
    for joint in ("hip", "knee", "ankle"):
        load = walk.loads["L", joint]
        gone = replace(load.wrench, force_N=np.full_like(load.wrench.force_N, np.nan))
        unknown["L", joint] = replace(load, wrench=gone)
    alone, findings = forces_of(replace(walk, loads=replace(walk.loads, loads=unknown)))
    assert set(alone) == {"R"}
    assert findings["muscle-forces-no-plate"] == {"sides": ("L",)}
    # The legs share nothing but the root.
    np.testing.assert_allclose(alone["R"].force.value, both["R"].force.value, atol=1e-6)
    np.testing.assert_allclose(alone["R"].contact.value, both["R"].contact.value, atol=1e-6)
    # The smallest and largest are searched to 1e-7 of the effort.
    np.testing.assert_allclose(alone["R"].contact.most, both["R"].contact.most, atol=1e-2)
    assert np.isfinite(both["R"].residual_N).any()
    assert np.isnan(alone["R"].residual_N).all()


def test_rows_that_no_muscles_balance_are_named_and_given_nowhere(walk: TrialAnalysis, model_file: Path, tmp_path: Path) -> None:
    text = model_file.read_text(encoding="utf-8")
    weak = re.sub(r"(<max_isometric_force>)([^<]+)", lambda m: f"{m[1]}{0.3 * float(m[2])}", text)
    (tmp_path / "weak.osim").write_text(weak, encoding="utf-8")
    assert isinstance(walk.model, SkeletalModel)
    model = replace(walk.model, osim=replace(walk.model.osim, source=str(tmp_path / "weak.osim")))
    legs, findings = forces_of(replace(walk, model=model), reserve_Nm=0.0)
    missing = findings["muscle-forces-missing"]
    known = np.isfinite(legs["R"].contact.value[:, 0])
    assert 0 < missing["n"] < missing["rows"]  # type: ignore[operator]
    assert missing["rows"] - missing["n"] == np.sum(known | np.isfinite(legs["L"].contact.value[:, 0]))  # type: ignore[operator]
    assert missing["unit"] == "N m"
    for values in (legs["R"].activation, legs["R"].force.value, legs["R"].force.most, legs["R"].contact_N):
        np.testing.assert_array_equal(np.isfinite(values).reshape(len(known), -1).all(axis=1), known)
    # With reserves every row has an answer, and it is said what they carry.
    carried, findings = forces_of(replace(walk, model=model), reserve_Nm=1.0)
    assert np.isfinite(carried["R"].contact.value[:, 0]).sum() > known.sum()
    assert findings["muscle-reserves"]["percent"] == pytest.approx(100 * np.nanmax(carried["R"].reserve_share), rel=0.5)
    assert "muscle-forces-missing" not in findings


def test_another_exponent_shares_more_evenly_and_has_no_bands(walk: TrialAnalysis) -> None:
    (squares, _), (cubes, _) = forces_of(walk), forces_of(walk, exponent=3.0)
    assert np.nanmax(cubes["R"].activation) <= np.nanmax(squares["R"].activation) + 1e-9
    assert np.isfinite(cubes["R"].force.value).any()
    assert np.isnan(cubes["R"].force.sd).all()
    assert np.isnan(cubes["R"].contact.most).all()


def test_the_knee_in_the_cost_is_pressed_less(walk: TrialAnalysis) -> None:
    (plain, _), (spared, _) = forces_of(walk), forces_of(walk, knee_cost=0.4)
    for side in "LR":
        before, after = (np.nanmean(each[side].contact.value, axis=0) / each[side].weight_N for each in (plain, spared))
        assert after[1] < before[1] - 0.1
        assert np.isnan(spared[side].force.sd).all()
        assert np.isnan(spared[side].contact.least).all()
        assert np.isfinite(spared[side].contact.value).sum() == np.isfinite(plain[side].contact.value).sum()


def test_muscles_grow_with_their_model(model_file: Path) -> None:
    generic, own = read_osim(model_file), read_actuated(model_file)
    assert [each.numbers for each in scaled_actuators(generic).actuators] == [each.numbers for each in own.actuators]
    half = scaled_model(generic, {body.name: 0.8 for body in generic.bodies}, mass_kg=0.5 * generic.mass_kg)
    for before, after in zip(own.actuators, scaled_actuators(half).actuators, strict=True):
        if before.kind == "muscle":
            assert after.numbers["optimal_fiber_length"] == pytest.approx(0.8 * before.numbers["optimal_fiber_length"])
            assert after.numbers["tendon_slack_length"] == pytest.approx(0.8 * before.numbers["tendon_slack_length"])
            # Half the volume over 0.8 of the length.
            assert after.strength == after.numbers["max_isometric_force"] == pytest.approx(0.5 / 0.8 * before.strength)
    as_written = scaled_actuators(half, "model").actuators
    assert [each.strength for each in as_written] == [each.strength for each in own.actuators]


def test_a_model_without_muscles_is_refused(model_file: Path, walk: TrialAnalysis, tmp_path: Path) -> None:
    bare = re.sub(r"<ForceSet.*?</ForceSet>", "", model_file.read_text(encoding="utf-8"), flags=re.DOTALL)
    (tmp_path / "bare.osim").write_text(bare, encoding="utf-8")
    assert isinstance(walk.model, SkeletalModel)
    model = replace(walk.model, osim=replace(walk.model.osim, source=str(tmp_path / "bare.osim")))
    with pytest.raises(MissingInputError, match=r"bare\.osim has no muscle that could be given a force"):
        forces_of(replace(walk, model=model))
