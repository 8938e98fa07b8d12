"""What a walk leaves behind for the charts: the few residuals of the diagnosis that a laboratory can remember."""

from __future__ import annotations

from biomech_id.errors import BiomechError
from biomech_id.judgement.diagnosis.of_legs import of_legs
from biomech_id.judgement.diagnosis.of_paths import HEEL_JERK
from biomech_id.judgement.diagnosis.of_plates import of_plates
from biomech_id.judgement.diagnosis.recorded import recorded_walk
from biomech_id.trial import Trial

#: Residuals of plates, in the units of ``spread.csv``.
SUPPORT, SLOPE, FREE_MOMENT = "single support / weight", "line of force, slope", "free moment, range"
#: Residuals of legs and of the session.
LEG, NOISE, PITCH, TURN = (
    "leg by markers / leg length",
    HEEL_JERK,
    "foot offset pitch, walk - used",
    "foot offset turn, walk - used",
)
STRIKES = "stored strike - markers"
#: Residuals that show how an examiner places markers on a leg.
PLACED = ("hip rotation", "knee-axis slope", "knee rotation, extended", "knee varus, extended")
LEFT_BEHIND = (SUPPORT, SLOPE, FREE_MOMENT, LEG, NOISE, PITCH, TURN, STRIKES, *PLACED)
#: Digits that are kept: a thousandth of what sessions differ by.
_DIGITS = 5


def left_behind(trial: Trial, model: object) -> dict[str, dict[str, float]]:
    """Return the residuals of a walk that the charts of a laboratory are made of.

    Parameters
    ----------
    trial : Trial
        The walk as read, neither filled nor filtered.
    model : object
        The model that was placed in it.

    Returns
    -------
    dict[str, dict[str, float]]
        Residual -> side ("L", "R"), name of a plate or "" for the walk -> value, in the units of ``spread.csv``. Empty where the
        walk cannot be diagnosed: another model than the conventional one, no walk, markers missing.
    """
    kept: dict[str, dict[str, float]] = {}
    try:
        walk = recorded_walk(trial, model)  # type: ignore[arg-type]
        values = of_legs(walk) | of_plates(walk)
    except (BiomechError, LookupError, ValueError):  # a walk that the diagnosis cannot take ends no analysis
        return kept
    names = {str(number): plate.name for number, plate in enumerate(trial.plates, start=1)}
    for (residual, unit), value in values.items():
        if residual in LEFT_BEHIND:
            kept.setdefault(residual, {})[names.get(unit, unit)] = float(f"{value:.{_DIGITS}g}")
    return {residual: kept[residual] for residual in LEFT_BEHIND if residual in kept}
