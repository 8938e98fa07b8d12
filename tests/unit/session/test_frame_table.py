from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from biomech_id.algebra.rotation import jcs_axes
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS
from biomech_id.conventions import BUDGET_PARTS, SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.errors import MissingInputError
from biomech_id.models.registry import body_model
from biomech_id.session.tables.clinical import clinical_force, clinical_moment, sagittal_power
from biomech_id.session.tables.frame_table import FrameTable, frame_table

MASS_KG = 64.0
#: Relative rounding of a few products.
EXACT = 1e-12


@pytest.fixture(scope="module")
def table(body: BodyMotion, contacts: Mapping[str, FootContact]) -> FrameTable:
    return frame_table(body, solve_body(body, contacts), contacts, mass_kg=MASS_KG)


def test_frames_keep_the_recordings_own_numbering_and_clock(table: FrameTable, body: BodyMotion) -> None:
    frames = table.to_dataframe()
    assert frames.columns[:2].tolist() == ["frame", "time"]
    assert frames["frame"].iloc[0] == body.first_frame == 41
    assert frames["time"].iloc[0] == pytest.approx(0.4)
    assert len(frames) == body.n_frames


def test_every_name_of_the_house_is_there_once(table: FrameTable) -> None:
    assert len(set(table.columns)) == len(table.columns)
    vectors = [
        "PelvisAngles",
        "HipAngles",
        "KneeAngles",
        "AnkleAngles",
        "FootProgressAngles",
        "HipMoment",
        "KneeMoment",
        "AnkleMoment",
        "HipForce",
        "KneeForce",
        "AnkleForce",
        "GroundReactionForce",
        "GroundReactionMoment",
        "CentreOfPressure",
        "HJC",
        "KJC",
        "AJC",
    ]
    scalars = ["HipPower", "KneePower", "AnklePower", "HipPowerTranslational", "KneePowerTranslational", "AnklePowerTranslational"]
    expected = {f"{side}{name}.{axis}" for side in "LR" for name in vectors for axis in "XYZ"}
    expected |= {f"{side}{name}" for side in "LR" for name in scalars}
    assert expected <= set(table.columns)


def test_angles_are_degrees_and_points_millimetres(table: FrameTable, body: BodyMotion) -> None:
    np.testing.assert_allclose(np.radians(table["RKneeAngles.Y"]), body.joint_angles_rad["R", "knee"][:, 1], rtol=EXACT)
    np.testing.assert_allclose(table["LAJC.Z"] / 1000.0, body.joint_centres_lab_m["L", "ankle"][:, 2], rtol=EXACT)
    np.testing.assert_allclose(table["LToeLateralOutline.X"] / 1000.0, body.foot_outline_lab_m["L"][:, 2, 0], rtol=EXACT)


#: The conventional model's rules written out once more by hand, from its sheet: components of the moment in distal axes.
BY_HAND = {
    "ankle": lambda m, s: (m[:, 1], -s * m[:, 2], s * m[:, 0]),
    "knee": lambda m, s: (-m[:, 1], s * m[:, 0], s * m[:, 2]),
    "hip": lambda m, s: (m[:, 1], s * m[:, 0], s * m[:, 2]),
}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("joint", JOINTS)
def test_moments_and_forces_follow_the_sheet(
    side: str, joint: str, table: FrameTable, body: BodyMotion, contacts: Mapping[str, FootContact]
) -> None:
    load = solve_body(body, contacts)[side, joint]
    distal = load.expressed_in(DISTAL_SEGMENT[joint])
    name = joint.capitalize()
    for axis, expected in zip("XYZ", BY_HAND[joint](distal.moment_Nm, 1.0 if side == "L" else -1.0), strict=True):
        np.testing.assert_allclose(table[f"{side}{name}Moment.{axis}"] * MASS_KG, expected, rtol=1e-10)
    f = distal.force_N
    forces = (-f[:, 0], f[:, 1], -f[:, 2]) if joint == "ankle" else (f[:, 0], f[:, 1], f[:, 2])
    for axis, expected in zip("XYZ", forces, strict=True):
        np.testing.assert_allclose(table[f"{side}{name}Force.{axis}"] * MASS_KG, expected, rtol=1e-10)
    np.testing.assert_allclose(table[f"{side}{name}Power"] * MASS_KG, load.power_rotational_W, rtol=EXACT)
    np.testing.assert_allclose(table[f"{side}{name}PowerTranslational"] * MASS_KG, load.power_translational_W, rtol=EXACT)


def test_kinetics_are_missing_exactly_where_the_contact_is_not_known(
    table: FrameTable, contacts: Mapping[str, FootContact]
) -> None:
    unknown = ~contacts["R"].known
    assert 0 < unknown.sum() < len(unknown)
    for column in ("RHipMoment.X", "RKneeForce.Z", "RAnklePower", "RHipPowerTranslational", "RGroundReactionForce.Z"):
        assert np.isnan(table[column]).tolist() == unknown.tolist(), column
    assert np.isfinite(table["LHipMoment.X"]).all()
    assert np.isfinite(table["RHipAngles.X"]).all()


