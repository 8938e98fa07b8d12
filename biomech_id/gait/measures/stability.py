"""Margin of stability: how far the extrapolated centre of mass is from the edges of the foot that stands (Hof 2005).

Somebody on one stiff leg is an inverted pendulum of length l. Its centre of mass c, moving at v over the floor, comes to rest above
a foot placed at, or beyond, ::

    x = c + v / omega_0,      omega_0 = sqrt(g / l)

(Hof, Gazendam and Sinke 2005, J Biomech 38:1), on level ground, horizontally. Here l is the mean distance of the ankle markers from
the centre of mass, v is relative to the belt under that foot and taken below 6 Hz. The margin is the distance from x to an edge of
that foot, positive where x lies inside, on the body's side of it:

- sideways, across the direction of travel, to the ankle's marker and to that on the fifth metatarsal, at the foot's strike, and the
  least while it stands alone;
- fore-aft, along the direction of travel, to the toe marker, at the strike: positive where x is behind it.

A turn has no sideways, and who leans on a crutch, a walker or a rail stands on more than feet: there is no margin then. None is
good or bad by itself: patients who are not sure widen their steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN
from biomech_id.feet.floor import Belts
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.values import dataclass

#: Edge of the foot -> whether the margin to it is measured sideways (else fore-aft).
EDGES: Mapping[str, bool] = {"ankle": True, "metatarsal_5": True, "toe": False}


@dataclass(frozen=True, eq=False)
class Stability:
    """The extrapolated centre of mass and the margins to the edges of both feet.

    Attributes
    ----------
    pendulum_m : float
        Length of the inverted pendulum, l, metres.
    xcom_lab_m : FloatArray
        (n, 2), extrapolated centre of mass, laboratory X and Y, metres, its velocity relative to the mean of the belts.
    margin_m : Mapping[tuple[str, str], FloatArray]
        (side, edge of `EDGES`) -> (n,), metres, positive inside, whether or not that foot stands.
    """

    pendulum_m: float
    xcom_lab_m: FloatArray
    margin_m: Mapping[tuple[str, str], FloatArray]


def margins_of_stability(
    com_lab_m: FloatArray,
    com_velocity_lab_m_s: FloatArray,
    edges_lab_m: Mapping[tuple[str, str], FloatArray],
    direction_lab: FloatArray,
    *,
    belts: Belts | None = None,
    time_s: FloatArray | None = None,
) -> Stability:
    """Return the margins of stability in every frame.

    Parameters
    ----------
    com_lab_m : FloatArray
        (n, 3), centre of mass, metres, laboratory axes.
    com_velocity_lab_m_s : FloatArray
        (n, 3), its velocity, without noise.
    edges_lab_m : Mapping[tuple[str, str], FloatArray]
        (side, edge of `EDGES`) -> (n, 3), marker on it; "ankle" gives l too.
    direction_lab : FloatArray
        (2,), horizontal unit vector of travel relative to the floor, laboratory axes.
    belts : Belts | None, optional
        Side -> belt under that foot; None over ground.
    time_s : FloatArray | None, optional
        (n,), of the frames, seconds; needed with belts.

    Returns
    -------
    Stability
        Extrapolated centre of mass (n, 2) and margins (n,), metres.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.stability import margins_of_stability
    >>> com, velocity = np.array([[0.0, 0.0, 0.981]]), np.array([[0.5, 0.1, 0.0]])
    >>> ankle = {("L", "ankle"): np.array([[0.0, 0.09, 0.0]])}
    >>> found = margins_of_stability(com, velocity, ankle, np.array([1.0, 0.0]))
    >>> round(found.pendulum_m, 3), found.xcom_lab_m.round(3), found.margin_m["L", "ankle"].round(3)
    (0.985, array([[0.158, 0.032]]), array([0.058]))
    """
    lengths = [np.linalg.norm(marker - com_lab_m, axis=1) for (_, edge), marker in edges_lab_m.items() if edge == "ankle"]
    pendulum_m = float(np.mean([over_seen(np.nanmean, length) for length in lengths])) if lengths else float("nan")
    seconds = np.sqrt(pendulum_m / GRAVITY_M_S2)
    moving = _belt_velocities(belts or {}, time_s, len(com_lab_m))
    forward = np.asarray(direction_lab, dtype=np.float64)
    left = np.array([-forward[1], forward[0]])
    margin = {}
    for (side, edge), marker in edges_lab_m.items():
        velocity = com_velocity_lab_m_s[:, :2] - moving.get(side, 0.0)
        inside = marker[:, :2] - (com_lab_m[:, :2] + velocity * seconds)
        margin[side, edge] = np.asarray(SIDE_SIGN[side] * (inside @ left) if EDGES[edge] else inside @ forward)
    mean_belt = np.mean(list(moving.values()), axis=0) if moving else 0.0
    xcom = com_lab_m[:, :2] + (com_velocity_lab_m_s[:, :2] - mean_belt) * seconds
    return Stability(pendulum_m, np.asarray(xcom), margin)


def _belt_velocities(belts: Belts, time_s: FloatArray | None, n: int) -> dict[str, FloatArray]:
    """Side -> (n, 2), velocity of the belt under that foot, m/s, laboratory axes."""
    if time_s is None:
        return {side: np.broadcast_to(belt.mean_lab_m_s, (n, 2)) for side, belt in belts.items()}
    return {
        side: np.stack([np.interp(time_s, belt.time_s, belt.velocity_lab_m_s[:, axis]) for axis in (0, 1)], axis=1)
        for side, belt in belts.items()
    }


def stability_parameters(stability: Stability, cycles: Sequence[Cycle], time_s: FloatArray) -> tuple[GaitParameter, ...]:
    """Return the margins of every cycle, metres: at its strike, and the least sideways ones while its foot stands alone.

    Parameters
    ----------
    stability : Stability
        Margins in every frame.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, metres, positive inside.
    """
    return tuple(
        GaitParameter(cycle.trial, cycle.side, cycle.number, name, value, "m")
        for cycle in cycles
        if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY
        for name, value in _of_cycle(stability, cycle, time_s)
        if np.isfinite(value)
    )


def _of_cycle(stability: Stability, cycle: Cycle, time_s: FloatArray) -> Iterator[tuple[str, float]]:
    at_strike = int(np.argmin(np.abs(time_s - cycle.start_s)))
    alone = frames_within(time_s, cycle.opposite_off_s, cycle.opposite_strike_s)
    for edge, sideways in EDGES.items():
        margin = stability.margin_m.get((cycle.side, edge))
        if margin is None:
            continue
        way = "sideways" if sideways else "fore_aft"
        yield f"margin_of_stability_{way}_{edge}_strike", float(margin[at_strike])
        if sideways and alone.any():
            yield f"margin_of_stability_{way}_{edge}_single_support", float(over_seen(np.nanmin, margin[alone]))
