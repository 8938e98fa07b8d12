"""The clinic's muscles of whatever model: found by name, measured over a trial, with a band that draws of noise confirm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from leg_model import EVEN, MODEL, NAMES, walk

from biomech_id.multibody.musculoskeletal import MuscleModel, MusculoskeletalModel, PathPoint
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, TrackingTasks, tissue_sizes_m, track_markers
from biomech_id.osim.muscles.clinic_muscles import ClinicPaths, clinic_muscles
from biomech_id.osim.skeleton.skeleton import Skeleton

PSOAS = MuscleModel("psoas_r", (PathPoint("o", "pelvis", (0.0, 0.1, 0.05)), PathPoint("i", "thigh", (0.02, -0.1, 0.0))))
RECTUS = MuscleModel("recfem_r", (PathPoint("o", "pelvis", (0.05, 0.0, 0.1)), PathPoint("i", "shank", (0.04, -0.05, 0.0))))
LEG = replace(MODEL, muscles=(PSOAS, RECTUS, MuscleModel("vasti_r", RECTUS.points)))
RATE_HZ = 50.0


def tracked(q: np.ndarray, noise: np.ndarray | float = 0.0) -> TrackedPose:
    measured = Skeleton(LEG).markers(Skeleton(LEG).completed(q), NAMES) + noise
    return track_markers(LEG, NAMES, measured, TrackingTasks(EVEN), rate_hz=RATE_HZ)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (
            "psoas rect_fem semimem semiten bifemlh med_gas lat_gas soleus tib_ant",
            "psoas semimem bifemlh rect_fem med_gas lat_gas soleus",
        ),
        ("psoas recfem semimem bflh gasmed gaslat soleus vasint", "psoas semimem bflh recfem gasmed gaslat soleus"),
        ("iliopsoas rect_fem hamstrings bifemsh gastroc soleus", "iliopsoas hamstrings rect_fem gastroc soleus"),
    ],
    ids=["gait2392", "Rajagopal", "gait10dof18musc"],
)  # fmt: skip
def test_muscles_are_known_by_the_names_of_public_models(names: str, found: str) -> None:
    muscles = tuple(MuscleModel(f"{name}_{side}", ()) for name in names.split() for side in "rl")
    named = clinic_muscles(MusculoskeletalModel("m", (), (), (), muscles=muscles))
    assert list(named.values()) == [f"{name}_{side}" for side in "lr" for name in found.split()]
    assert {side for side, _ in named} == {"L", "R"}


def test_lengths_velocities_and_arms_are_those_of_the_pose() -> None:
    q = walk()
    moved = ClinicPaths(LEG).measured(tracked(q), tracked(q[:3]), RATE_HZ)
    assert moved is not None
    assert moved.muscles == (("R", "psoas"), ("R", "rectus_femoris"))
    at = [Skeleton(LEG).pose(Skeleton(LEG).completed(q)).points([1 + ["pelvis", "thigh", "shank"].index(p.body)], [p.place_m])[:, 0]
          for p in PSOAS.points]  # fmt: skip
    straight = np.linalg.norm(at[0] - at[1], axis=1)
    np.testing.assert_allclose(moved.length_m[:, 0], straight, atol=1e-7)
    assert moved.standing_m[0] == pytest.approx(straight[:3].mean(), abs=1e-7)
    by_hand = np.gradient(moved.length_m, 1 / RATE_HZ, axis=0)
    np.testing.assert_allclose(moved.velocity_m_s[4:-4], by_hand[4:-4], atol=0.02 * np.abs(by_hand).max())
    # The one over the hip turns its angles only, the other the knee too; nothing turns the pelvis.
    arms = dict(zip(moved.coordinates, np.abs(moved.moment_arm_m).max(axis=0).T, strict=True))
    assert set(arms) == {"flexion", "adduction", "knee"}
    assert arms["knee"][0] == 0.0 < arms["knee"][1]


def test_the_band_is_what_draws_of_noise_make_of_the_length() -> None:
    q = np.repeat(walk()[10:11], 400, axis=0)
    sizes = tissue_sizes_m(LEG)
    sd_m = np.array([sizes[name] for name in NAMES])
    noise = np.random.default_rng(3).normal(size=(400, len(NAMES), 3)) * sd_m[:, None]
    paths = ClinicPaths(LEG)
    quiet, noisy = paths.measured(tracked(q[:5]), None, RATE_HZ), paths.measured(tracked(q, noise), None, RATE_HZ)
    assert quiet is not None
    assert noisy is not None
    np.testing.assert_allclose(quiet.length_sd_m[2], noisy.length_m.std(axis=0), rtol=0.15)
    assert quiet.standing == "default"
    np.testing.assert_allclose(quiet.standing_m, paths.paths.lengths(Skeleton(LEG).default_q()[None])[0])


def test_a_locked_coordinate_has_no_part_in_the_band() -> None:
    """Rajagopal's model locks eight: the tracked coordinates are fewer than those that muscles' arms belong to."""
    knee = [replace(each, locked=each.name == "adduction") for each in LEG.coordinates]
    locked, q = replace(LEG, coordinates=tuple(knee)), walk()[:5]
    measured = Skeleton(LEG).markers(Skeleton(LEG).completed(q), NAMES)
    pose = track_markers(locked, NAMES, measured, TrackingTasks(EVEN), rate_hz=RATE_HZ)
    moved, free = ClinicPaths(locked).measured(pose, None, RATE_HZ), ClinicPaths(LEG).measured(tracked(q), None, RATE_HZ)
    assert moved is not None
    assert free is not None
    assert (moved.length_sd_m[2] < free.length_sd_m[2]).any()
    assert (moved.length_sd_m[2] > 0).all()


def test_frames_without_a_pose_have_no_length_and_models_without_muscles_nothing() -> None:
    q = walk()
    noise = np.zeros((len(q), len(NAMES), 3))
    noise[7] = np.nan
    moved = ClinicPaths(LEG).measured(tracked(q, noise), None, RATE_HZ)
    assert moved is not None
    assert np.isnan(moved.length_m[7]).all()
    assert np.isfinite(moved.length_m[6]).all()
    assert ClinicPaths(MODEL).measured(tracked(q), None, RATE_HZ) is None
