"""Checks that pass on sound loads and fail on doctored ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.wrench import Wrench
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.dynamics.selfcheck import block_checks, energy_check, self_checks


def test_sound_loads_pass_every_check(make_body: Any, make_contacts: Any) -> None:
    body = make_body()
    brace = External("R shank", Wrench(np.full((body.n_frames, 3), 9.0), np.ones((body.n_frames, 3)), np.ones(3)))
    checks = self_checks(solve_body(body, make_contacts(unknown={"L": [2]}), extra=[brace]))
    assert [check.verdict for check in checks] == ["passed"] * 3
    assert all(check.value < check.limit for check in checks)
    assert str(checks[0].sentence).startswith("self-check: residual of the block system: ")
    assert str(checks[0].sentence).endswith("N or N m (limit 1e-09): passed")


def test_a_moment_off_by_a_millinewton_metre_fails(make_body: Any, make_contacts: Any) -> None:
    loads = solve_body(make_body(), make_contacts()).chain_loads
    assert loads is not None
    moment = loads.moment_lab_Nm.copy()
    moment[3, 1, 0] += 1e-3
    residual, difference = block_checks(replace(loads, moment_lab_Nm=moment))
    assert (residual.verdict, difference.verdict) == ("failed", "failed")
    assert difference.value == pytest.approx(1e-3, rel=1e-6)


@pytest.mark.parametrize("coefficients", [1, 5 * 42**2, 10_000_000])
def test_every_stretch_of_a_long_recording_is_checked(
    make_body: Any, make_contacts: Any, monkeypatch: pytest.MonkeyPatch, coefficients: int
) -> None:
    monkeypatch.setattr("biomech_id.dynamics.selfcheck.HELD_COEFFICIENTS", coefficients)
    body = make_body(per_frame=True)
    brace = External(
        "R shank", Wrench(np.random.default_rng(1).normal(0, 9, (body.n_frames, 3)), np.ones((body.n_frames, 3)), np.ones(3))
    )
    loads = solve_body(
        body, make_contacts(), extra=[brace], gravity_lab_m_s2=np.tile([0.1, 0.2, -9.8], (body.n_frames, 1))
    ).chain_loads
    assert loads is not None
    assert {check.verdict for check in block_checks(loads)} == {"passed"}
    for frame in (0, 5, body.n_frames - 1):
        moment = loads.moment_lab_Nm.copy()
        moment[frame, 1, 0] += 1e-3
        assert block_checks(replace(loads, moment_lab_Nm=moment))[1].value == pytest.approx(1e-3, rel=1e-6)


def test_a_power_with_the_wrong_sign_fails(make_body: Any, make_contacts: Any) -> None:
    loads = solve_body(make_body(), make_contacts())
    knee = loads["L", "knee"]
    swapped = replace(knee, distal=knee.proximal, proximal=knee.distal)
    assert energy_check(loads).verdict == "passed"
    assert energy_check(replace(loads, loads=dict(loads.loads) | {("L", "knee"): swapped})).verdict == "failed"


def test_no_kinetics_is_nothing_to_check(make_body: Any) -> None:
    checks = self_checks(solve_body(make_body(), {}))
    assert {check.verdict for check in checks} == {"nothing to check"}
    assert self_checks(solve_body(make_body(sides=()), {})) == ()
    assert energy_check(JointLoads({}, make_body(sides=()), {})).verdict == "nothing to check"
