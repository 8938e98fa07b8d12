"""Mechanical energy of the centre of mass, how much of it comes back, and the work of each leg on it.

Energy per body mass is g h + v^2 / 2, with h the height over the floor and v the velocity relative to it (to a belt, where there is
one). Walking exchanges the one for the other as a pendulum does. With W_f, W_v and W the sums of all rises, over one cycle, of the
forward kinetic energy, of potential and vertical kinetic energy together, and of their total, the recovery is ::

    100 (W_f + W_v - W) / (W_f + W_v)   percent

(Cavagna, Thys and Zamboni 1976, J Physiol 262:639). The power of one leg on the centre of mass is its own ground force times the
velocity of the centre of mass (Donelan, Kram and Kuo 2002, J Biomech 35:117); its positive and negative parts are summed over a
stance by themselves: while both feet stand the one leg brakes and the other one pushes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import dot
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.dynamics.body import FootContact
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class Energy:
    """Mechanical energy of the centre of mass and the legs' power on it, all per kg of body mass.

    Attributes
    ----------
    potential_J_kg : FloatArray
        (n,), over the floor.
    forward_J_kg, sideways_J_kg, vertical_J_kg : FloatArray
        (n,), kinetic energy of the velocity along, across and above the direction of progression.
    leg_power_W_kg : Mapping[str, FloatArray]
        Side -> (n,), NaN where that leg's ground force is not known.
    """

    potential_J_kg: FloatArray
    forward_J_kg: FloatArray
    sideways_J_kg: FloatArray
    vertical_J_kg: FloatArray
    leg_power_W_kg: Mapping[str, FloatArray]

    @property
    def total_J_kg(self) -> FloatArray:
        """Potential and kinetic energy (n,)."""
        return self.potential_J_kg + self.forward_J_kg + self.sideways_J_kg + self.vertical_J_kg


def mechanical_energy(
    height_m: FloatArray,
    velocity_lab_m_s: FloatArray,
    R_progression_lab: FloatArray,
    contacts: Mapping[str, FootContact],
    body_mass_kg: float,
) -> Energy:
    """Return the energy of the centre of mass and the legs' power on it in every frame.

    Parameters
    ----------
    height_m : FloatArray
        (n,), of the centre of mass over the floor.
    velocity_lab_m_s : FloatArray
        (n, 3), of the centre of mass relative to the floor, laboratory axes.
    R_progression_lab : FloatArray
        (3, 3), its rows forward, to the left and up, in laboratory components.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot; empty without plates.
    body_mass_kg : float
        Mass of the whole body, kg.

    Returns
    -------
    Energy
        Per kg of body mass: potential energy and kinetic energy forward, sideways and upward, J/kg, and power of each leg on the
        centre of mass, W/kg, all (n,); NaN where the force is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.energy import mechanical_energy
    >>> height, velocity = np.array([1.0, 1.02]), np.array([[1.4, 0.0, 0.0], [1.2, 0.0, 0.1]])
    >>> mechanical_energy(height, velocity, np.eye(3), {}, 70.0).total_J_kg.round(4)
    array([10.79  , 10.7312])
    """
    kinetic = 0.5 * (velocity_lab_m_s @ np.asarray(R_progression_lab).T) ** 2
    power = {
        side: np.where(contact.known, dot(contact.force_lab_N, velocity_lab_m_s), np.nan) / body_mass_kg
        for side, contact in contacts.items()
    }
    return Energy(GRAVITY_M_S2 * height_m, kinetic[:, 0], kinetic[:, 1], kinetic[:, 2], power)


def recovery_percent(forward: FloatArray, vertical: FloatArray) -> float:
    """Return how much of the energy comes back by exchange, percent (see the module); NaN where some of it is missing.

    Parameters
    ----------
    forward : FloatArray
        (n,), forward kinetic energy over one cycle, any unit.
    vertical : FloatArray
        (n,), potential and vertical kinetic energy together, the same unit.

    Returns
    -------
    float
        0 to 100; NaN where no energy rises, or some of it is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.energy import recovery_percent
    >>> phase = np.linspace(0.0, 4 * np.pi, 201)
    >>> round(recovery_percent(np.cos(phase), -np.cos(phase)), 6), round(recovery_percent(np.cos(phase), np.cos(phase)), 6)
    (100.0, 0.0)
    """
    of_forward, of_vertical, of_both = (_rises(energy) for energy in (forward, vertical, forward + vertical))
    exchanged = of_forward + of_vertical
    return 100.0 * (exchanged - of_both) / exchanged if exchanged > 0 else float("nan")


def _rises(energy: FloatArray) -> float:
    return float(np.maximum(np.diff(energy), 0.0).sum())


def energy_parameters(energy: Energy, cycles: Sequence[Cycle], time_s: FloatArray) -> tuple[GaitParameter, ...]:
    """Return recovery (%), and each leg's positive and negative work (J/kg) over a stance, of every cycle that shows them.

    Parameters
    ----------
    energy : Energy
        Energy of the trial, in every video frame.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``; a cycle that does not show them has none.
    """
    return tuple(
        GaitParameter(cycle.trial, cycle.side, cycle.number, name, value, unit)
        for cycle in cycles
        for name, value, unit in _of_cycle(energy, cycle, time_s)
        if np.isfinite(value)
    )


def _of_cycle(energy: Energy, cycle: Cycle, time_s: FloatArray) -> Iterator[tuple[str, float, str]]:
    if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY:
        whole = frames_within(time_s, cycle.start_s, cycle.end_s)
        vertical = energy.potential_J_kg + energy.vertical_J_kg
        yield "energy_recovery", recovery_percent(energy.forward_J_kg[whole], vertical[whole]), "%"
    power = energy.leg_power_W_kg.get(cycle.side)
    if power is not None and cycle.kinetics_valid is not KineticsValid.FALSE:
        stance = frames_within(time_s, cycle.start_s, cycle.foot_off_s)
        for name, part in (("positive", np.maximum(power[stance], 0.0)), ("negative", np.minimum(power[stance], 0.0))):
            yield f"leg_work_{name}", float((0.5 * (part[1:] + part[:-1]) * np.diff(time_s[stance])).sum()), "J/kg"
