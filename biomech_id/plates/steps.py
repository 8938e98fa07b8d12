"""What one step on a force plate says of where the plate stands: the course of the pressure in the foot, and the body's momentum.

Two ways that share no marker but the pelvis'. (1) A plate that stands elsewhere than the file says moves the centre of pressure in
the foot: its course is written in axes of the foot while it lies flat, from the heel marker to the toe marker and towards the
other foot, as a share of the distance between both markers. (2) In single support the ground's moment about the centre of mass is
the rate of the body's angular momentum; a plate that stands e elsewhere and is turned by a leaves e x F and the turn's own part.
"Elsewhere" is always the truth less the file.

Only steady steps on one plate, in a straight walk, are told by `told_by_steps`; why another one is not is a `Sentence`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.dynamics.body import FootContact
from biomech_id.dynamics.momentum import BodyMomentum, ground_of, ground_residual
from biomech_id.feet.feet_on_plates import depth_inside
from biomech_id.feet.landmarks import Landmarks, horizontal_unit
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.feet.travel import Travel
from biomech_id.languages import Sentence
from biomech_id.movement.stance import Stance
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass

#: Shares of the stance at which the centre of pressure is read.
GRID: tuple[float, ...] = tuple(round(0.08 + 0.06 * step, 2) for step in range(15))
#: Steps of walking: how long they take (s), and how fast one walks at least (m/s).
STANCE_S, LEAST_SPEED_M_S = (0.42, 0.85), 0.7
#: A plate is stepped on above this force (N); the centre of pressure is the mean over this time (s).
LOADED_N, MEAN_S = 20.0, 0.015
#: Part of the stance in which the foot lies flat.
FLAT = (0.2, 0.4)
#: A foot lands on its heel when the toe marker is this much higher above the heel marker than in foot-flat (m).
TOES_UP_M = 0.005
#: How far (m) heel and toe marker may be outside a plate: as far as one wants to see it moved, and half of a foot's breadth.
OFF_PLATE_M = 0.06
#: Left out at either end of single support (s).
SUPPORT_END_S = 0.02
#: Larger differences of vertical force and weight in single support (share of the force) are a second contact.
LARGEST_VERTICAL = 0.05
#: Fewer frames of single support tell nothing.
LEAST_FRAMES = 5
#: Verdicts on a stance that leave no doubt whose foot is on the plate.
ONE_FOOT = ("foot-alone", "foot-by-file", "foot-beyond-plate", "force-beside-foot", "plate-by-hand")

#: Momentum of the whole body, and side -> the ground's wrench on that foot.
Whole = tuple[BodyMomentum, Mapping[str, FootContact]]


@compact_repr
@dataclass(frozen=True, eq=False)
class PlateStep:
    """One step on one plate.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot that steps: "L" or "R".
    plate : str
        Name of the plate.
    start_s : float
        When the plate is stepped on, s.
    direction_lab : FloatArray
        (2,), horizontal unit vector of travel.
    forward_lab : FloatArray
        (2,), the same from the heel marker to the toe marker while the foot lies flat.
    heel_from_plate_m : FloatArray
        (2,), heel marker then, from the plate's middle as the file has it, laboratory axes.
    foot_length_m : float
        From the heel marker to the toe marker, horizontally.
    curve : FloatArray
        (15, 2), centre of pressure at `GRID`: along the foot (0 heel marker, 1 toe marker) and towards the other foot.
    momentum_lab_m : FloatArray
        (2,), where the momentum puts the pressure, less where the plate does, laboratory axes; NaN where it does not tell.
    momentum_by_turn_m : FloatArray
        (2,), what a turn of the plate adds to that, per rad.
    """

    trial: str
    side: str
    plate: str
    start_s: float
    direction_lab: FloatArray
    forward_lab: FloatArray
    heel_from_plate_m: FloatArray
    foot_length_m: float
    curve: FloatArray
    momentum_lab_m: FloatArray
    momentum_by_turn_m: FloatArray

    @property
    def R_walk_lab(self) -> FloatArray:
        """(2, 2), rows along the walk and towards the other foot, laboratory components."""
        return _with_medial(self.direction_lab, self.side)

    @property
    def by_plate(self) -> FloatArray:
        """(30, 3), what the flattened curve lacks where the plate stands elsewhere than in the file, per m, m and rad."""
        axes = _with_medial(self.forward_lab, self.side)
        turned = quarter_turned(self.heel_from_plate_m + self.foot_length_m * self.curve @ axes)
        shifts = np.broadcast_to(axes, (len(GRID), 2, 2))
        return (np.concatenate([shifts, (turned @ axes.T)[:, :, None]], axis=2) / self.foot_length_m).reshape(-1, 3)

    @property
    def by_markers(self) -> FloatArray:
        """(30, 3), what it gains where the markers' axes are off: along (m), towards the other foot (m), turned (rad)."""
        rows = np.zeros((len(GRID), 2, 3))
        rows[:, 0, 0] = rows[:, 1, 1] = 1.0 / self.foot_length_m
        rows[:, 0, 2], rows[:, 1, 2] = -self.curve[:, 1], self.curve[:, 0]
        return rows.reshape(-1, 3)


