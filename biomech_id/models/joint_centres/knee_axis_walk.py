"""The knee's axis from the walk itself: the turn of the thigh about its length that leaves the knee the least varus.

A thigh marker that sits too far forward or back turns the thigh's axes about its length, and with them the knee's: part of its
flexion then shows as varus, most where it flexes most. Seen from the thigh, the shank's long axis swings in one plane; the turn
that lays that plane along the thigh's own sagittal one takes the cross-talk away (two-degree-of-freedom calibration; Baker, Finney
and Orr 1999, Hum Mov Sci 18:655). It is the direction of the largest variance of (sin flexion cos varus, sin varus), and needs no
model but the angles'.

It takes real varus that grows with flexion, a thrust, and part of a fixed one for cross-talk too, and it says nothing about a knee
that hardly bends: below 30 degrees of flexion in swing it is refused. So it is offered, never taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, over_seen
from biomech_id.algebra.vectors import matvec_transposed
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import InvalidValueError
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: Least flexion in swing, deg: a knee that bends less does not show its axis; and from where another axis may be offered.
LEAST_FLEXION_DEG, OFFERED_FLEXION_DEG = 30.0, 40.0
#: Share of the foot's own largest speed above which it swings, and how long at least, s.
SWINGS, SHORTEST_SWING_S = 0.5, 0.15
#: Range of varus in swing, deg, that none of 38 legs of 19 sessions reaches (24.1 the largest), and that six of seven stay below.
WIDE_DEG, BROAD_DEG = 25.0, 15.0
#: Slope of varus on flexion in swing, deg a deg, that 95 % of 28 healthy legs do not exceed (in the conventional model; the legs
#: stand in ``benchmarks/studies/healthy_knees.md``), and from which it is worth a line.
HEALTHY_SLOPE, SEEN_SLOPE = 0.35, 0.25
#: Correlation above which varus follows flexion closely, as in one of five of those legs.
CLOSE_CORRELATION = 0.8
#: An axis is offered only where its turn is this many times its own error.
OFFERED_ERRORS = 3.0


class KneeEvidence(StrEnum):
    """What a limb's swings show of its knee's axis; that nothing is seen does not say that the axis is right."""

    TURNED = "turned"
    WIDE = "wide"
    FOLLOWS = "follows"
    NOT_SEEN = "not seen"
    NOT_JUDGED = "could not run"


@dataclass(frozen=True)
class KneeTurn:
    """The turn of one thigh that leaves its knee the least varus.

    Attributes
    ----------
    side : str
        Which side, "L" or "R".
    turn_rad : float
        Turn of the thigh's axes about its length, outward positive.
    flexion_deg : float
        Largest flexion in swing.
    varus_range_deg : float
        Range of varus in a swing as it is, mean over the swings.
    varus_range_then_deg : float
        The same range with the thigh's axes turned.
    slope : float
        Of varus on flexion in swing, deg a deg (least squares).
    correlation : float
        Correlation of varus and flexion there; 0 where one of them does not change.
    error_rad : float
        Standard error of this turn, from the residuals or, where that is larger, from leaving each swing out. It is not the error
        of the axis: the turns of healthy legs have a standard deviation of 12 degrees.
    """

    side: str
    turn_rad: float
    flexion_deg: float
    varus_range_deg: float
    varus_range_then_deg: float
    slope: float = 0.0
    correlation: float = 0.0
    error_rad: float = 0.0

    @property
    def evidence(self) -> KneeEvidence:
        """The one rule that decides what is said of this knee's axis."""
        close = abs(self.correlation) >= CLOSE_CORRELATION
        if beyond_healthy(self.slope, self.correlation):
            return KneeEvidence.TURNED
        if self.varus_range_deg > WIDE_DEG:
            return KneeEvidence.WIDE
        broad = self.varus_range_deg > BROAD_DEG and abs(self.slope) >= SEEN_SLOPE and close
        return KneeEvidence.FOLLOWS if broad else KneeEvidence.NOT_SEEN

    @property
    def offered(self) -> bool:
        """Whether the turned axis may be shown as a second result: never taken by itself."""
        return self.flexion_deg >= OFFERED_FLEXION_DEG and abs(self.turn_rad) > OFFERED_ERRORS * self.error_rad


