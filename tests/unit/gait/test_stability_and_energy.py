"""Margins of stability, energy and leg work, trunk and arms, on walkers whose numbers are known by hand or by a law."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import FootContact
from biomech_id.feet.floor import Belt
from biomech_id.gait.measures.energy import energy_parameters, mechanical_energy
from biomech_id.gait.measures.stability import margins_of_stability, stability_parameters
from biomech_id.gait.measures.trunk_and_arms import (
    angular_momentum_parameters,
    arm_swing_parameters,
    excursion_parameters,
    trunk_parameters,
)
from biomech_id.movement.cycle import Cycle, KineticsValid

TIME_S = np.arange(101) / 100.0
LEFT = Cycle("walk", "L", 1, 0.0, 1.0, 0.6, 0.1, 0.5, KineticsValid.TRUE)
RIGHT = Cycle("walk", "R", 1, 0.0, 1.0, 0.6, 0.1, 0.5, KineticsValid.TRUE)
STANCE_ONLY = Cycle("walk", "L", 2, 0.0, 1.0, 0.6, 0.1, 0.5, KineticsValid.STANCE_ONLY)


def turned(vectors: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return vectors @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).T


def walker(angle: float = 0.0, belt_m_s: float = 0.0) -> tuple[np.ndarray, np.ndarray, dict[tuple[str, str], np.ndarray]]:
    """A centre of mass 0.9 m up that sways by 20 mm at 1.2 m/s; feet 80 mm to either side, toes 150 mm before the ankles."""
    zero, one = np.zeros(101), np.ones(101)
    com = np.stack([(1.2 - belt_m_s) * TIME_S, 0.02 * np.sin(2 * np.pi * TIME_S), 0.9 * one], axis=1)
    velocity = np.stack([(1.2 - belt_m_s) * one, 0.04 * np.pi * np.cos(2 * np.pi * TIME_S), zero], axis=1)
    away = np.stack([-belt_m_s * TIME_S, zero, zero], axis=1)
    edges = {}
    for side, s in (("L", 1.0), ("R", -1.0)):
        for edge, ahead, out in (("ankle", 0.0, 0.08), ("metatarsal_5", 0.12, 0.09), ("toe", 0.15, 0.08)):
            edges[side, edge] = turned(away + [ahead, s * out, 0.0], angle)
    return turned(com, angle), turned(velocity, angle), edges


def found(angle: float = 0.0, belt_m_s: float = 0.0) -> dict[tuple[str, str], float]:
    com, velocity, edges = walker(angle, belt_m_s)
    belts = {side: Belt(np.zeros(1), turned(np.array([[-belt_m_s, 0.0, 0.0]]), angle)[:, :2]) for side in "LR"} if belt_m_s else {}
    ahead = turned(np.array([[1.0, 0.0, 0.0]]), angle)[0, :2]
    stability = margins_of_stability(com, velocity, edges, ahead, belts=belts, time_s=TIME_S)
    rows = stability_parameters(stability, [LEFT, RIGHT, STANCE_ONLY], TIME_S)
    assert all(row.unit == "m" and row.cycle == 1 for row in rows)
    return {(row.side, row.parameter): row.value for row in rows}


def test_margins_are_hofs() -> None:
    com, _, edges = walker()
    pendulum = np.mean([np.linalg.norm(edges[side, "ankle"] - com, axis=1).mean() for side in "LR"])
    seconds = np.sqrt(pendulum / GRAVITY_M_S2)
    margins = found()
    # At the strike the body is in the middle and moves to the left.
    outwards = 0.04 * np.pi * seconds
    assert margins["L", "margin_of_stability_sideways_ankle_strike"] == pytest.approx(0.08 - outwards, abs=1e-12)
    assert margins["R", "margin_of_stability_sideways_ankle_strike"] == pytest.approx(0.08 + outwards, abs=1e-12)
    assert margins["L", "margin_of_stability_sideways_metatarsal_5_strike"] == pytest.approx(0.09 - outwards, abs=1e-12)
    assert margins["L", "margin_of_stability_fore_aft_toe_strike"] == pytest.approx(0.15 - 1.2 * seconds, abs=1e-12)
    alone = (TIME_S >= 0.1) & (TIME_S <= 0.5)
    sway = 0.02 * np.sin(2 * np.pi * TIME_S) + 0.04 * np.pi * np.cos(2 * np.pi * TIME_S) * seconds
    least = margins["L", "margin_of_stability_sideways_ankle_single_support"]
    assert least == pytest.approx(0.08 - sway[alone].max(), abs=1e-12)
    assert "margin_of_stability_fore_aft_toe_single_support" not in {name for _, name in margins}


@pytest.mark.parametrize("angle", [0.5, np.pi / 2, np.pi])
def test_margins_do_not_ask_where_the_laboratory_points(angle: float) -> None:
    assert found(angle) == pytest.approx(found(), abs=1e-12)


def test_a_belt_under_the_feet_changes_no_margin_at_a_strike() -> None:
    """Who walks on a belt is as stable as who walks over ground; without the belt's speed margins would be 40 cm off."""
    strike = {key: value for key, value in found(belt_m_s=1.2).items() if key[1].endswith("strike")}
    over_ground = {key: value for key, value in found().items() if key[1].endswith("strike")}
    # The ankles stay behind on the belt and the body on the floor, by the same way: only l is the same to the last digit.
    assert strike == pytest.approx(over_ground, abs=1e-9)
    com, velocity, edges = walker(belt_m_s=1.2)
    ignored = margins_of_stability(com, velocity, edges, np.array([1.0, 0.0]))
    assert ignored.margin_m["L", "toe"][0] - strike["L", "margin_of_stability_fore_aft_toe_strike"] > 0.35


