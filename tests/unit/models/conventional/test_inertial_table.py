"""The conventional model with an inertial table of somebody's choice, against hand-computed masses and centres of mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.anthropometry import load_table
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.models.conventional.model import conventional_model
from biomech_id.sample import virtual_subject
from biomech_id.sample.recording import SampleTrial
from biomech_id.trial import Subject


@pytest.fixture(scope="module")
def static() -> SampleTrial:
    return virtual_subject().static()


def subject(static: SampleTrial) -> Subject:
    return replace(static.trial.subject, sex="male", age_years=30.0)


def standing(static: SampleTrial, inertia: str, kinetics: str = "textbook") -> BodyMotion:
    return conventional_model(static.trial, subject(static), inertia=inertia).track(static.trial, kinetics=kinetics)


def middle(motion: BodyMotion, side: str, name: str) -> np.ndarray:
    """Centre of mass in the laboratory, mean over the trial, metres."""
    mean: np.ndarray = motion.motions[side, name].com_lab_m.mean(axis=0)
    return mean


@pytest.mark.parametrize(
    ("table", "thigh", "shank"),
    # Fractions of body mass and, from the proximal joint, of the segment's length, as printed.
    [("dempster-winter", (0.100, 0.433), (0.0465, 0.433)), ("de-leva-1996", (0.1416, 0.4095), (0.0433, 0.4395))],
)
@pytest.mark.parametrize("side", SIDES)
def test_masses_and_centres_of_mass_are_the_tables(
    static: SampleTrial, table: str, thigh: tuple[float, float], shank: tuple[float, float], side: str
) -> None:
    motion = standing(static, table)
    mass = static.trial.subject.mass_kg
    assert mass is not None
    centre = {joint: motion.joint_centres_lab_m[side, joint].mean(axis=0) for joint in ("hip", "knee", "ankle")}
    for name, (fraction, along), start, end in (("thigh", thigh, "hip", "knee"), ("shank", shank, "knee", "ankle")):
        assert motion.segments[side, name].mass_kg == pytest.approx(fraction * mass)
        expected = centre[start] + along * (centre[end] - centre[start])
        np.testing.assert_allclose(middle(motion, side, name), expected, atol=1e-4)  # a fraction of the way, in metres


@pytest.mark.parametrize("side", SIDES)
def test_a_foot_by_winter_runs_from_the_malleolus_to_the_metatarsal_head(static: SampleTrial, side: str) -> None:
    motion, markers = standing(static, "dempster-winter"), static.trial.markers
    middle_of_both = 0.5 * (markers[f"{side}ANK"] + markers[f"{side}TOE"]).mean(axis=0)
    np.testing.assert_allclose(middle(motion, side, "foot"), middle_of_both, atol=1e-4)
    assert motion.segments[side, "foot"].mass_kg == pytest.approx(0.0145 * static.trial.subject.mass_kg)  # type: ignore[operator]


@pytest.mark.parametrize("side", SIDES)
def test_tensors_are_written_in_the_models_axes(static: SampleTrial, side: str) -> None:
    thigh = standing(static, "de-leva-1996").segments[side, "thigh"]
    length = conventional_model(static.trial, subject(static)).calibration.length_m[side, "thigh"]
    # Radii of De Leva's table 4 for men: sagittal .329 (about y, to the left), transverse .329 (about x), longitudinal .149 (z).
    radii = np.array([0.329, 0.329, 0.149]) * length
    np.testing.assert_allclose(thigh.inertia_kgm2, np.diag(thigh.mass_kg * radii**2), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_the_models_own_table_by_name_is_the_automatic_choice(static: SampleTrial, side: str) -> None:
    own, named = standing(static, "auto"), standing(static, "conventional")
    table = load_table("conventional")
    for name in ("thigh", "shank", "foot"):
        assert own.segments[side, name].mass_kg == table[name].mass_fraction * static.trial.subject.mass_kg  # type: ignore[operator]
        if name != "foot":  # the automatic foot hangs along its own axis, which ends where the table's does in a level foot only
            np.testing.assert_allclose(named.segments[side, name].com_m, own.segments[side, name].com_m, atol=1e-4)
            np.testing.assert_allclose(named.segments[side, name].inertia_kgm2, own.segments[side, name].inertia_kgm2, rtol=1e-3)


def test_a_chosen_table_holds_in_the_vendors_mode_too(static: SampleTrial) -> None:
    textbook, vendors = (standing(static, "de-leva-1996", kinetics) for kinetics in ("textbook", "vicon"))
    for part, segment in textbook.segments.items():
        assert vendors.segments[part] is not None
        np.testing.assert_array_equal(vendors.segments[part].com_m, segment.com_m)
    assert standing(static, "auto", "vicon").segments["L", "thigh"].com_m.ndim == 2  # the vendor's own change with the joints


def test_the_calibration_names_a_chosen_table_and_says_what_is_odd_about_it(static: SampleTrial) -> None:
    child = replace(static.trial.subject, age_years=8.0)
    model = conventional_model(static.trial, child, inertia="dempster-winter")
    assert model.calibration.to_dict()["inertial_table"] == "dempster-winter"
    assert "adult-inertia-on-child" in [finding.rule for finding in model.findings]
    plain = conventional_model(static.trial, child)
    assert "inertial_table" not in plain.calibration.to_dict()
    assert "adult-inertia-on-child" not in [finding.rule for finding in plain.findings]
