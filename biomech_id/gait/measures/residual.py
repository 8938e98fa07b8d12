"""What the force plates leave unexplained of the whole body's motion: how large it is in each phase, and what it accuses.

The residual force of `dynamics.momentum` is looked at below 6 Hz (a fourth-order low-pass without lag on the plates' force and
on mass times acceleration alike: soft tissue and foot strikes lie above), in percent of body weight, along the direction of
progression, to the left and upwards. Plates, masses and clocks go wrong in ways of their own:

- a body mass, or a scale of the plates, that is wrong leaves a mean vertical force over;
- a sign that is turned makes the force run against mass times acceleration: the slope of the one on the other, 1 in an exact world,
  is negative;
- clocks that do not agree make both alike at another time than now.

Limits stand beside the names they belong to; ``benchmarks/studies/residual.md`` holds what they find, and how often they are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.vectors import matvec
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.dynamics.momentum import BodyMomentum, Ground, ground_residual
from biomech_id.signal.filters import lowpass
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

#: Both sides of the comparison hold nothing above this.
RESIDUAL_CUTOFF_HZ = 6.0
#: The filter's end shows for this long where a known stretch begins or ends.
END_S = 0.04
#: Less single support than this shows nothing.
LEAST_S = 0.3
#: Clocks are searched for a difference up to this.
LARGEST_LAG_S = 0.12
#: Axes of every triple here.
PROGRESSION_AXES: tuple[str, str, str] = ("fore_aft", "sideways", "vertical")
#: Root mean square in single support, % of body weight, beyond which a person should look.
LARGEST_PERCENT: Mapping[str, float] = {"fore_aft": 8.0, "sideways": 6.5, "vertical": 12.0}
#: Mean vertical force left over in single support, % of body weight. A gain or a mass that is 15 % off moves it by 13 to 18.
LARGEST_WEIGHT_PERCENT = 6.0
#: Slope of force on mass times acceleration below which a sign is turned. Sideways both are small, and a turn has no side.
LEAST_SLOPE: Mapping[str, float] = {"fore_aft": 0.0, "sideways": -0.4, "vertical": 0.0}
#: Lag of the plates behind the cameras beyond which clocks differ; soft tissue alone makes plates up to 16 ms late.
LARGEST_CLOCK_LAG_S = 0.027


@dataclass(frozen=True)
class PhaseResidual:
    """The residual in one phase of support; triples along the axes of progression: forward, to the left, up.

    Attributes
    ----------
    phase : str
        "single_L", "single_R" (that foot alone on the floor), "single" (either) or "double".
    frames : int
        Number of frames it is seen in.
    mean_percent, rms_percent : tuple[float, float, float]
        Residual force, % of body weight.
    moment_Nm_kg : tuple[float, float, float]
        Root mean square of the residual moment about the centre of mass, N m per kg of body mass.
    """

    phase: str
    frames: int
    mean_percent: tuple[float, float, float]
    rms_percent: tuple[float, float, float]
    moment_Nm_kg: tuple[float, float, float]

    @property
    def size_percent(self) -> float:
        """Root mean square of the residual force in space, % of body weight."""
        return float(np.linalg.norm(self.rms_percent))


@dataclass(frozen=True)
class ResidualTest:
    """What the residual of one trial says of plates, masses and clocks.

    Attributes
    ----------
    phases : Mapping[str, PhaseResidual]
        By name, those that are seen.
    slope : tuple[float, float, float]
        Of the ground's force on mass times acceleration, about their means, along the axes of progression.
    lag_s : float
        By which the plates are behind the cameras.
    causes : tuple[str, ...]
        What stands out, the likeliest cause first: "sign-vertical", "sign-fore_aft", "sign-sideways", "weight", "clock", "size".
    """

    phases: Mapping[str, PhaseResidual]
    slope: tuple[float, float, float]
    lag_s: float
    causes: tuple[str, ...]

    @property
    def single(self) -> PhaseResidual:
        """Single support, of either foot."""
        return self.phases["single"]


def judge_residual(
    body: BodyMomentum, ground: Ground, on_floor: Mapping[str, BoolArray], R_progression_lab: FloatArray, rate_hz: float
) -> ResidualTest | None:
    """Return what the residual says of a trial; None where there is too little single support on known plates.

    Parameters
    ----------
    body : BodyMomentum
        Momentum of the whole body about its centre, as tracked.
    ground : Ground
        The ground's action on it.
    on_floor : Mapping[str, BoolArray]
        Side -> (n,), whether that foot is on the floor.
    R_progression_lab : FloatArray
        (3, 3), its rows forward, to the left and up, in laboratory components.
    rate_hz : float
        Frames of the recording per second.

    Returns
    -------
    ResidualTest | None
        Residual of the whole body in single support, by phase; None where it cannot be judged.
    """
    weight_N = body.mass_kg * GRAVITY_M_S2
    force, inertia = _in_weights(body, ground, R_progression_lab, rate_hz)
    _, moment = ground_residual(body, ground)
    moment = matvec(R_progression_lab, lowpass(moment, rate_hz, RESIDUAL_CUTOFF_HZ)) / body.mass_kg
    seen = without_filter_ends(np.asarray(np.isfinite(force).all(axis=1)), rate_hz) & np.isfinite(inertia).all(axis=1)
    residual = 100.0 * (force - inertia - [0.0, 0.0, 1.0])
    masks = _phase_frames(on_floor, seen)
    if np.count_nonzero(masks["single"]) < LEAST_S * rate_hz or not weight_N > 0:
        return None
    phases = {name: _phase(name, residual[mask], moment[mask]) for name, mask in masks.items() if mask.any()}
    loaded = masks["single"] | masks["double"]
    slope = _slopes(force[loaded], inertia[loaded])
    lag_s = _lag_s(force, inertia, loaded, rate_hz)
    return ResidualTest(phases, slope, lag_s, tuple(_causes(phases["single"], slope, lag_s)))


def _in_weights(body: BodyMomentum, ground: Ground, R_progression_lab: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """The ground's force and mass times acceleration (n, 3), in body weights, axes of progression, below the cut-off."""
    weight_N = body.mass_kg * GRAVITY_M_S2
    force, inertia = (
        lowpass(each, rate_hz, RESIDUAL_CUTOFF_HZ) / weight_N
        for each in (ground.force_lab_N, body.mass_kg * body.com_acceleration_lab_m_s2)
    )
    return matvec(R_progression_lab, force), matvec(R_progression_lab, inertia)