def test_ground_reaction_is_per_kilogram_in_laboratory_axes(table: FrameTable, contacts: Mapping[str, FootContact]) -> None:
    np.testing.assert_allclose(table["LGroundReactionForce.X"] * MASS_KG, contacts["L"].force_lab_N[:, 0], rtol=EXACT)
    np.testing.assert_allclose(table["LGroundReactionMoment.Z"] * MASS_KG, contacts["L"].moment_lab_Nm[:, 2], rtol=EXACT)
    assert (table["LGroundReactionForce.Z"][:20] == 0).all(), "swing has no force, but is known"
    loaded = contacts["L"].force_lab_N[:, 2] > 0.05 * MASS_KG * 9.81
    assert np.isfinite(table["LCentreOfPressure.X"]).tolist() == loaded.tolist()
    np.testing.assert_allclose(table["LCentreOfPressure.X"][loaded], 650.0, rtol=1e-9)  # mm, where the fixture presses


def test_kinematics_only_keeps_every_column(table: FrameTable, body: BodyMotion) -> None:
    bare = frame_table(body, None, {}, mass_kg=None)
    assert bare.columns == table.columns
    assert np.isnan(bare["LHipMoment.X"]).all()
    assert np.isnan(bare["LGroundReactionForce.Z"]).all()
    np.testing.assert_array_equal(bare["LHipAngles.X"], table["LHipAngles.X"])


def test_parts_of_a_budget_pass_through_the_same_signs(body: BodyMotion, contacts: Mapping[str, FootContact]) -> None:
    load = solve_body(body, contacts, budget=True)["R", "knee"]
    assert load.budget is not None
    total = clinical_moment(load.wrench.moment_Nm, body, "R", "knee")
    parts = sum(clinical_moment(load.budget[part].moment_Nm, body, "R", "knee") for part in BUDGET_PARTS)
    np.testing.assert_allclose(parts, total, atol=1e-9)  # N m: rounding of moments of some 1e2 N m


def test_an_unknown_column_is_named(table: FrameTable) -> None:
    with pytest.raises(MissingInputError, match="LeftHip"):
        table["LeftHip"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("joint", JOINTS)
def test_models_agree_where_segments_are_aligned(side: str, joint: str, body: BodyMotion) -> None:
    """At neutral, the same physical pose given in conventional and in ISB axes yields the same clinical moment and force."""
    n = body.n_frames
    upright = np.tile(np.eye(3), (n, 1, 1))
    # The conventional foot's z axis runs from toe to heel, its x axis up; ISB axes are X forward, Y up, Z right in every segment.
    foot = np.tile(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), (n, 1, 1))
    isb = np.tile(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), (n, 1, 1))
    vector = np.random.default_rng(3).normal(size=(n, 3))

    def posed(model: str) -> BodyMotion:
        axes = {key: isb if model == "six-dof" else foot if key[1] == "foot" else upright for key in body.motions}
        motions = {
            key: replace(motion, frames=Frames(axes[key], motion.frames.origin_lab_m)) for key, motion in body.motions.items()
        }
        return replace(body, motions=motions, model=model, axes=body_model(model).axes)

    for express in (clinical_moment, clinical_force):
        conventional, six_dof = (express(vector, posed(model), side, joint) for model in ("conventional", "six-dof"))
        np.testing.assert_allclose(six_dof, conventional, atol=EXACT)
        assert np.abs(conventional).max() > 1.0


def test_the_six_dof_models_sagittal_power_is_the_flexion_term_of_the_whole(
    body: BodyMotion, contacts: Mapping[str, FootContact]
) -> None:
    """Projections times joint-angle rates add up to moment times angular velocity; the rates are solved for here."""
    load = solve_body(body, contacts)["L", "knee"]
    distal, proximal = (load.motions[name] for name in (load.distal, load.proximal))
    axes = jcs_axes(proximal.frames.R_lab_seg, distal.frames.R_lab_seg, "zxy")
    rates = np.linalg.solve(axes, (distal.omega_lab_rad_s - proximal.omega_lab_rad_s)[..., None])[..., 0]
    terms = np.einsum("nik,ni->nk", axes, load.wrench.moment_Nm) * rates
    np.testing.assert_allclose(terms.sum(axis=1), load.power_rotational_W, atol=1e-9)  # W, of some 1e3 W
    np.testing.assert_allclose(sagittal_power(load, replace(body, axes=body_model("six-dof").axes)), terms[:, 0], atol=1e-9)


def test_a_fitted_cluster_says_how_well_it_fits_in_millimetres(body: BodyMotion) -> None:
    residual = np.linspace(0.001, 0.002, body.n_frames)
    fitted = replace(body, fit_residual_m={("", "pelvis"): residual, ("L", "thigh"): 2 * residual})
    table = frame_table(fitted, None, {}, mass_kg=None)
    assert table["PelvisResidual"] == pytest.approx(1000 * residual)
    assert table["LThighResidual"] == pytest.approx(2000 * residual)
    assert not [name for name in frame_table(body, None, {}, mass_kg=None).columns if name.endswith("Residual")]
