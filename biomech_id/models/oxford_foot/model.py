"""The Oxford foot of one person: calibrated by what the walks store, else by the static trial, and placed in a recording.

Whether the hindfoot's sole was level in the static trial decides hindfoot angles by several degrees and stands in no file that can
be trusted: both ways are tried and the one that agrees with the stored numbers is taken. Where nothing is stored it is level by
default, unless the heel marker stands so high that the foot may be in equinus: then nobody but the examiner can say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import AXES, FOOT_TABLE, MM_PER_M, SIDES
from biomech_id.errors import Finding
from biomech_id.models.foot_models import FootModel, FootSession
from biomech_id.models.oxford_foot.calibration import (
    STATIC_ONLY,
    FootPoints,
    apart_m,
    learnt_points,
    mean_of_seen,
    means_of,
    smoothed_foot,
    stored_points,
)
from biomech_id.models.oxford_foot.errors import angle_sd_deg, turn_covariances
from biomech_id.models.oxford_foot.inputs import foot_markers, is_worn, lacking_labels, leg_sizes
from biomech_id.models.oxford_foot.options import FootOptions
from biomech_id.models.oxford_foot.track import ANGLES, ARCH_INDEX, HALLUX_LENGTH, FootPose, place_foot
from biomech_id.trial import Subject, Trial
from biomech_id.values import dataclass, field, replace

#: A heel marker higher than this above the fifth metatarsal's base (m) may be a foot in equinus.
HIGH_HEEL_M = 0.010
#: A static trial agrees with stored numbers where no point is farther away than this, m.
SAME_M = 0.001
#: A marker whose root mean square distance from its rigid copy is larger than this was moved or exchanged, m: twice the median of
#: feet at hand. The ankle's marker is not rigid in the shank's group.
MISFIT_M: Mapping[str, float] = {
    "HEE": 0.0026, "LCA": 0.0040, "STL": 0.0032, "CPG": 0.0038, "P1M": 0.0086, "D5M": 0.0052, "TOE": 0.0066, "P5M": 0.0072,
    "HFB": 0.0090, "TUB": 0.0072, "SHN": 0.0058,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class OxfordFoot:
    """One foot's calibration.

    Attributes
    ----------
    points : FootPoints | None
        Means of the static trial; None where there is none, or where nobody knows whether the sole was level.
    flat : bool | None
        Whether it is taken to have been level; None where the walks' own numbers say nothing of it.
    how : str
        "chosen", "measured", "assumed", "stored" or "asked".
    static : FootPose | None
        The foot in the static trial.
    turns : Mapping[str, Mapping[str, FloatArray]], optional
        Angle -> source of error -> covariance of its segments' turns (see `turn_covariances`); empty where no static trial shows
        the foot.
    """

    points: FootPoints | None
    flat: bool | None
    how: str
    static: FootPose | None = None
    turns: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class OxfordFeet:
    """The Oxford foot model of one person.

    Attributes
    ----------
    subject : Subject
        Measurements of the person, after files and options.
    options : FootOptions
        What the laboratory decided.
    feet : Mapping[str, OxfordFoot]
        Side -> its calibration.
    findings : tuple[Finding, ...], optional
        What was assumed, asked or noticed.
    """

    subject: Subject
    options: FootOptions
    feet: Mapping[str, OxfordFoot]
    findings: tuple[Finding, ...] = field(default=())

    @property
    def record(self) -> dict[str, Any]:
        """What was learnt, as ``calibration.json`` holds it."""
        sides = {side: _record(foot) for side, foot in self.feet.items()}
        return {
            "model": "oxford",
            "verified": "unimpaired feet",
            "heel_passes": self.options.heel_passes,
            "widths": self.options.widths,
            "sides": sides,
        }

    def errors(self, columns: Mapping[str, FloatArray]) -> dict[str, dict[str, FloatArray]]:
        """Return how far the angles of a recording can be off.

        Parameters
        ----------
        columns : Mapping[str, FloatArray]
            Of `track`.

        Returns
        -------
        dict[str, dict[str, FloatArray]]
            Column -> source of error -> (n_frames,), one standard deviation, degrees.
        """
        errors: dict[str, dict[str, FloatArray]] = {}
        for side, foot in self.feet.items():
            for name, sources in foot.turns.items():
                named = [f"{side}{name}.{axis}" for axis in AXES]
                if not set(named) <= columns.keys():
                    continue
                angles = np.stack([columns[column] for column in named], axis=1)
                longer = _as_stood_m(foot) / columns[side + HALLUX_LENGTH] if ANGLES[name].distal == "hallux" else 1.0
                sds = angle_sd_deg(name, angles, side, sources, longer)
                errors |= {column: {source: sd[:, i] for source, sd in sds.items()} for i, column in enumerate(named)}
        return errors

    def track(self, trial: Trial) -> tuple[dict[str, FloatArray], tuple[Finding, ...]]:
        """Return the columns of a recording.

        Parameters
        ----------
        trial : Trial
            With its markers under Plug-in Gait's labels.

        Returns
        -------
        columns : dict[str, FloatArray]
            Name -> (n_frames,), degrees and percent, and the length of the hallux (m) for `errors`; none of a foot that cannot be
            placed.
        findings : tuple[Finding, ...]
            Why a foot cannot be placed, and which markers do not fit their group.
        """
        markers = foot_markers(trial)
        columns: dict[str, FloatArray] = {}
        findings: list[Finding] = []
        for side, foot in self.feet.items():
            missing = lacking_labels(markers, side)
            if missing:
                if is_worn(markers, side):
                    findings.append(
                        Finding("oxford-foot-markers", {"side": side, "markers": missing, "trial": trial.name}, trial.name)
                    )
                continue
            points = self.points_of(trial, side, foot)
            if points is None:
                continue
            smooth = smoothed_foot(markers, side, self.options)
            findings += _misfits(smooth.misfit_m, side, trial.name)
            sizes = leg_sizes(trial, self.subject, side, self.options)
            columns |= _columns(place_foot(markers, smooth, points, side, sizes, along_x=_along_x(trial)), side)
        return columns, tuple(findings)

    def points_of(self, trial: Trial, side: str, foot: OxfordFoot) -> FootPoints | None:
        """Return what one foot of a walk is calibrated by.

        Parameters
        ----------
        trial : Trial
            The walk.
        side : str
            Foot that is calibrated, "L" or "R".
        foot : OxfordFoot
            What the static trial taught.
        """
        own = _stored(trial, side, self.options) if _may_be_stored(self.options) or foot.points is None else None
        if own is not None and own.foot_length_m is None and foot.points is not None:
            own = replace(own, foot_length_m=foot.points.foot_length_m)
        return foot.points if own is None else own


def oxford_feet(session: FootSession) -> OxfordFeet | None:
    """Return the Oxford foot model of a session.

    Parameters
    ----------
    session : FootSession
        Its static trial, its walks, and what the recipe says of feet.

    Returns
    -------
    OxfordFeet | None
        With a sentence for a foot that lacks something; None where nobody wears the model.
    """
    options = FootOptions(**session.options)
    shown = [(trial, foot_markers(trial)) for trial in session.walks]
    worn = [side for side in SIDES if any(is_worn(markers, side) for _, markers in shown)]
    if not worn:
        return None
    feet: dict[str, OxfordFoot] = {}
    findings: list[Finding] = []
    for side in worn:
        walks = [trial for trial, markers in shown if is_worn(markers, side)]
        stored = [_stored(trial, side, options) for trial in walks]
        foot, noticed = _calibrated(session, side, options, next((points for points in stored if points), None))
        findings += noticed
        if foot is not None:
            feet[side] = foot
    if feet:
        flat, how = ({getattr(foot, name) for foot in feet.values()} for name in ("flat", "how"))
        values = {"feet": "".join(feet), "flat": flat.pop() if len(flat) == 1 else "", "how": how.pop() if len(how) == 1 else ""}
        findings.insert(0, Finding("oxford-foot", {**values, "passes": options.heel_passes}, "foot model"))
    return OxfordFeet(session.subject, options, feet, tuple(findings))


def _calibrated(
    session: FootSession, side: str, options: FootOptions, stored: FootPoints | None
) -> tuple[OxfordFoot | None, list[Finding]]:
    """One foot, and what was noticed of it."""
    static = session.static
    markers = {} if static is None else foot_markers(static)
    lacks = (*lacking_labels(markers, side), *(side + name for name in STATIC_ONLY if side + name not in markers))
    if static is None or lacks:
        if stored is not None:
            return OxfordFoot(None, None, "stored"), []
        return None, [
            Finding(
                "oxford-foot-not-calibrated",
                {"side": side, "static": None if static is None else static.name, "markers": lacks},
                "foot model",
            )
        ]
    floor = _floor(static, side, options)
    both = {flat: learnt_points(markers, side, options, flat=flat, floor=floor) for flat in (True, False)}
    means = {flat: means_of(points) for flat, (points, _) in both.items()}
    flat, how = _flatness(means, stored, options, _heel_height_m(both[True][1].path_lab_m))
    length = static.stored_numbers.get(f"{side}FootLength")
    sizes = leg_sizes(static, session.subject, side, options)

    def pose(level: bool) -> FootPose:
        points, smooth = both[level]
        points = replace(points, foot_length_m=length / MM_PER_M) if length else points
        return place_foot(markers, smooth, points, side, sizes, along_x=_along_x(static))

    if flat is None:
        apart = _mean_deg(pose(True), "HindfootTibiaAngles") - _mean_deg(pose(False), "HindfootTibiaAngles")
        height_mm = MM_PER_M * _heel_height_m(both[True][1].path_lab_m)
        asked = Finding(
            "oxford-foot-flat-asked",
            {"side": side, "static": static.name, "height_mm": height_mm, "apart_deg": abs(float(apart[0]))},
            static.name,
        )
        return (OxfordFoot(None, None, "asked") if stored is not None and _may_be_stored(options) else None), [asked]
    points = replace(means[flat], foot_length_m=length / MM_PER_M if length else means[flat].foot_length_m)
    noticed = [Finding("oxford-foot-flat-assumed", {"side": side, "static": static.name}, static.name)] if how == "assumed" else []
    off_m = apart_m(means[flat], stored) if stored is not None else {}
    if max(off_m.values(), default=0.0) > SAME_M:
        worst = max(off_m, key=lambda name: off_m[name])
        values = {"side": side, "static": static.name, "point": worst, "apart_mm": MM_PER_M * off_m[worst]}
        noticed.append(Finding("oxford-foot-static-differs", values, static.name))
    turns = (
        turn_covariances(markers, side, sizes, options, session.error_sizes, flat=flat, floor=floor) if session.error_sizes else {}
    )
    return OxfordFoot(points, flat, how, pose(flat), turns), noticed


def _flatness(
    means: Mapping[bool, FootPoints], stored: FootPoints | None, options: FootOptions, heel_m: float
) -> tuple[bool | None, str]:
    """Whether the sole was level, and how that is known."""
    if options.flat != "auto":
        return options.flat == "yes", "chosen"
    if stored is not None:
        off = {flat: apart_m(points, stored)["HFplantar"] for flat, points in means.items()}
        nearest = min(off, key=lambda flat: off[flat])
        if off[nearest] < SAME_M:
            return nearest, "measured"
    return (True, "assumed") if heel_m <= HIGH_HEEL_M else (None, "asked")


def _heel_height_m(path_lab_m: Mapping[str, FloatArray]) -> float:
    return float(mean_of_seen(path_lab_m["HEE"] - path_lab_m["P5M"])[2])


def _may_be_stored(options: FootOptions) -> bool:
    return options.source != "static" and options.flat == "auto"


def _stored(trial: Trial, side: str, options: FootOptions) -> FootPoints | None:
    return stored_points(trial.stored_numbers, side, floor=_floor(trial, side, options)) if options.source != "static" else None


def _floor(trial: Trial, side: str, options: FootOptions) -> bool:
    return bool(trial.stored_numbers.get(f"{side}UseFloorFF")) if options.floor == "auto" else options.floor == "yes"


def _along_x(trial: Trial) -> bool:
    """Whether the walkway lies along X: as the file says; else whether the pelvis' markers face that way."""
    told = trial.stored_numbers.get("TravelDirectionX")
    if told is not None:
        return bool(told)
    markers = foot_markers(trial)
    if not {"LASI", "RASI"} <= markers.keys():
        return False
    across = np.abs(markers["LASI"] - markers["RASI"])
    return bool(np.nanmedian(across[:, 1]) > np.nanmedian(across[:, 0]))