def _with_medial(forward: FloatArray, side: str) -> FloatArray:
    """Rows (2, 2): a horizontal unit vector (2,), and the one across it towards the other foot."""
    return np.stack([forward, -SIDE_SIGN[side] * quarter_turned(forward)])


def quarter_turned(vectors: FloatArray) -> FloatArray:
    """Return horizontal vectors (..., 2) turned by 90 degrees, counter-clockwise seen from above.

    Parameters
    ----------
    vectors : FloatArray
        (..., 2), laboratory axes, any unit.

    Returns
    -------
    FloatArray
        (..., 2), of the same length as the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.plates.steps import quarter_turned
    >>> quarter_turned(np.array([1.0, 0.0]))
    array([-0.,  1.])
    """
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def told_by_steps(
    trial: str,
    landmarks: Landmarks,
    travel: Travel,
    stances: Sequence[Stance],
    plates: Sequence[ForcePlate],
    *,
    whole: Whole | None = None,
) -> tuple[list[PlateStep], list[tuple[str, Sentence]]]:
    """Return the steps of a trial that tell where their plates stand, and (plate, why not) of the others.

    Parameters
    ----------
    trial : str
        Name of the trial, kept with each step.
    landmarks : Landmarks
        Pelvis and feet; of feet with a heel and a toe marker.
    travel : Travel
        How the subject moved.
    stances : Sequence[Stance]
        Every stance with its verdict.
    plates : Sequence[ForcePlate]
        The trial's plates, with the forces as recorded, unfiltered.
    whole : tuple[BodyMomentum, Mapping[str, FootContact]] | None, optional
        Momentum of the whole body, and the ground's action on both feet; None where it is not tracked.

    Returns
    -------
    tuple[list[PlateStep], list[tuple[str, Sentence]]]
        Steps, and name of the plate with the reason for each other step on one plate.
    """
    by_name = {plate.name: plate for plate in plates if not plate.foot}
    steps, silent = [], []
    for stance in stances:
        if len(stance.plates) != 1 or stance.plates[0] not in by_name or stance.reason.rule not in ONE_FOOT:
            continue
        step = _plate_step(trial, landmarks, travel, stance, by_name[stance.plates[0]], whole)
        if isinstance(step, Sentence):
            silent.append((stance.plates[0], step))
        else:
            steps.append(step)
    return steps, silent


def _plate_step(
    trial: str, landmarks: Landmarks, travel: Travel, stance: Stance, plate: ForcePlate, whole: Whole | None
) -> PlateStep | Sentence:
    if travel.kind is not TrialKind.STRAIGHT:
        return Sentence("plate-kind", {"kind": str(travel.kind)})
    loaded = _loaded(plate, stance)
    if loaded is None:
        return Sentence("plate-step-cut")
    start_s, end_s = loaded
    length_s = end_s - start_s
    if not STANCE_S[0] <= length_s <= STANCE_S[1] or not travel.speed_m_s > LEAST_SPEED_M_S:
        return Sentence("plate-not-steady", {"stance_s": length_s, "speed_m_s": travel.speed_m_s})
    time_s, side = landmarks.time_s, stance.side
    heel, toe = landmarks.heel_lab_m[side], landmarks.toe_lab_m[side]
    flat = frames_within(time_s, start_s + FLAT[0] * length_s, start_s + FLAT[1] * length_s)
    landing = frames_within(time_s, start_s, start_s + 1.5 / landmarks.rate_hz)
    if not flat.any() or not np.isfinite(heel[flat | landing] + toe[flat | landing]).all():
        return Sentence("plate-foot-unseen")
    rise = (toe - heel)[:, 2]
    if rise[landing].mean() - rise[flat].mean() < TOES_UP_M:
        return Sentence("plate-no-heel-landing", {"side": side})
    at_heel, at_toe = heel[flat].mean(axis=0), toe[flat].mean(axis=0)
    if float(depth_inside(plate, np.stack([at_heel, at_toe])).min()) < -OFF_PLATE_M:
        return Sentence("plate-foot-beside")
    forward = horizontal_unit(at_toe - at_heel)
    length_m = float(np.linalg.norm((at_toe - at_heel)[:2]))
    curve = (_pressure_m(plate, start_s, length_s) - at_heel[:2]) @ _with_medial(forward, side).T / length_m
    momentum = _momentum_m(whole, plate, side, loaded, time_s) if whole else None
    return PlateStep(
        trial, side, plate.name, start_s, travel.direction_lab, forward, (at_heel - plate.centre_m)[:2], length_m, curve,
        *(momentum or (np.full(2, np.nan), np.zeros(2))),
    )  # fmt: skip