def contacts_of(force: np.ndarray, share: np.ndarray) -> dict[str, FootContact]:
    known, zero = np.ones(len(force), dtype=bool), np.zeros_like(force)
    return {s: FootContact(s, f[:, None] * force, zero, known) for s, f in (("L", share), ("R", 1.0 - share))}


def test_the_work_of_both_legs_is_the_change_of_energy() -> None:
    """Work-energy theorem: whatever each leg bears, what both do to the centre of mass is what its energy gains."""
    mass_kg, phase = 60.0, 2 * np.pi * TIME_S
    velocity = np.stack([1.2 + 0.2 * np.cos(phase), 0.1 * np.sin(phase), 0.3 * np.cos(phase / 3)], axis=1)
    height = 0.9 + 0.9 / (2 * np.pi) * np.sin(phase / 3)
    bend = np.stack([-0.4 * np.pi * np.sin(phase), 0.2 * np.pi * np.cos(phase), -0.2 * np.pi * np.sin(phase / 3)], axis=1)
    force = mass_kg * (bend + [0.0, 0.0, GRAVITY_M_S2])
    energy = mechanical_energy(height, velocity, np.eye(3), contacts_of(force, 0.5 + 0.4 * np.sin(5 * phase)), mass_kg)
    stance = [Cycle("walk", s, 1, 0.0, 1.0, 1.0, 0.1, 0.5, KineticsValid.TRUE) for s in "LR"]
    rows = energy_parameters(energy, stance, TIME_S)
    work = sum(row.value for row in rows if row.parameter.startswith("leg_work"))
    assert work == pytest.approx(energy.total_J_kg[-1] - energy.total_J_kg[0], abs=2e-4)
    assert {row.unit for row in rows if row.parameter.startswith("leg_work")} == {"J/kg"}
    by_leg = {(row.side, row.parameter): row.value for row in rows}
    assert by_leg["L", "leg_work_positive"] > 0 > by_leg["R", "leg_work_negative"]


def test_a_leg_whose_force_is_unknown_has_no_work() -> None:
    velocity, zero = np.tile([1.0, 0.0, 0.1], (101, 1)), np.zeros((101, 3))
    known = TIME_S > 0.3
    contact = {"L": FootContact("L", zero + 100.0, zero, known)}
    energy = mechanical_energy(np.full(101, 0.9), velocity, np.eye(3), contact, 60.0)
    names = {row.parameter for row in energy_parameters(energy, [LEFT, RIGHT], TIME_S)}
    assert not {name for name in names if name.startswith("leg_work")}


def test_a_pendulum_recovers_all_and_a_bouncing_ball_nothing() -> None:
    swing = 0.05 * np.cos(4 * np.pi * TIME_S)
    zero = np.zeros(101)
    for sign, recovered in ((-1.0, 100.0), (1.0, 0.0)):
        speed = np.sqrt(2 * (1.0 + sign * swing))
        energy = mechanical_energy((1.0 + swing) / GRAVITY_M_S2, np.stack([speed, zero, zero], axis=1), np.eye(3), {}, 60.0)
        (row,) = energy_parameters(energy, [LEFT], TIME_S)
        assert (row.parameter, row.unit) == ("energy_recovery", "%")
        assert row.value == pytest.approx(recovered, abs=1e-6)


def test_trunk_arms_and_spin() -> None:
    lean = np.deg2rad(3.0 + 2.0 * np.sin(2 * np.pi * TIME_S))
    rows = trunk_parameters({("L", "laboratory"): lean, ("R", "laboratory"): -lean}, [LEFT, RIGHT, STANCE_ONLY], TIME_S)
    values = {(row.side, row.parameter): row.value for row in rows}
    assert values["L", "trunk_lean_laboratory"] == pytest.approx(3.0, abs=1e-6)
    assert values["R", "trunk_lean_laboratory"] == pytest.approx(-3.0, abs=1e-6)
    assert values["L", "trunk_sway_laboratory"] == pytest.approx(4.0, abs=1e-6)
    flexion = {"L": np.deg2rad(15.0 * np.sin(2 * np.pi * TIME_S)), "R": np.deg2rad(10.0 * np.sin(2 * np.pi * TIME_S))}
    swing = {(row.side, row.parameter): row.value for row in arm_swing_parameters(flexion, [LEFT, RIGHT], TIME_S)}
    assert swing["L", "arm_swing"] == pytest.approx(30.0, abs=1e-6)
    assert swing["", "arm_swing_symmetry"] == pytest.approx(40.0, abs=1e-6)
    unseen = {"L": flexion["L"], "R": np.full(101, np.nan)}
    assert {row.parameter for row in arm_swing_parameters(unseen, [LEFT, RIGHT], TIME_S)} == {"arm_swing"}
    momentum = 0.01 * np.stack([np.sin(2 * np.pi * TIME_S), 2 * np.cos(2 * np.pi * TIME_S), 0 * TIME_S], axis=1)
    spin = {row.parameter: row.value for row in angular_momentum_parameters(momentum, [LEFT], TIME_S)}
    assert spin == pytest.approx(
        {"angular_momentum_range_frontal": 0.02, "angular_momentum_range_sagittal": 0.04, "angular_momentum_range_transverse": 0.0},
        abs=1e-6,
    )


def test_who_drifts_does_not_sway() -> None:
    com = np.stack(
        [1.2 * TIME_S, 0.3 * TIME_S + 0.02 * np.sin(2 * np.pi * TIME_S), 0.9 + 0.02 * np.cos(4 * np.pi * TIME_S)], axis=1
    )
    rows = {row.parameter: row.value for row in excursion_parameters(com, [LEFT], TIME_S)}
    assert rows == pytest.approx({"centre_of_mass_vertical": 0.04, "centre_of_mass_sideways": 0.04}, abs=1e-6)
