"""What a session's steps say of where its plates stand: an estimate for each plate, a verdict, and what cannot be told apart.

Nothing is corrected and no kinetics are refused: feet that press otherwise than typical walkers' move the centre of pressure more
than a plate does. A session warns, and the log of many sessions (`judgement.plate_log`) proposes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2, MM_PER_M
from biomech_id.errors import Finding
from biomech_id.judgement.quality import graded
from biomech_id.languages import Sentence
from biomech_id.movement.grades import Grade, QualityRow
from biomech_id.plates.place import BEYOND_SD, LIKE_NOBODY, PlateFit, Population, fit_plates, not_a_habit
from biomech_id.plates.records import read_population, step_record
from biomech_id.session.solved import Solved
from biomech_id.values import dataclass, replace

#: Less than this (m, m, rad) is never called elsewhere; beyond `BEYOND_SD` standard deviations it is.
LEAST = np.array([0.013, 0.013, np.radians(5.0)])
#: Names of the three numbers of a plate.
PLATE_NUMBERS = ("x", "y", "turn")
#: Fewer typical steps than these, or steps in fewer directions, make no claim about a plate: feet and markers look the same.
LEAST_STEPS, LEAST_WAYS = 3, 2
#: What turns them into mm, mm and degrees.
IN_MM = np.array([MM_PER_M, MM_PER_M, np.degrees(1.0)])
#: Rule of the quality table.
RULE = "plate-place"


@dataclass(frozen=True, eq=False)
class PlatePlace:
    """Where one plate stands, truth less file, by the steps of one session.

    Attributes
    ----------
    plate : str
        Name of the plate in the files.
    steps : int
        Number of steps behind it.
    elsewhere : FloatArray
        (3,), x and y (m) in laboratory axes, turn (rad).
    sd : FloatArray
        (3,), standard deviations, if the foot markers are placed nearly as the population's are.
    limit : FloatArray
        (3,), beyond which the plate is called elsewhere.
    free : FloatArray
        (3,), the same as ``elsewhere`` if nobody knows how foot markers are placed.
    free_sd : FloatArray
        (3,), its standard deviations.
    sure : BoolArray
        (3,), whether a number beyond its limit is more than what a person's habit on all plates leaves to chance.
    """

    plate: str
    steps: int
    elsewhere: FloatArray
    sd: FloatArray
    limit: FloatArray
    free: FloatArray
    free_sd: FloatArray
    sure: BoolArray

    @property
    def beyond(self) -> tuple[str, ...]:
        """Of `PLATE_NUMBERS` those in which the plate is called elsewhere."""
        return tuple(np.array(PLATE_NUMBERS)[(np.abs(self.elsewhere) > self.limit) & self.sure].tolist())

    @property
    def plate_or_habit(self) -> tuple[str, ...]:
        """Of `PLATE_NUMBERS` those that are off, by the plate or by the person: these steps cannot tell."""
        return tuple(np.array(PLATE_NUMBERS)[(np.abs(self.elsewhere) > self.limit) & ~self.sure].tolist())

    @property
    def not_apart(self) -> tuple[str, ...]:
        """Of `PLATE_NUMBERS` those that could as well be the foot markers', as far as these steps tell."""
        return tuple(np.array(PLATE_NUMBERS)[BEYOND_SD * self.free_sd > self.limit].tolist())

    @property
    def worst(self) -> float:
        """The largest component over its limit; NaN where nothing but what the person may be is beyond it."""
        share = np.abs(self.elsewhere) / self.limit
        return float("nan") if self.plate_or_habit and not self.beyond else float(np.max(share))


@dataclass(frozen=True, eq=False)
class PlatesTold:
    """What the steps of a session say of its plates.

    Attributes
    ----------
    places : tuple[PlatePlace, ...]
        Of every plate with a typical step.
    fit : PlateFit
        The fit to all steps that the places are of.
    free : PlateFit
        The same if nobody knows how foot markers are placed.
    silent : tuple[tuple[str, Sentence], ...]
        Plate and reason of every step that tells nothing.
    """

    places: tuple[PlatePlace, ...]
    fit: PlateFit
    free: PlateFit
    silent: tuple[tuple[str, Sentence], ...]

    @property
    def ways(self) -> int:
        """In how many directions, there and back, the plates were walked over: 1 or 2; 0 by no typical step."""
        along = [step.direction_lab for step in self.fit.steps]
        return len({bool(each @ along[0] > 0) for each in along})

    @property
    def enough(self) -> bool:
        """Whether the steps are enough for a claim about a plate."""
        return len(self.fit.steps) >= LEAST_STEPS and self.ways >= LEAST_WAYS