def _loaded(plate: ForcePlate, stance: Stance) -> tuple[float, float] | None:
    """When a plate is loaded by a stance, s; None where the record begins or ends within."""
    up = plate.force_lab_N[:, 2] > LOADED_N
    time_s = plate.time_s
    for first, last in runs(up):
        middle_s = 0.5 * (time_s[first] + time_s[last - 1])
        if stance.start_s <= middle_s <= stance.end_s and last - first > 0.2 * plate.rate_hz:
            return None if first == 0 or last == len(up) else (float(time_s[first]), float(time_s[last - 1]))
    return None


def _pressure_m(plate: ForcePlate, start_s: float, length_s: float) -> FloatArray:
    """Centre of pressure (15, 2) at `GRID`, metres, laboratory axes."""
    half = max(0, round(0.5 * MEAN_S * plate.rate_hz))
    centre = np.round((start_s + np.array(GRID) * length_s - plate.first_time_s) * plate.rate_hz).astype(int)
    window = np.clip(centre[:, None] + np.arange(-half, half + 1), 0, plate.n_samples - 1)
    force, moment = plate.force_lab_N[window].mean(axis=1), plate.moment_lab_Nm[window].mean(axis=1)
    arm = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / np.maximum(force[:, 2:], 1.0)
    return np.asarray(plate.centre_m[:2] + arm)


def _momentum_m(
    whole: Whole, plate: ForcePlate, side: str, loaded_s: tuple[float, float], time_s: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Where the momentum of single support puts the pressure less where the plate does (2,), m, and that per rad of its turn."""
    body, contacts = whole
    if set(contacts) != set(SIDES):
        return None
    own, other = contacts[side], contacts[SIDES[1 - SIDES.index(side)]]
    alone = own.known & other.known & (own.force_lab_N[:, 2] > LOADED_N) & (np.linalg.norm(other.force_lab_N, axis=1) < LOADED_N)
    alone &= frames_within(time_s, *loaded_s) & np.isfinite(body.angular_rate_lab_Nm).all(axis=1)
    inset = round(SUPPORT_END_S / (time_s[1] - time_s[0]))
    frames = np.concatenate([np.zeros(0, int), *(np.arange(first + inset, last - inset) for first, last in runs(alone))])
    if len(frames) < LEAST_FRAMES:
        return None
    force = own.force_lab_N[frames]
    residual_N, residual_Nm = (each[frames] for each in ground_residual(body, ground_of(contacts)))
    if abs(residual_N[:, 2].mean()) > LARGEST_VERTICAL * force[:, 2].mean():
        return None
    # The plate's whole wrench turned about its middle.
    about_plate = own.moment_lab_Nm[frames] - cross(np.broadcast_to(plate.centre_m, force.shape), force)
    turn_Nm = _turned(about_plate) + cross(plate.centre_m - body.com_lab_m[frames], _turned(force))
    up_N = force[:, 2]
    levers_m = [np.array([up_N @ moment[:, 1], -up_N @ moment[:, 0]]) / (up_N @ up_N) for moment in (residual_Nm, turn_Nm)]
    return levers_m[0], levers_m[1]


def _turned(vectors: FloatArray) -> FloatArray:
    """What vectors (n, 3) gain from a turn about the vertical, per rad."""
    return np.concatenate([quarter_turned(vectors[:, :2]), np.zeros((len(vectors), 1))], axis=1)