def _columns(pose: FootPose, side: str) -> dict[str, FloatArray]:
    columns = {f"{side}{name}.{axis}": angles[:, i] for name, angles in pose.angles_deg.items() for i, axis in enumerate(AXES)}
    more = {ARCH_INDEX: pose.arch_index, HALLUX_LENGTH: pose.hallux_m}
    return columns | {side + name: values for name, values in more.items() if values is not None}


def _as_stood_m(foot: OxfordFoot) -> float:
    """Length of the hallux in the static trial."""
    length_m = None if foot.static is None else foot.static.hallux_m
    return np.nan if length_m is None else float(over_seen(np.nanmean, length_m))


def _misfits(misfit_m: Mapping[str, float], side: str, trial: str) -> list[Finding]:
    over = {name: misfit_m[name] / limit for name, limit in MISFIT_M.items() if misfit_m.get(name, 0.0) > limit}
    if not over:
        return []
    worst = max(over, key=lambda name: over[name])
    values = {"marker": side + worst, "trial": trial, "off_mm": MM_PER_M * misfit_m[worst], "limit_mm": MM_PER_M * MISFIT_M[worst]}
    return [Finding("oxford-foot-marker-moved", values, trial)]


def _mean_deg(pose: FootPose, name: str) -> FloatArray:
    return mean_of_seen(pose.angles_deg[name])


def _record(foot: OxfordFoot) -> dict[str, Any]:
    record: dict[str, Any] = {"flat": foot.flat, "flat_known": foot.how}
    if foot.points is not None:
        record |= {"points": foot.points.to_dict(), "floor": foot.points.floor}
    if foot.static is not None:
        record["static_deg"] = {name: [float(v) for v in _mean_deg(foot.static, name)] for name in foot.static.angles_deg}
        index = foot.static.arch_index
        record["static_arch_index_percent"] = None if index is None else float(mean_of_seen(index[:, None])[0])
    return record


OXFORD_FOOT = FootModel("oxford", FOOT_TABLE, oxford_feet)
