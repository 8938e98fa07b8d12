"""Named bursts of joint power: A1 and A2 at the ankle, K1 to K4 at the knee, H1 to H3 at the hip.

Names and meaning are Winter's (The Biomechanics and Motor Control of Human Gait, 2nd ed., 1991). He reads them off the curve; here
each is the extremum within a window that scales with the cycle's own foot off, so that early and late foot-off are treated alike. A
burst of the wrong sign is no burst: where nothing is absorbed there is no A1. Powers are the total joint power, as plotted; the
sagittal share of each can be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Burst:
    """Rule of one burst.

    Attributes
    ----------
    name : str
        Name in the literature: "A2", "K3", "H1".
    joint : str
        Joint whose power it is of: "ankle", "knee" or "hip".
    generates : bool
        True for a maximum (generation), False for a minimum (absorption).
    first : float
        Ends of the window on a scale on which 0 is the strike, 1 the foot off, 2 the next strike.
    last : float
        Ends of the window on a scale on which 0 is the strike, 1 the foot off, 2 the next strike.
    after : str, optional
        Names of bursts of the same joint, found earlier, that bound the window more tightly; "" if none.
    before : str, optional
        Names of bursts of the same joint, found earlier, that bound the window more tightly; "" if none.
    """

    name: str
    joint: str
    generates: bool
    first: float
    last: float
    after: str = ""
    before: str = ""


#: In the order they are looked for.
BURSTS: tuple[Burst, ...] = (
    Burst("A2", "ankle", True, 0.60, 1.05),
    Burst("A1", "ankle", False, 0.05, 0.90, before="A2"),
    Burst("K1", "knee", False, 0.00, 0.35),
    Burst("K2", "knee", True, 0.10, 0.70, after="K1"),
    Burst("K3", "knee", False, 0.70, 1.40),
    Burst("K4", "knee", False, 1.45, 2.00),
    Burst("H1", "hip", True, 0.00, 0.55),
    Burst("H2", "hip", False, 0.30, 0.95, after="H1"),
    Burst("H3", "hip", True, 0.75, 1.50, after="H2"),
)


@dataclass(frozen=True)
class PowerPeak:
    """One burst of one cycle.

    Attributes
    ----------
    name : str
        Name of the burst: "A2", "K3", "H1".
    joint : str
        Joint whose power it is of: "ankle", "knee" or "hip".
    percent : float
        Where in the cycle, 0 to 100.
    value : float
        Power there, in the unit of the curve (W/kg in tables); generation positive.
    sagittal_share : float, optional
        Power of the sagittal moment there, as a share of ``value``; NaN when not asked for.
    """

    name: str
    joint: str
    percent: float
    value: float
    sagittal_share: float = float("nan")


def power_peaks(
    power: Mapping[str, FloatArray], foot_off_percent: float, *, sagittal: Mapping[str, FloatArray] | None = None
) -> tuple[PowerPeak, ...]:
    """Find the named bursts of one cycle, in the order of their names.

    Parameters
    ----------
    power : Mapping[str, FloatArray]
        Joint -> (points,), total power at equally spaced points from 0 to 100 %; NaN where missing (swing of a ``stance_only``
        cycle). A joint that is not there has no bursts.
    foot_off_percent : float
        When the foot leaves, percent of the cycle.
    sagittal : Mapping[str, FloatArray] | None, optional
        Joint -> (points,), power of the sagittal moment alone.

    Returns
    -------
    tuple[PowerPeak, ...]
        Percent of the cycle and power; a burst that the cycle does not show is left out.

    Raises
    ------
    InvalidValueError
        The foot off does not lie within the cycle.
    ShapeError
        A curve that is not one-dimensional.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.gait.measures.peaks import power_peaks
    >>> ankle = 3.0 * np.exp(-(((np.arange(101) - 52) / 4.0) ** 2))
    >>> [(peak.name, peak.percent) for peak in power_peaks({"ankle": ankle}, 60.0)]
    [('A2', 52.0)]
    """
    if not 0.0 < foot_off_percent < 100.0:
        raise InvalidValueError(
            f"Power bursts cannot be told with a foot off at {foot_off_percent} % of the cycle.",
            value=foot_off_percent, expected="a foot off between 0 and 100 %", where="power_peaks",
        )  # fmt: skip
    peaks: dict[str, PowerPeak] = {}
    for burst in BURSTS:
        if burst.joint not in power:
            continue
        curve = power[burst.joint]
        if curve.ndim != 1:
            raise ShapeError(
                f"The {burst.joint} power has shape {curve.shape}.", value=curve.shape, expected="(points,)", where=burst.joint
            )
        place = _place(curve, burst, foot_off_percent, peaks)
        if place is not None:
            share = float("nan") if sagittal is None else float(sagittal[burst.joint][place] / curve[place])
            percent = 100.0 * place / (len(curve) - 1)
            peaks[burst.name] = PowerPeak(burst.name, burst.joint, percent, float(curve[place]), share)
    return tuple(peaks[name] for name in sorted(peaks))


def _place(curve: FloatArray, burst: Burst, foot_off_percent: float, peaks: Mapping[str, PowerPeak]) -> int | None:
    """Index of the burst's extremum; None when its window is empty or holds nothing of its sign."""
    percent = np.linspace(0.0, 100.0, len(curve))
    first, last = (_percent_at(phase, foot_off_percent) for phase in (burst.first, burst.last))
    first = max(first, peaks[burst.after].percent) if burst.after in peaks else first
    last = min(last, peaks[burst.before].percent) if burst.before in peaks else last
    signed = curve if burst.generates else -curve
    inside = (percent >= first) & (percent <= last) & np.isfinite(curve) & (signed > 0.0)
    if not inside.any():
        return None
    return int(np.argmax(np.where(inside, signed, -np.inf)))


def _percent_at(phase: float, foot_off_percent: float) -> float:
    """Percent of the cycle at a phase: 0 strike, 1 foot off, 2 next strike."""
    if phase <= 1.0:
        return phase * foot_off_percent
    return foot_off_percent + (phase - 1.0) * (100.0 - foot_off_percent)
