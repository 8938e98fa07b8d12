"""A session in memory, as causes change it: one walk, its static trial, its plates, and what was measured and learnt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray, all_finite
from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.models.conventional.calibrate import leg_geometry, pelvis_sizes
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.leg import LegGeometry
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.models.conventional.pelvis import posterior_point
from biomech_id.models.landmarks import with_roles
from biomech_id.models.progression import SMALLEST_WALK_M
from biomech_id.signal.filters import lowpass
from biomech_id.trial import Event, ForcePlate, Markers, Subject, Trial
from biomech_id.values import dataclass

#: Role -> label of the markers of a leg, as causes and residuals name them.
_LEG_ROLES: Mapping[str, str] = {
    "ASI": "asis", "THI": "thigh_wand", "KNE": "lateral_epicondyle", "TIB": "shank_wand", "ANK": "lateral_malleolus", "HEE": "heel",
    "TOE": "toe",
}  # fmt: skip
#: Postures are looked at this often (Hz); more frames tell nothing new of a walk.
POSTURE_HZ = 50.0
#: Fewer frames than half a second are no walk.
_LEAST_FRAMES = 25
#: Cut-off of the pelvis where its turning is asked for, Hz.
TURN_HZ = 2.0
#: Cut-off of feet where their speed is asked for, Hz.
FOOT_HZ = 12.0
#: Cut-off of the body's rise, fall and way, Hz.
BODY_HZ = 6.0
#: Effective cut-off of a second-order filter run forward and back, over that of one pass.
BOTH_PASSES = float((np.sqrt(2.0) - 1.0) ** 0.25)
#: Field of `Subject` -> what a calibration calls it that learnt it.
_LEARNT: Mapping[str, str] = {
    "thigh_rotation_rad": "thigh_rotation_rad", "shank_rotation_rad": "shank_rotation_rad",
    "tibial_torsion_rad": "tibial_torsion_rad", "ankle_abduction_rad": "ankle_tilt_rad",
    "static_plantar_flexion_rad": "plantar_flexion_rad", "static_rotation_offset_rad": "rotation_rad",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class WalkPaths:
    """Ways and speeds that follow from the markers of a walk alone, each worked out when it is first asked for.

    Attributes
    ----------
    markers : Markers
        As of `Recorded`.
    """

    markers: Markers

    @cached_property
    def postures(self) -> IntArray:
        """Frames at 50 Hz in which every marker is seen, (k,)."""
        every = np.arange(0, self.markers.n_frames, max(1, round(self.markers.rate_hz / POSTURE_HZ)))
        return every[all_finite(self.markers.position_m[every]).all(axis=1)]

    @cached_property
    def pelvis_m(self) -> FloatArray:
        """Middle of the pelvis, (n, 3), metres, laboratory axes."""
        m = self.markers
        return np.asarray(0.25 * (m["LASI"] + m["RASI"] + 2.0 * m["SACR"]))

    @cached_property
    def pelvis_speed_m_s(self) -> FloatArray:
        """Velocity of the pelvis' middle at 6 Hz, (n, 3), m/s, laboratory axes."""
        rate_hz = self.markers.rate_hz
        return np.asarray(np.gradient(smooth(self.pelvis_m, rate_hz, BODY_HZ), 1.0 / rate_hz, axis=0))

    @cached_property
    def pelvis_facing_rad(self) -> FloatArray:
        """Where the pelvis faces in the horizontal plane (2 Hz), unwrapped, (n,), rad; NaN where unseen."""
        across = smooth(self.markers["LASI"] - self.markers["RASI"], self.markers.rate_hz, TURN_HZ)
        facing = np.arctan2(-across[:, 0], across[:, 1])
        seen = np.isfinite(facing)
        facing[seen] = np.unwrap(facing[seen])
        return facing

    @cached_property
    def foot_speed_m_s(self) -> dict[str, FloatArray]:
        """Marker of heel or toe -> how fast it moves over the floor at 12 Hz, (n,), m/s."""
        names, rate_hz = [side + label for side in SIDES for label in ("HEE", "TOE")], self.markers.rate_hz
        paths = smooth(np.stack([self.markers[name][:, :2] for name in names], axis=1), rate_hz, FOOT_HZ)
        return dict(zip(names, np.linalg.norm(np.gradient(paths, 1.0 / rate_hz, axis=0), axis=2).T, strict=True))

    @cached_property
    def travel_m(self) -> FloatArray:
        """Horizontal way of the middle between the ASIS, first to last frame with both seen, (3,), metres."""
        middle = 0.5 * (self.markers["LASI"] + self.markers["RASI"])
        seen = middle[all_finite(middle)]
        if not len(seen):
            return np.zeros(3)
        return np.asarray((seen[-1] - seen[0]) * [1.0, 1.0, 0.0])

    @property
    def way(self) -> FloatArray:
        """Direction of the walk, (3,), laboratory axes."""
        length = np.linalg.norm(self.travel_m)
        return np.asarray(self.travel_m / length if length else np.array([1.0, 0.0, 0.0]))

    @property
    def speed_m_s(self) -> float:
        """Way over the recording's time, m/s."""
        return float(np.linalg.norm(self.travel_m)) * self.markers.rate_hz / max(self.markers.n_frames - 1, 1)