def without_filter_ends(seen: BoolArray, rate_hz: float) -> BoolArray:
    """Return (n,) frames ``seen`` without those at either end of every stretch, in which the filter's end shows.

    Parameters
    ----------
    seen : BoolArray
        (n,), frames in which the ground's force is known.
    rate_hz : float
        Frames of the recording per second.

    Returns
    -------
    BoolArray
        (n,), a part of ``seen``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.residual import without_filter_ends
    >>> without_filter_ends(np.ones(5, dtype=bool), 50.0).tolist()
    [False, False, True, False, False]
    """
    ends, inner = round(END_S * rate_hz), np.zeros_like(seen)
    for first, last in runs(seen):
        inner[first + ends : max(last - ends, first + ends)] = True
    return inner


def _phase_frames(on_floor: Mapping[str, BoolArray], seen: BoolArray) -> dict[str, BoolArray]:
    left, right = (np.asarray(on_floor[side], dtype=np.bool_) for side in SIDES)
    masks = {"single_L": left & ~right, "single_R": right & ~left, "single": left ^ right, "double": left & right}
    return {name: np.asarray(mask & seen) for name, mask in masks.items()}


def _phase(name: str, residual: FloatArray, moment: FloatArray) -> PhaseResidual:
    mean, rms, turning = residual.mean(axis=0), np.sqrt((residual**2).mean(axis=0)), np.sqrt((moment**2).mean(axis=0))
    return PhaseResidual(name, len(residual), _triple(mean), _triple(rms), _triple(turning))


def _triple(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z


def _slopes(force: FloatArray, inertia: FloatArray) -> tuple[float, float, float]:
    """Slopes of the regression of force on mass times acceleration, about their means."""
    u, v = inertia - inertia.mean(axis=0), force - force.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _triple((u * v).sum(axis=0) / (u * u).sum(axis=0))


def _lag_s(force: FloatArray, inertia: FloatArray, frames: BoolArray, rate_hz: float) -> float:
    """By how much mass times acceleration has to be delayed to be most like the force, fore-aft and vertically together."""
    most = int(LARGEST_LAG_S * rate_hz)
    lags = np.arange(-most, most + 1)
    at = np.flatnonzero(frames)
    places = at[:, None] - lags
    inside = ((places >= 0) & (places < len(inertia))).all(axis=1)
    at, places = at[inside], places[inside]
    moved = inertia[places][..., [0, 2]]
    kept = np.isfinite(moved).all(axis=(1, 2))
    if np.count_nonzero(kept) < LEAST_S * rate_hz:
        return float("nan")
    moved, still = moved[kept], force[at[kept]][:, None, [0, 2]]
    apart = (still - still.mean(axis=0)) - (moved - moved.mean(axis=0))
    misfit = (apart**2).mean(axis=0).sum(axis=1)
    k = int(np.argmin(misfit))
    return float((lags[k] + _vertex(misfit, k)) / rate_hz)


def _vertex(values: FloatArray, k: int) -> float:
    """Where between its neighbours the parabola through the least value and them has its lowest point, in samples from it."""
    if not 0 < k < len(values) - 1:
        return 0.0
    before, least, after = values[k - 1 : k + 2]
    bend = before - 2 * least + after
    return float(0.5 * (before - after) / bend) if bend > 0 else 0.0


def _causes(single: PhaseResidual, slope: tuple[float, float, float], lag_s: float) -> Iterator[str]:
    mean = single.mean_percent[2]
    turned = [axis for axis, value in zip(PROGRESSION_AXES, slope, strict=True) if value < LEAST_SLOPE[axis]]
    # Of a vertical force that is turned two weights are missing; on crutches it may fall while the body rises.
    turned = [axis for axis in turned if axis != "vertical" or mean < -100.0]
    weight = abs(mean) > LARGEST_WEIGHT_PERCENT and "vertical" not in turned
    # What runs the wrong way, or is borne elsewhere in part, has no time at which it is alike.
    late = abs(lag_s) > LARGEST_CLOCK_LAG_S and not {"vertical", "fore_aft"} & set(turned) and not (weight and mean < 0)
    yield from (f"sign-{axis}" for axis in reversed(turned))
    yield from (name for name, accused in (("weight", weight), ("clock", late)) if accused)
    large = any(value > LARGEST_PERCENT[axis] for axis, value in zip(PROGRESSION_AXES, single.rms_percent, strict=True))
    if large and not (turned or weight or late):
        yield "size"