def tell_plates(results: Sequence[Solved], population: Population | None = None) -> PlatesTold | None:
    """Return what the steps of a session say of where its plates stand; None where nobody steps on a plate.

    Parameters
    ----------
    results : Sequence[Solved]
        The session's trials, with their steps.
    population : Population | None, optional
        How typical walkers press; None for the one that ships.
    """
    steps = [step for result in results for step in result.plate_steps]
    silent = [reason for result in results for reason in result.plates_silent]
    if not steps and not silent:
        return None
    typical = population or read_population()
    fit = fit_plates(steps, typical)
    free = fit_plates(fit.steps, typical, LIKE_NOBODY)
    used = {id(step) for step in fit.steps}
    silent += [(step.plate, Sentence("plate-step-untypical", {"side": step.side})) for step in steps if id(step) not in used]
    places = places_of(fit, free, not_a_habit(fit, typical) if fit.plates else None)
    return PlatesTold(places, fit, free, tuple(silent))


def places_of(fit: PlateFit, free: PlateFit | None = None, sure: BoolArray | None = None) -> tuple[PlatePlace, ...]:
    """Return where each plate of a fit stands, and by how much it may before it is called elsewhere.

    Parameters
    ----------
    fit : PlateFit
        With foot markers placed nearly as the population's.
    free : PlateFit | None, optional
        To the same steps, with foot markers placed as nobody knows; None takes the same fit.
    sure : BoolArray | None, optional
        (p, 3), see `PlatePlace`; None for all.
    """
    counted = Counter(step.plate for step in fit.steps)
    certain = np.ones_like(fit.elsewhere, dtype=bool) if sure is None else sure
    return tuple(
        PlatePlace(name, counted[name], e, sd, np.maximum(LEAST, BEYOND_SD * sd), *_of_plate(free or fit, name), known)
        for name, e, sd, known in zip(fit.plates, fit.elsewhere, fit.sd, certain, strict=True)
    )


def _of_plate(fit: PlateFit, plate: str) -> tuple[FloatArray, FloatArray]:
    if plate not in fit.plates:
        return np.full(3, np.nan), np.full(3, np.nan)
    at = fit.plates.index(plate)
    return fit.elsewhere[at], fit.sd[at]


def plate_findings(estimate: PlatesTold | None) -> Iterator[Finding]:
    """What a session says of its plates: each that seems to stand elsewhere, what it can exclude, and of which it cannot tell.

    Parameters
    ----------
    estimate : PlatesTold | None
        What `tell_plates` returned; None says nothing.
    """
    if estimate is None:
        return
    claimed = estimate.places if estimate.enough else ()
    for place in claimed:
        if place.beyond:
            x_mm, y_mm, turn_deg = map(float, place.elsewhere * IN_MM)
            sds = dict(zip(("sd_x_mm", "sd_y_mm", "sd_turn_deg"), map(float, place.sd * IN_MM), strict=True))
            shift_mm = float(np.hypot(x_mm, y_mm))
            yield Finding("plate-elsewhere", {
                "plate": place.plate, "x_mm": x_mm, "y_mm": y_mm, "turn_deg": turn_deg, **sds, "steps": place.steps,
                "shift_mm": shift_mm, "moment_Nm_kg": GRAVITY_M_S2 * shift_mm / MM_PER_M, "beyond": place.beyond,
                "not_apart": place.not_apart, "ways": estimate.ways,
            }, place.plate)  # fmt: skip
    stand = [place for place in claimed if not place.beyond and not place.plate_or_habit]
    if stand:
        limits = np.max([place.limit for place in stand], axis=0) * IN_MM
        mixed = tuple(name for name in PLATE_NUMBERS if any(name in place.not_apart for place in stand))
        yield Finding("plates-stand", {
            "plates": tuple(place.plate for place in stand), "mm": float(limits[:2].max()), "deg": float(limits[2]),
            "not_apart": mixed, "ways": estimate.ways,
        })  # fmt: skip
    known = {place.plate for place in estimate.places}
    reasons = {place.plate: _not_claimed(place, estimate) for place in estimate.places if np.isnan(place.worst) or not claimed}
    for plate, reason in estimate.silent:
        if plate not in known:
            reasons.setdefault(plate, reason)
    if reasons:
        yield Finding("plates-not-told", {"plates": tuple((plate, reason) for plate, reason in sorted(reasons.items()))})