@lru_cache(maxsize=8)
def _paths(markers: Markers) -> WalkPaths:
    return WalkPaths(markers)


@dataclass(frozen=True, eq=False)
class Recorded:
    """One walk with everything that it is judged by.

    Attributes
    ----------
    name : str
        Of the walk.
    markers : Markers
        The fifteen markers of the walk, by side and short label, and SACR; laboratory axes, metres.
    standing : Markers | None
        The same of the static trial; None where learnt angles stand in for it.
    plates : tuple[ForcePlate, ...]
        As recorded.
    events : tuple[Event, ...]
        As stored.
    subject : Subject
        Measurements, with what a calibration learnt of the legs.
    calibration : ConventionalCalibration
        Its marker radius, its hip, and whether feet stood flat are used.
    first_s : float, optional
        Absolute time of the first frame, seconds.
    aided : bool | None, optional
        Whether something beside the feet bears weight: plates then have a verdict on clock, zero and breaks alone. None where
        nobody says.
    prostheses : tuple[str, ...], optional
        Sides on which shank or foot is artificial: what compares them with most people's has no verdict.
    any_gait : bool, optional
        Whether people may walk as they like: what moves in mid-walk is then looked for beside what bending joints do.
    """

    name: str
    markers: Markers
    standing: Markers | None
    plates: tuple[ForcePlate, ...]
    events: tuple[Event, ...]
    subject: Subject
    calibration: ConventionalCalibration
    first_s: float = 0.0
    aided: bool | None = None
    prostheses: tuple[str, ...] = ()
    any_gait: bool = False

    @property
    def paths(self) -> WalkPaths:
        """What the markers alone say of the walk; shared by all sessions with these markers."""
        return _paths(self.markers)

    @cached_property
    def mean_leg_m(self) -> float:
        """Mean leg length as measured, metres."""
        return float(np.mean([length for length in self.subject.leg_length_m.values() if length]))

    @cached_property
    def geometry(self) -> dict[str, LegGeometry]:
        """The constants of both legs, from what stands in the session now."""
        markers, cal = self.standing or self.markers, self.calibration
        sizes = pelvis_sizes(markers, self.subject, SIDES, cal.marker_radius_m, cal.hip)
        return {side: leg_geometry(self.subject, side, sizes[side], cal.hip) for side in SIDES}