def beyond_healthy(slope: float, correlation: float) -> bool:
    """Whether varus follows flexion in swing as closely, and by as much, as in fewer than one of twenty healthy legs.

    Parameters
    ----------
    slope : float
        Varus on flexion in swing, deg a deg, as of `KneeTurn`.
    correlation : float
        Of varus and flexion there, as of `KneeTurn`.

    Examples
    --------
    >>> from biomech_id.models.joint_centres.knee_axis_walk import beyond_healthy
    >>> beyond_healthy(-0.42, -0.93), beyond_healthy(0.42, 0.60), beyond_healthy(0.30, 0.99)
    (True, False, False)
    """
    return abs(slope) >= HEALTHY_SLOPE and abs(correlation) >= CLOSE_CORRELATION


def knee_turn(motions: Sequence[BodyMotion], side: str) -> KneeTurn:
    """Return the turn of a thigh that leaves its knee the least varus in some walks.

    Parameters
    ----------
    motions : Sequence[BodyMotion]
        Walks of one placement of the markers, tracked by either model.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    KneeTurn
        Of all walks together, swing phases only.

    Raises
    ------
    InvalidValueError
        The knee flexes by less than 30 degrees in swing, or is not seen there.

    Examples
    --------
    >>> import biomech_id as bid
    >>> from biomech_id.models.joint_centres.knee_axis_walk import knee_turn
    >>> person = bid.virtual_subject()
    >>> motion = bid.conventional_model(person.static().trial).track(person.walk().trial)
    >>> found = knee_turn([motion], "R")
    >>> found.varus_range_then_deg < found.varus_range_deg  # its knees do show varus, which would be taken away
    True
    """
    swings = [swing for motion in motions for swing in _swings(motion, side)]
    angles = np.concatenate([np.zeros((0, 3)), *swings])
    flexion_deg = float(np.rad2deg(angles[:, 0].max())) if len(angles) else float("nan")
    if not flexion_deg >= LEAST_FLEXION_DEG:
        raise InvalidValueError(
            f"The knee ({side}) flexes by {flexion_deg:.0f} degrees in swing, which does not show its axis.",
            value=flexion_deg, expected=f"at least {LEAST_FLEXION_DEG:g} degrees", where=", ".join(m.name for m in motions),
        )  # fmt: skip
    turn, error = _turn(swings)
    then = [np.arcsin(np.clip(_seen(swing) @ [-np.sin(turn), np.cos(turn)], -1.0, 1.0)) for swing in swings]
    ranges = (_range_deg([swing[:, 1] for swing in swings]), _range_deg(then))
    return KneeTurn(side, turn, flexion_deg, *ranges, *_line(angles[:, 0], angles[:, 1]), error)


def _seen(swing: FloatArray) -> FloatArray:
    """The shank's long axis seen along the thigh (k, 2): sin flexion cos varus, sin varus."""
    return np.stack([np.sin(swing[:, 0]) * np.cos(swing[:, 1]), np.sin(swing[:, 1])], axis=1)


def _turn(swings: Sequence[FloatArray]) -> tuple[float, float]:
    """Direction of the largest variance of the shank's axis over some swings, rad, and its standard error."""

    def direction(points: FloatArray) -> float:
        covariance = np.cov(points.T)
        return 0.5 * float(np.arctan2(2 * covariance[0, 1], covariance[0, 0] - covariance[1, 1]))

    each = [_seen(swing) for swing in swings]
    points = np.concatenate(each)
    turn, n = direction(points), len(each)
    across = points @ [-np.sin(turn), np.cos(turn)]
    error = float(across.std() / points[:, 0].std() / np.sqrt(3 * n - 2))
    if n >= 3:
        without = np.array([direction(np.concatenate([*each[:i], *each[i + 1 :]])) for i in range(n)])
        error = max(error, float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())))
    return turn, error


