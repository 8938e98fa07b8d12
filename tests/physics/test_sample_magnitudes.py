"""The virtual subject walks like a person: published magnitudes, within a few standard deviations.

Means from Schwartz et al. 2008 (J Biomech 41:1639), 83 typically developing children at free speed; tolerances are about three of
their standard deviations (knee flexion 6.3 deg, ankle moment 0.12 N m/kg) and also cover adults (Winter 1991, The Biomechanics
and Motor Control of Human Gait, 2nd ed.).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biomech_id.sample import virtual_subject
from biomech_id.sample.jets import time_jet
from biomech_id.sample.recording import truth_of
from biomech_id.sample.truth import Truth

PERCENT = np.arange(100)


@pytest.fixture(scope="module", params=[{}, {"body": "child"}], ids=str)
def cycle(request: pytest.FixtureRequest) -> tuple[Truth, float]:
    """Truth over one left cycle at 0, 1 ... 99 %, and body mass."""
    person = virtual_subject(**request.param)
    mover = person.mover()
    times = PERCENT / 100 * person.gait.plan.cycle_s
    time = time_jet(times, order=2)
    pose = mover.pose(time)
    travel = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    return truth_of(mover, times, time, pose, travel), mover.body.mass_kg


def _angle(truth: Truth, joint: str) -> Any:
    return np.degrees(truth.joint_angles_rad["L", joint][:, 0])


def test_angles(cycle: tuple[Truth, float]) -> None:
    truth, _ = cycle
    knee, hip, ankle = (_angle(truth, j) for j in ("knee", "hip", "ankle"))
    assert knee.max() == pytest.approx(59.1, abs=8)
    assert np.argmax(knee) == pytest.approx(72, abs=5)
    assert knee.min() == pytest.approx(4.0, abs=5)
    assert 10 < knee[5:25].max() < 25
    assert hip.max() == pytest.approx(36.7, abs=8)
    assert hip.min() == pytest.approx(-5.8, abs=8)
    assert ankle.max() == pytest.approx(11.8, abs=8)
    assert ankle.min() == pytest.approx(-19.8, abs=8)
    assert np.argmin(ankle) == pytest.approx(64, abs=5)
    tilt = _angle(truth, "pelvis")
    assert 9.0 < tilt.min() < tilt.max() < 15.0


def test_moments_and_powers(cycle: tuple[Truth, float]) -> None:
    truth, mass = cycle
    moment = {j: truth.joint_moment_distal_Nm["L", j] / mass for j in ("ankle", "knee", "hip")}
    power = {j: truth.power_rotational_W["L", j] / mass for j in ("ankle", "knee", "hip")}
    plantarflexor, extensor, hip_extensor, abductor = (
        moment["ankle"][:, 1],
        -moment["knee"][:, 1],
        moment["hip"][:, 1],
        moment["hip"][:, 0],
    )
    assert plantarflexor.max() == pytest.approx(1.226, abs=0.36)
    assert np.argmax(plantarflexor) == pytest.approx(48, abs=4)
    assert plantarflexor.min() > -0.35
    assert extensor[:30].max() == pytest.approx(0.367, abs=0.36)
    assert np.argmax(extensor[:30]) == pytest.approx(12, abs=6)
    around_strike = np.concatenate([hip_extensor[90:], hip_extensor[:10]])
    assert around_strike.max() == pytest.approx(0.725, abs=0.4)
    assert -1.5 < hip_extensor[40:62].min() < -0.4
    assert abductor.max() == pytest.approx(0.493, abs=0.3)
    assert power["ankle"].max() == pytest.approx(2.80, abs=1.2)
    assert np.argmax(power["ankle"]) == pytest.approx(54, abs=4)
    # In swing nothing but the leg's own inertia and weight: small and without jerks.
    assert np.abs(hip_extensor[66:]).max() < 1.2
    assert np.abs(extensor[66:]).max() < 0.6


def test_ground_reaction(cycle: tuple[Truth, float]) -> None:
    truth, mass = cycle
    force = truth.ground_force_lab_N["L"] / (mass * 9.81)
    assert 1.0 < force[:30, 2].max() < 1.3
    assert 0.6 < force[20:40, 2].min() < 0.9
    assert 1.0 < force[40:, 2].max() < 1.3
    assert -0.25 < force[:30, 0].min() < -0.1
    assert 0.1 < force[30:, 0].max() < 0.25
    assert -0.1 < force[:, 1].min() < -0.02  # towards the other foot
    free = np.abs(truth.free_moment_Nm["L"]) / mass
    assert 0.01 < free.max() < 0.15