def recorded_walk(trial: Trial, model: ConventionalModel) -> Recorded:
    """Return a walk with everything that it is judged by.

    Parameters
    ----------
    trial : Trial
        The walk as read, neither filled nor filtered.
    model : ConventionalModel
        The conventional model of the same person and day.

    Returns
    -------
    Recorded
        Without a static trial where a knee device or medial markers showed the axes: what they taught is kept.

    Raises
    ------
    OptionError
        Another body model, or one leg only.
    MissingInputError
        The walk lacks markers, or is seen whole for less than half a second.
    """
    calibration = getattr(model, "calibration", None)
    if not isinstance(calibration, ConventionalCalibration) or set(calibration.sides) != set(SIDES):
        raise OptionError(
            f"{trial.name} cannot be diagnosed: residuals are those of the conventional model with both legs.",
            value=getattr(model, "name", type(model).__name__), expected="the conventional model, both legs", where=trial.name,
        )  # fmt: skip
    legs: dict[str, dict[str, float]] = {}
    for field, ours in _LEARNT.items():
        of = calibration.geometry if hasattr(calibration.geometry["L"], ours) else calibration.offsets
        legs[field] = {side: float(getattr(of[side], ours)) for side in SIDES}
    subject = model.subject.with_values("calibration", **legs)
    shown = model.static is None or calibration.knee_device or bool(calibration.medial)
    standing = None if shown or model.static is None else _fifteen(model.static)
    events = tuple(event for event in trial.events if event.side in SIDES)
    session = Recorded(
        trial.name, _fifteen(trial), standing, trial.plates, events, subject, calibration, trial.first_time_s,
        prostheses=tuple(subject.amputation),
    )  # fmt: skip
    reach_m = float(np.linalg.norm(session.paths.travel_m))
    if not reach_m >= SMALLEST_WALK_M:
        raise MissingInputError(
            f"{trial.name} goes {reach_m:.2f} m over the floor; only walks can be diagnosed.",
            value=reach_m, expected=f"at least {SMALLEST_WALK_M:g} m", where=trial.name,
        )  # fmt: skip
    n_whole = len(session.paths.postures)
    if n_whole < _LEAST_FRAMES:
        raise MissingInputError(
            f"{trial.name} shows all fifteen markers in {n_whole} frames at {POSTURE_HZ:g} Hz, too few to diagnose.",
            value=n_whole, expected=f"at least {_LEAST_FRAMES}", where=trial.name,
        )  # fmt: skip
    return session


def _fifteen(trial: Trial) -> Markers:
    """Both legs' markers and the middle of the sacrum, by role."""
    markers = with_roles(trial.markers)
    paths = {side + label: markers.on(side, role) for side in SIDES for label, role in _LEG_ROLES.items()}
    names = {(side, role): side + label for side in SIDES for label, role in _LEG_ROLES.items()} | {("", "sacrum"): "SACR"}
    position = np.stack([*paths.values(), posterior_point(markers)], axis=1)
    return Markers((*paths, "SACR"), position, trial.rate_hz, None, names, first_time_s=trial.first_time_s)


def changed_labels(now: Markers | None, then: Markers | None) -> set[str]:
    """Return which markers lie elsewhere in one recording than in another; all where only one of both is there.

    Parameters
    ----------
    now, then : Markers | None
        The same labels and frames.

    Returns
    -------
    set[str]
        Labels; frames in which a marker is unseen in both make no difference.
    """
    if now is then:
        return set()
    if now is None or then is None:
        return {name for markers in (now, then) if markers is not None for name in markers.names}
    same = (now.position_m == then.position_m) | (np.isnan(now.position_m) & np.isnan(then.position_m))
    return {name for name, ok in zip(now.names, same.all(axis=(0, 2)), strict=True) if not ok}


def smooth(values: FloatArray, rate_hz: float, cutoff_hz: float) -> FloatArray:
    """Return values through a second-order Butterworth filter, forward and back.

    Parameters
    ----------
    values : FloatArray
        (n, ...), any unit; NaN where unseen.
    rate_hz : float
        Values per second.
    cutoff_hz : float
        Of one pass, Hz.

    Returns
    -------
    FloatArray
        The same shape; NaN where the values are. As they are where the rate is too low for the cut-off.
    """
    both_hz = BOTH_PASSES * cutoff_hz
    return lowpass(values, rate_hz, both_hz) if both_hz < 0.49 * rate_hz else values
