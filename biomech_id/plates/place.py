"""Where force plates stand, from the steps on them: a fit to how typical walkers press, and to the momentum of their bodies.

Unknown are, for every plate, its place and turn e = (x, y, a), truth less file; for all plates together the bias b of the foot
markers, and the bias h of the body's momentum. Of each step ::

    curve    = mean - by_plate e + by_markers b + noise,            noise ~ N(0, S)
    momentum = e - by_turn a + mean_h + h + noise,                  noise ~ N(0, T), along the walk and towards the other foot

with mean, S, mean_h and T of a `Population`. Steps of one person on one plate are alike with a correlation of `ALIKE`. Before
anybody steps every unknown is zero with a standard deviation, so that what the steps cannot tell apart keeps it. Steps that no
place of their plate makes typical are left out; momentum that contradicts the curve loses weight (Huber).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.plates.steps import PlateStep
from biomech_id.values import dataclass

#: Correlation of steps of one person on one plate.
ALIKE = 0.5
#: The same of steps on different plates: a person's habit goes along from plate to plate. Only `not_a_habit` heeds it: in the fit
#: itself it would move the estimates of a child by a millimetre and no verdict.
HABIT = 0.5
#: What 95 % of normal numbers stay within, in standard deviations.
BEYOND_SD = 1.96
#: What is thought of a plate before anybody steps on it: standard deviations, m, m, rad.
PLATE_SD = (0.050, 0.050, np.radians(8.0))
#: Foot markers along, towards the other foot, turned (m, m, rad), then the momentum along and towards the other foot (m), of one
#: laboratory against those of the population: of two laboratories the markers differ by 2 mm, 5 mm and 1 degree.
LIKE_OTHERS = (0.005, 0.005, np.radians(2.0), 1e-6, 1e-6)
#: The same where nobody knows how markers are placed: what is left then is the plates' own.
LIKE_NOBODY = (0.030, 0.020, np.radians(8.0), 0.006, 0.003)
#: A step whose curve fits worse than this wherever its plate is put is no typical step.
LARGEST_MISFIT = 60.0
#: Distance from the curve's estimate, in standard deviations, from which momentum loses weight.
MOMENTUM_HUBER = 2.0
#: Share of the mean variance that is added to each, because few steps leave the covariance of thirty numbers singular.
RIDGE = 0.05
#: How often a population is levelled: its laboratories' plates fitted, and its steps put where their plates then are.
LEVELLED = 3
#: Unknowns that all plates share.
SHARED = len(LIKE_OTHERS)


@compact_repr
@dataclass(frozen=True, eq=False)
class Population:
    """How typical walkers press on plates that stand where the file says.

    Attributes
    ----------
    mean : FloatArray
        (30,), centre of pressure at `GRID`, along and towards the other foot in turns, in distances from heel to toe marker.
    inverse : FloatArray
        (30, 30), of the covariance.
    momentum_m : FloatArray
        (2,), what the momentum of such bodies errs by, along the walk and towards the other foot.
    momentum_cov_m2 : FloatArray
        (2, 2), its covariance.
    n_steps : int
        Number of steps that it was made of.
    """

    mean: FloatArray
    inverse: FloatArray
    momentum_m: FloatArray
    momentum_cov_m2: FloatArray
    n_steps: int


@compact_repr
@dataclass(frozen=True, eq=False)
class PlateFit:
    """What steps say of the plates under them.

    Attributes
    ----------
    plates : tuple[str, ...]
        Names, those with a step that was used.
    elsewhere : FloatArray
        (p, 3), truth less file: m, m, rad, laboratory axes.
    shared : FloatArray
        (5,), bias of the foot's axes along, towards the other foot (m), turned (rad); of the momentum along and towards the other
        foot (m).
    covariance : FloatArray
        (3 p + 5, 3 p + 5) of both, in this order.
    misfit : FloatArray
        (n,), of each step, after the fit.
    steps : tuple[PlateStep, ...]
        The n steps that were used.
    """

    plates: tuple[str, ...]
    elsewhere: FloatArray
    shared: FloatArray
    covariance: FloatArray
    misfit: FloatArray
    steps: tuple[PlateStep, ...]

    @property
    def sd(self) -> FloatArray:
        """(p, 3), standard deviations of ``elsewhere``."""
        return np.sqrt(np.diag(self.covariance)[:-SHARED]).reshape(-1, 3)

    @property
    def shared_sd(self) -> FloatArray:
        """(5,), standard deviations of ``shared``."""
        return np.sqrt(np.diag(self.covariance)[-SHARED:])


def population_of(steps: Sequence[PlateStep], laboratory: Sequence[str], person: Sequence[str]) -> Population:
    """Return the population of some steps; plates of every laboratory but the first are put where the others' steps say.

    Parameters
    ----------
    steps : Sequence[PlateStep]
        Of typical walkers, at least three.
    laboratory : Sequence[str]
        (n,), whose plates; those of the first are taken to stand where its files say.
    person : Sequence[str]
        (n,), who took each step: the steps of one person share that person's habit.

    Returns
    -------
    Population
        Means and covariances of all steps, every plate put where the steps say.
    """
    curves = np.array([step.curve.ravel() for step in steps])
    momentum = np.array([step.R_walk_lab @ step.momentum_lab_m for step in steps])
    population = _population(curves, momentum)
    others = [name for name in dict.fromkeys(laboratory) if name != laboratory[0]]
    for _ in range(LEVELLED if others else 0):
        level, level_momentum = curves.copy(), momentum.copy()
        for name in others:
            rows = [row for row, each in enumerate(laboratory) if each == name]
            fit = fit_plates([steps[row] for row in rows], population, LIKE_NOBODY, [person[row] for row in rows])
            for row in rows:
                step = steps[row]
                elsewhere = fit.elsewhere[fit.plates.index(step.plate)] if step.plate in fit.plates else np.zeros(3)
                level[row] += step.by_plate @ elsewhere - step.by_markers @ fit.shared[:3]
                level_momentum[row] -= step.R_walk_lab @ (elsewhere[:2] - step.momentum_by_turn_m * elsewhere[2])
        population = _population(level, level_momentum)
    return population


def _population(curves: FloatArray, momentum_walk_m: FloatArray) -> Population:
    covariance = np.cov(curves.T)
    covariance += RIDGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    known = momentum_walk_m[np.isfinite(momentum_walk_m).all(axis=1)]
    slopes = (np.median(known, axis=0), np.cov(known.T)) if len(known) > 2 else (np.zeros(2), np.eye(2))
    return Population(curves.mean(axis=0), np.asarray(np.linalg.inv(covariance)), *slopes, len(curves))


def fit_plates(
    steps: Sequence[PlateStep],
    population: Population,
    shared_sd: Sequence[float] = LIKE_OTHERS,
    person: Sequence[str] | None = None,
) -> PlateFit:
    """Fit place and turn of every plate, and what all plates share, to the steps on them.

    Parameters
    ----------
    steps : Sequence[PlateStep]
        Of one or several sessions of one laboratory.
    population : Population
        How typical walkers press, and how their momentum errs.
    shared_sd : Sequence[float], optional
        What is thought of what all plates share: five standard deviations, `LIKE_OTHERS` or `LIKE_NOBODY`.
    person : Sequence[str] | None, optional
        (n,), who walked; None for one person.

    Returns
    -------
    PlateFit
        Place (m, m) and turn (rad) of each plate, truth less file, what the plates share, and their covariance.
    """
    who = [""] * len(steps) if person is None else list(person)
    while True:
        fit = _fit(tuple(steps), population, shared_sd, who)
        worst = int(np.argmax(fit.misfit)) if len(fit.misfit) else -1
        if worst < 0 or fit.misfit[worst] <= LARGEST_MISFIT:
            return fit
        steps, who = [*steps[:worst], *steps[worst + 1 :]], [*who[:worst], *who[worst + 1 :]]


def _fit(steps: tuple[PlateStep, ...], population: Population, shared_sd: Sequence[float], who: Sequence[str]) -> PlateFit:
    plates = tuple(sorted({step.plate for step in steps}))
    groups = [(step.plate, each) for step, each in zip(steps, who, strict=True)]
    share = np.array([1.0 / (1.0 + ALIKE * (groups.count(group) - 1)) for group in groups])
    n = 3 * len(plates) + SHARED
    matrix = np.diag(1.0 / np.square(np.concatenate([np.tile(PLATE_SD, len(plates)), shared_sd])))
    right = np.zeros(n)
    rows = [_curve_row(step, 3 * plates.index(step.plate), n, population) for step in steps]
    for (left, seen), by in zip(rows, share, strict=True):
        matrix, right = matrix + by * left.T @ population.inverse @ left, right + by * left.T @ population.inverse @ seen
    solution = np.linalg.solve(matrix, right)
    misfit = np.array([(seen - left @ solution) @ population.inverse @ (seen - left @ solution) for left, seen in rows])
    spread = np.linalg.inv(matrix)
    for step, by in zip(steps, share, strict=True):
        if np.isfinite(step.momentum_lab_m).all():
            left, seen = _momentum_row(step, 3 * plates.index(step.plate), n, population)
            off = seen - left @ solution
            distance = float(np.sqrt(off @ np.linalg.solve(population.momentum_cov_m2 + left @ spread @ left.T, off)))
            inverse = by * min(1.0, MOMENTUM_HUBER / max(distance, 1e-12)) * np.linalg.inv(population.momentum_cov_m2)
            matrix, right = matrix + left.T @ inverse @ left, right + left.T @ inverse @ seen
    solution = np.linalg.solve(matrix, right)
    covariance = np.asarray(np.linalg.inv(matrix))
    return PlateFit(
        plates, np.asarray(solution[:-SHARED].reshape(-1, 3)), np.asarray(solution[-SHARED:]), covariance, misfit, steps
    )


def not_a_habit(fit: PlateFit, population: Population) -> BoolArray:
    """Return for each plate and number, (p, 3), whether it stays beyond chance if one cause is to explain everything.

    A person who presses beside typical walkers' course does so with both feet, on every plate. Where each side of the walk belongs
    to one plate (left feet there, right feet back) that looks like plates that stand apart from each other. A plate that stands
    elsewhere alone, or all plates alike, look otherwise. Steps of one person are alike here by `HABIT` on every plate.

    Parameters
    ----------
    fit : PlateFit
        Of one person's steps.
    population : Population
        How typical walkers press, and how their momentum errs.

    Returns
    -------
    BoolArray
        (p, 3): x, y, turn of each plate.
    """
    alike = _beyond_chance(fit, population, fit.plates)
    return np.array([alike | _beyond_chance(fit, population, (plate,)) for plate in fit.plates]).reshape(-1, 3)


def _beyond_chance(fit: PlateFit, population: Population, moved: Sequence[str]) -> BoolArray:
    """Which of the three numbers, (3,), are beyond chance if these plates stand elsewhere alike and all others as in the file."""
    n, count = 3 + SHARED, len(fit.steps)
    spread = np.linalg.inv(HABIT * np.ones((count, count)) + (1.0 - HABIT) * np.eye(count))
    rows = [_curve_row(step, 0, n, population) for step in fit.steps]
    still = np.array([step.plate not in moved for step in fit.steps])
    left, seen = np.stack([row for row, _ in rows]), np.stack([curve for _, curve in rows])
    left[still, :, :3] = 0.0
    weighed = np.einsum("ij,jkl,km->iml", spread, left, population.inverse, optimize=True)
    matrix = np.diag(1.0 / np.square((*PLATE_SD, *LIKE_OTHERS))) + np.einsum("ika,ikb->ab", left, weighed)
    right = np.einsum("ikb,ik->b", weighed, seen)
    groups = [step.plate for step in fit.steps]
    for step, fixed in zip(fit.steps, still, strict=True):
        if np.isfinite(step.momentum_lab_m).all():
            row, measured = _momentum_row(step, 0, n, population)
            row[:, :3] *= not fixed
            share = 1.0 / (1.0 + ALIKE * (groups.count(step.plate) - 1))
            matrix, right = _with_momentum(matrix, right, (row, measured), share, population)
    solution, covariance = np.linalg.solve(matrix, right), np.linalg.inv(matrix)
    return np.asarray(np.abs(solution[:3]) > BEYOND_SD * np.sqrt(np.diag(covariance)[:3]))


def _with_momentum(
    matrix: FloatArray, right: FloatArray, row: tuple[FloatArray, FloatArray], share: float, population: Population
) -> tuple[FloatArray, FloatArray]:
    """Normal equations with what one step's momentum says; it loses weight where it contradicts what was known (Huber)."""
    left, seen = row
    off = seen - left @ np.linalg.solve(matrix, right)
    expected = population.momentum_cov_m2 + left @ np.linalg.inv(matrix) @ left.T
    distance = float(np.sqrt(off @ np.linalg.solve(expected, off)))
    inverse = share * min(1.0, MOMENTUM_HUBER / max(distance, 1e-12)) * np.linalg.inv(population.momentum_cov_m2)
    return matrix + left.T @ inverse @ left, right + left.T @ inverse @ seen


def _curve_row(step: PlateStep, at: int, n: int, population: Population) -> tuple[FloatArray, FloatArray]:
    left = np.zeros((len(population.mean), n))
    left[:, at : at + 3], left[:, n - SHARED : n - SHARED + 3] = -step.by_plate, step.by_markers
    return left, step.curve.ravel() - population.mean


def _momentum_row(step: PlateStep, at: int, n: int, population: Population) -> tuple[FloatArray, FloatArray]:
    R = step.R_walk_lab
    left = np.zeros((2, n))
    left[:, at : at + 2], left[:, at + 2], left[:, n - 2 :] = R, -R @ step.momentum_by_turn_m, np.eye(2)
    return left, R @ step.momentum_lab_m - population.momentum_m
