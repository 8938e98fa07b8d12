"""Static trials whose end somebody walks off: the part that stands calibrates as the static trial itself does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.six_dof.model import six_dof_model
from biomech_id.models.still_window import still_part
from biomech_id.trial import AnalogChannels, Markers, Trial

pytestmark = pytest.mark.real
#: Static trial, walk, and what the ankle's mean over all joined frames is off by in the sheet's reference, degrees.
CONVENTIONAL = (
    ("children/HC030A/HC030A01", "children/HC030A/HC030A05", 3.0), ("children/HC031A/HC031A01", "children/HC031A/HC031A06", 5.1),
    ("children/HC032A/HC032A01", "children/HC032A/HC032A03", 4.0),
    ("plug_in_gait/PiG_Calibration3_FF", "plug_in_gait/PiG_Motion3_FF", 7.0),
)  # fmt: skip
SIX_DOF = (
    ("leardini/static01", "leardini/trial02"), ("helen_hayes/HHStatic", "helen_hayes/HHMotion"),
    ("motionmonitor/static_pose", "motionmonitor/gait_with_emg"), ("drop_jump/FAILT01_static02", "drop_jump/FAILT01_Walk01"),
)  # fmt: skip
ANKLE_DEG, CENTRE_MM = 0.3, 1.0


def joined(static: Trial, walk: Trial) -> Trial:
    """The static trial with the walk's first second behind it."""
    names = static.markers.names
    shared = [name for name in names if name in walk.markers]
    paths = np.stack([walk.markers[name] if name in shared else np.full((walk.n_frames, 3), np.nan) for name in names], axis=1)
    moving = paths[np.isfinite(paths[:, :, 0]).sum(axis=1) > 0.6 * len(shared)]
    position_m = np.concatenate([static.markers.position_m, moving[: round(walk.rate_hz)]])
    markers = Markers(names, position_m, static.rate_hz, roles=static.markers.roles)
    return replace(static, markers=markers, plates=(), model_outputs={}, events=(), analog=AnalogChannels())


def apart_deg(model: bid.BodyModel, other: bid.BodyModel, walk: Trial, joint: str) -> float:
    """Largest root mean square difference of a joint's angles in a walk."""
    motions = [each.track(walk) for each in (model, other)]
    off = []
    for side in "LR":
        one, two = (np.rad2deg(motion.joint_angles_rad[side, joint]) for motion in motions)
        off += list(np.sqrt(np.nanmean((one - two) ** 2, axis=0)))
    return float(max(off))


@pytest.mark.parametrize(("static", "walk", "all_frames_deg"), CONVENTIONAL)
def test_the_ankle_is_the_static_trials(static: str, walk: str, all_frames_deg: float, c3d_dir: Path) -> None:
    stood, walked = (bid.read_c3d(c3d_dir / f"{name}.c3d") for name in (static, walk))
    both = joined(stood, walked)
    own, part, everything = (
        conventional_model(trial, stood.subject, with_mass=False) for trial in (stood, still_part(both)[0], both)
    )
    assert apart_deg(own, part, walked, "ankle") < ANKLE_DEG
    assert apart_deg(own, everything, walked, "ankle") > 0.5 * all_frames_deg


@pytest.mark.parametrize(("static", "walk"), SIX_DOF)
def test_six_dof_centres_are_the_static_trials(static: str, walk: str, c3d_dir: Path) -> None:
    stood, walked = (bid.read_c3d(c3d_dir / f"{name}.c3d") for name in (static, walk))
    again = still_part(joined(stood, walked))[0]
    own, part = (six_dof_model(trial, stood.subject, with_mass=False).track(walked) for trial in (stood, again))
    for key, centre_m in own.joint_centres_lab_m.items():
        apart_mm = 1e3 * np.linalg.norm(part.joint_centres_lab_m[key] - centre_m, axis=1)
        assert float(np.sqrt(np.nanmean(apart_mm**2))) < CENTRE_MM, key
