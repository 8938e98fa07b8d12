"""A subject who cannot stand straight is calibrated all the same: with bent knees both models learn the same body.

That holds where the hip's centre is the one about which the thigh turns: the conventional model's regression is exact for this
subject, the six-dof model gets the centre stored. A regression that is 1 cm off lies elsewhere in a bent thigh.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.models.conventional.model import conventional_model
from biomech_id.models.six_dof.model import six_dof_model
from biomech_id.sample import SampleTrial, standing, virtual_subject
from biomech_id.trial import Markers, Trial

#: Flexion of the straighter knee, rad.
CROUCH_RAD = 0.7


@pytest.fixture(scope="module", params=[True, False], ids=["feet flat", "feet as they stood"])
def recorded(request: pytest.FixtureRequest) -> tuple[SampleTrial, SampleTrial, SampleTrial]:
    """Standing upright, standing with bent knees, and a walk; rigid segments, no noise."""
    person = virtual_subject(clusters=True, foot_flat=request.param)
    upright = person.static()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standing, "KNEE_RAD", CROUCH_RAD)
        bent = person.static(name="bent")
    return upright, bent, person.walk(duration_s=0.8)


def test_the_knees_are_bent(recorded: tuple[SampleTrial, SampleTrial, SampleTrial]) -> None:
    upright, bent, _ = recorded
    for side in "LR":
        flexion = [np.degrees(trial.truth.joint_angles_rad[side, "knee"][0, 0]) for trial in (upright, bent)]
        assert flexion[0] < 20
        assert flexion[1] > 35


def with_hip_centres(sample: SampleTrial) -> Trial:
    """The recording with its hip centres among the points, as other software leaves them."""
    markers, hips = sample.trial.markers, [sample.truth.joint_centres_lab_m[side, "hip"] for side in "LR"]
    position = np.concatenate([markers.position_m, np.stack(hips, axis=1)], axis=1)
    return replace(sample.trial, markers=Markers((*markers.names, "LHJC", "RHJC"), position, markers.rate_hz))


@pytest.mark.parametrize("model", ["conventional", "six-dof"])
def test_bent_knees_teach_the_same_body(recorded: tuple[SampleTrial, SampleTrial, SampleTrial], model: str) -> None:
    upright, bent, walk = recorded
    build = conventional_model if model == "conventional" else six_dof_model
    straight, crouched = (build(with_hip_centres(static)).track(walk.trial) for static in (upright, bent))
    for key, centre in straight.joint_centres_lab_m.items():
        np.testing.assert_allclose(crouched.joint_centres_lab_m[key], centre, rtol=0, atol=1e-9, err_msg=str(key))
    for key, angles in straight.joint_angles_rad.items():
        np.testing.assert_allclose(crouched.joint_angles_rad[key], angles, rtol=0, atol=1e-9, err_msg=str(key))
    for key, segment in straight.segments.items():
        np.testing.assert_allclose(crouched.segments[key].inertia_kgm2, segment.inertia_kgm2, rtol=1e-9, atol=1e-12)