def _line(flexion_rad: FloatArray, varus_rad: FloatArray) -> tuple[float, float]:
    """Slope of varus on flexion, and their correlation; 0 where one of them does not change."""
    (flexes, together), (_, bends) = np.cov(flexion_rad, varus_rad)
    correlation = together / np.sqrt(flexes * bends) if flexes * bends > 0 else 0.0
    return float(together / flexes) if flexes > 0 else 0.0, float(correlation)


def wand_turn_rad(
    turn_rad: float,
    motions: Sequence[BodyMotion],
    wands_lab_m: Sequence[FloatArray],
    knee_markers_lab_m: Sequence[FloatArray],
    side: str,
) -> float:
    """Return by how much a thigh marker has to sit turned about the thigh to turn the knee's axis so.

    Seen along the thigh, the axis of the conventional model lies in the plane of hip centre, knee marker and thigh marker, which
    turns about the line through the first two: the nearer a marker sits to that line, the more a displacement turns it. With w the
    marker's distance from the line of the centres, and e that of the line from hip centre to knee marker at the marker's height, ::

        sin(turn - marker) = (e / w) sin(turn)

    Parameters
    ----------
    turn_rad : float
        Turn of the thigh's axes, outward positive, as `KneeTurn` has it.
    motions : Sequence[BodyMotion]
        Walks, tracked by the conventional model.
    wands_lab_m : Sequence[FloatArray]
        (n, 3) path of the thigh marker in each walk, laboratory axes, metres.
    knee_markers_lab_m : Sequence[FloatArray]
        (n, 3) path of the knee marker in each walk, laboratory axes, metres.
    side : str
        Which side, "L" or "R".

    Returns
    -------
    float
        rad, backward positive; NaN where a marker is not seen, or the thigh marker sits on that line or inside of it.

    Examples
    --------
    >>> import numpy as np
    >>> import biomech_id as bid
    >>> from biomech_id.models.joint_centres.knee_axis_walk import wand_turn_rad
    >>> person = bid.virtual_subject()
    >>> motion = bid.conventional_model(person.static().trial).track(person.walk().trial)
    >>> wand, knee = (person.walk().trial.markers[name] for name in ("RTHI", "RKNE"))
    >>> round(float(np.rad2deg(wand_turn_rad(np.deg2rad(20.0), [motion], [wand], [knee], "R"))))
    -12
    """
    places, markers = [], []
    for motion, wand, knee_marker in zip(motions, wands_lab_m, knee_markers_lab_m, strict=True):
        knee, hip = (motion.joint_centres_lab_m[side, joint] for joint in ("knee", "hip"))
        R_lab_thigh = motion.motions[side, "thigh"].frames.R_lab_seg
        places.append(np.column_stack([matvec_transposed(R_lab_thigh, wand - knee), np.linalg.norm(hip - knee, axis=1)]))
        markers.append(matvec_transposed(R_lab_thigh, knee_marker - knee))
    x, y, z, length = over_seen(np.nanmedian, np.concatenate(places), axis=0)
    beside = abs(over_seen(np.nanmedian, np.concatenate(markers), axis=0)[1]) * (1.0 - z / length)
    aside = float(np.hypot(x, y))
    if not 0.0 < beside < aside:
        return float("nan")
    return float(np.arcsin(beside / aside * np.sin(turn_rad)) - turn_rad)


def _swings(motion: BodyMotion, side: str) -> list[FloatArray]:
    """Knee angles (k, 3), rad, of each swing of the foot."""
    ankle = motion.joint_centres_lab_m[side, "ankle"]
    speed = np.linalg.norm(np.gradient(ankle, 1.0 / motion.rate_hz, axis=0), axis=1)
    angles = motion.joint_angles_rad[side, "knee"]
    known: BoolArray = np.asarray(np.isfinite(speed) & np.isfinite(angles).all(axis=1))
    if not known.any():
        return []
    swinging = runs(known & (speed > SWINGS * np.percentile(speed[known], 98)))
    return [angles[first:last] for first, last in swinging if last - first >= SHORTEST_SWING_S * motion.rate_hz]


def _range_deg(swings_rad: Sequence[FloatArray]) -> float:
    return float(np.rad2deg(np.mean([np.ptp(angle_rad) for angle_rad in swings_rad])))