def _not_claimed(place: PlatePlace, estimate: PlatesTold) -> Sentence:
    """Why nothing is claimed of a plate that typical steps are on."""
    if estimate.enough:
        return Sentence("plate-or-habit", {"beyond": place.plate_or_habit})
    x_mm, y_mm, turn_deg = map(float, place.elsewhere * IN_MM)
    off = {"off": bool(place.beyond), "x_mm": x_mm, "y_mm": y_mm, "turn_deg": turn_deg}
    return Sentence("plate-few-steps", {"steps": len(estimate.fit.steps), "ways": estimate.ways, **off})


def with_plate_places(results: Sequence[Solved], estimate: PlatesTold | None) -> list[Solved]:
    """Return the trials of a session, each with a grade for the plates its feet are on.

    Parameters
    ----------
    results : Sequence[Solved]
        Graded by every other rule.
    estimate : PlatesTold | None
        What `tell_plates` returned; None leaves the trials as they are.
    """
    if estimate is None:
        return list(results)
    places = {place.plate: place for place in estimate.places}
    return [_graded(result, places, judged=estimate.enough) for result in results]


def _graded(result: Solved, places: dict[str, PlatePlace], *, judged: bool) -> Solved:
    trodden = {step.plate for step in result.plate_steps} | {plate for plate, _ in result.plates_silent}
    if not trodden:
        return result
    known = [places[plate].worst for plate in trodden if plate in places and not np.isnan(places[plate].worst)]
    worst = max(known, default=float("nan"))
    row: QualityRow = graded(result.name, RULE, worst, Grade.NOT_JUDGED if np.isnan(worst) or not judged else None)
    return replace(result, quality=_in_order(result.quality, row))


def _in_order(quality: Sequence[QualityRow], row: QualityRow) -> tuple[QualityRow, ...]:
    before = next((at for at, each in enumerate(quality) if each.rule in AFTER), len(quality))
    return (*quality[:before], row, *quality[before:])


#: Rules that are reported after that of the plates.
AFTER = ("event-lag", "residual-single", "cycles-used", "cycles-refused", "stances-on-plate")


def plates_summary(estimate: PlatesTold | None) -> dict[str, object]:
    """Return what ``summary.json`` says of the plates; empty where nobody steps on one.

    Parameters
    ----------
    estimate : PlatesTold | None
        What `tell_plates` returned, or None.
    """
    if estimate is None:
        return {}
    shared, shared_sd = (each[:3] * IN_MM for each in (estimate.free.shared, estimate.free.shared_sd))
    return {
        "places": [
            {
                "plate": place.plate, "steps": place.steps, "verdict": _grade(place, estimate),
                "elsewhere": _named(place.elsewhere * IN_MM), "sd": _named(place.sd * IN_MM), "limit": _named(place.limit * IN_MM),
                "markers_free": _named(place.free * IN_MM), "markers_free_sd": _named(place.free_sd * IN_MM),
                "beyond": place.beyond, "plate_or_habit": place.plate_or_habit, "not_apart": place.not_apart,
            }
            for place in estimate.places
        ],
        "foot_markers": _named(shared, ("along_mm", "medial_mm", "turn_deg")) if estimate.places else None,
        "foot_markers_sd": _named(shared_sd, ("along_mm", "medial_mm", "turn_deg")) if estimate.places else None,
        "silent": [{"plate": plate, "rule": reason.rule, "reason": str(reason)} for plate, reason in estimate.silent],
        "steps": [step_record(step) for step in estimate.fit.steps],
    }  # fmt: skip


def _grade(place: PlatePlace, estimate: PlatesTold) -> Grade:
    if place.beyond and estimate.enough:
        return Grade.WARN
    return Grade.NOT_JUDGED if not estimate.enough else Grade.NOT_JUDGED if place.plate_or_habit else Grade.ACCEPT


def _named(values: FloatArray, names: tuple[str, ...] = ("x_mm", "y_mm", "turn_deg")) -> dict[str, float]:
    return {name: round(value, 2) for name, value in zip(names, values.tolist(), strict=True)}
