"""The fit on recorded persons: markers of a trial left out, and what the ground leaves over at the root, beside today's scaling.

``python -m benchmarks.studies.fit_recorded [FOLDER]`` takes six children and every recorded adult beside the project (``../shared``
or ``BIOMECH_ID_SHARED``). A child has a static trial and two others; gait2392 with the recording's markers, where scaling to the
static trial puts them, is fitted to the static trial and the walk that is not the straight one; the straight walk is left out. Both
models follow it as a run does. Markers that lie on landmarks by their role are within 10 mm of them, the others anywhere.

An adult's fit sees the static trial and the first half of the walk. Markers are followed with equal weights there, by the fit and
by the model that the data set brings as scaled. Nothing is random. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies import constant_bones
from benchmarks.studies.constant_bones import CHILDREN, GENERIC, chosen_of, walk_of
from biomech_id import __version__
from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import read_marker_set, read_osim
from biomech_id.osim.fit.findings import fit_findings
from biomech_id.osim.fit.person import fit
from biomech_id.osim.kinematics.inverse_kinematics import MISFIT_MM, TrackingTasks, soft_tissue_weights, track_markers
from biomech_id.osim.scaling import with_model_markers
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, SkeletalModel, skeletal_model
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.static_fit import PULL
from biomech_id.trial import Markers, Trial

TABLE = Path(__file__).with_suffix(".md")
ROOT = constant_bones.ROOT
#: Roles of markers that lie on bone that can be felt.
LANDMARKS = frozenset({
    "asis", "psis", "sacrum", "lateral_epicondyle", "medial_epicondyle", "lateral_malleolus", "medial_malleolus", "heel", "toe",
    "clavicle", "sternum", "c7", "t10", "shoulder",
})  # fmt: skip
#: What the issue hopes for: markers of a trial left out, mm; moment left at the root, N m/kg.
AIM_MM, AIM_NM_KG = 7.0, 0.40
#: Of the recorded adult: second half of the walk, mm; hip from the functional centre, mm.
MOST_UNSEEN_MM, MOST_HIP_MM = 6.5, 15.0


@dataclass(frozen=True)
class ChildWalk:
    """One left-out walk with one model: RMS of markers, mm; left at the root, % of the body weight and N m/kg."""

    markers_mm: float
    force_percent: float
    moment_Nm_kg: float


def with_landmarks(scaled: MusculoskeletalModel, generic: MusculoskeletalModel, static: Trial) -> MusculoskeletalModel:
    """The generic model with the markers of the scaled one, where they lie on its unscaled bones."""
    lengths = {b.name: (float(np.linalg.norm(b.com_m)), float(np.linalg.norm(scaled.body(b.name).com_m))) for b in generic.bodies}
    factor = {name: theirs / own for name, (own, theirs) in lengths.items() if own > 0}
    role_of = {label: role for (_, role), label in static.markers.roles.items()}
    markers = tuple(
        replace(m, place_m=np.asarray(m.place_m) / factor[m.body], fixed=role_of.get(m.name) in LANDMARKS) for m in scaled.markers
    )
    return replace(generic, markers=markers)


def as_run(osim: MusculoskeletalModel, today: SkeletalModel) -> SkeletalModel:
    """A model that follows markers as a run does, in place of today's."""
    pulls = {c.name: PULL for c in osim.coordinates if c.motion == "rotational"}
    tasks = TrackingTasks(soft_tissue_weights(osim, misfit_mm=MISFIT_MM), pulls)
    return replace(skeletal_model(osim, today.subject, tasks=tasks), naming=today.naming, static=today.static)


def _rms_mm(residual_m: FloatArray) -> float:
    return 1e3 * float(np.sqrt(np.nanmean((residual_m**2).sum(axis=2))))


def child(shared: Path, name: str) -> dict[str, ChildWalk]:
    """A child's straight walk by today's scaling and by the fit that has not seen it."""
    generic = shared / GENERIC
    chosen, walk = chosen_of(shared / CHILDREN / name, str(generic))
    today = chosen.model
    assert isinstance(today, SkeletalModel)
    assert today.static is not None
    seen = [today.named(trial) for trial in chosen.trials if trial.name not in (walk.name, today.static.name)]
    start = with_landmarks(today.osim, read_osim(generic), today.static)
    fitted = fit(start, [today.static, *seen], mass_kg=chosen.subject.mass_kg)
    rows = {}
    for key, model in (("scaling", today), ("fit", as_run(fitted.model, today))):
        left = walk_of(model, chosen, walk, str(generic))[0]
        rows[key] = ChildWalk(_rms_mm(model.coordinates(today.named(walk)).residual_m), left.force_percent, left.moment_Nm_kg)
    return rows


def line(name: str, rows: dict[str, ChildWalk]) -> str:
    """A child's row of the table."""
    a, b = rows["scaling"], rows["fit"]
    return (
        f"| {name} | {a.markers_mm:.1f}, {b.markers_mm:.1f} | {a.moment_Nm_kg:.2f}, {b.moment_Nm_kg:.2f} "
        f"| {a.force_percent:.1f}, {b.force_percent:.1f} |"
    )


@dataclass(frozen=True)
class Adult:
    """A recorded adult: generic model, markers where they are in a file of their own, trials, and a model that somebody scaled."""

    name: str
    generic: str
    static: str
    walk: str
    scaled: str
    markers: str = ""


def _adults() -> Iterator[Adult]:
    refs, rajagopal, ten = "opensim_refs/gait2392", "opensim_refs/rajagopal_walk", "opensim/gait10dof18musc"
    yield Adult(
        "markerless/opencap", "opensim_refs/fit/recorded_adult/generic.osim", "c3d/markerless/opencap/static1.trc",
        "c3d/markerless/opencap/walking1.trc", "opensim_refs/fit/recorded_adult/expert_scaled.osim",
    )  # fmt: skip
    yield Adult(
        "gait2392", f"{refs}/gait2392_thelen2003muscle.osim", f"{refs}/subject01_static.trc", f"{refs}/subject01_walk1.trc",
        f"{refs}/scaled.osim", f"{refs}/gait2392_Scale_MarkerSet.xml",
    )  # fmt: skip
    yield Adult(
        "rajagopal_walk", f"{rajagopal}/Rajagopal2016.osim", f"{rajagopal}/static_walk_1.trc",
        f"{rajagopal}/motion_capture_walk.trc", f"{rajagopal}/scaled.osim", f"{rajagopal}/markerset_walk_preScale.xml",
    )  # fmt: skip
    # No generic model of this one is at hand: the fit begins with the scaled one.
    experiment = f"{ten}/ExperimentalData/subject01"
    yield Adult(
        "gait10dof18musc", f"{ten}/subject01.osim", f"{experiment}_static.trc", f"{experiment}_walk.trc", f"{ten}/subject01.osim"
    )


ADULTS = tuple(_adults())


def _tracked(model: MusculoskeletalModel, names: Sequence[str], y: FloatArray, rate_hz: float) -> tuple[float, FloatArray]:
    """RMS of the markers with equal weights, mm, and coordinates."""
    pose = track_markers(model, names, y, TrackingTasks(dict.fromkeys((m.name for m in model.markers), 1.0)), rate_hz=rate_hz)
    return _rms_mm(pose.residual_m), np.array(pose.q)


def adult(shared: Path, who: Adult) -> str:
    """An adult's row of the table."""
    generic = read_osim(shared / who.generic)
    if who.markers:
        generic = with_model_markers(generic, read_marker_set(shared / who.markers))
    static, walk = bid.read(shared / who.static), bid.read(shared / who.walk)
    half = walk.markers.n_frames // 2
    first = Markers(walk.markers.names, walk.markers.position_m[:half], walk.markers.rate_hz)
    fitted = fit(generic, [replace(static, name="static"), Trial("walk", first)])
    y, names = walk.markers.position_m @ R_LAB_SURROUNDINGS, walk.markers.names
    cells = []
    known = {m.name for m in fitted.model.markers}
    scaled = read_osim(shared / who.scaled, muscles=False)
    for model in (replace(scaled, markers=tuple(m for m in scaled.markers if m.name in known)), fitted.model):
        seen, _ = _tracked(model, names, y[:half], walk.rate_hz)
        unseen, q = _tracked(model, names, y[half:], walk.rate_hz)
        hips = ""
        if "R_HJC" in names:
            skeleton = Skeleton(model)
            origin = skeleton.pose(q).origin_m
            off = [origin[:, skeleton.body_index(f"femur_{side.lower()}")] - y[half:, names.index(f"{side}_HJC")] for side in "RL"]
            hips = f", {1e3 * float(np.sqrt(np.nanmean(np.sum(np.square(off), axis=2)))):.1f}"
        cells.append(f"{seen:.1f}, {unseen:.1f}{hips}")
    rules = ", ".join(f"{f.where} {f.rule}" for f in fit_findings(fitted)) or "-"
    return f"| {who.name} | {' | '.join(cells)} | {rules} |"


def all_children(shared: Path) -> Iterator[tuple[str, dict[str, ChildWalk]]]:
    """Every child, in order of names."""
    for folder in sorted((shared / CHILDREN).iterdir()):
        if folder.is_dir():
            yield folder.name, child(shared, folder.name)


def table(children: dict[str, dict[str, ChildWalk]], adults: Sequence[str]) -> str:
    """The tables, as text."""
    middle = {
        key: ChildWalk(
            *(float(np.median([getattr(rows[key], name) for rows in children.values()])) for name in ChildWalk.__annotations__)
        )
        for key in ("scaling", "fit")
    }
    return "\n".join([
        f"biomech_id {__version__}; {len(children)} children with gait2392, the straight walk left out. Scaling, fit:",
        "",
        "| child | markers of the walk left out, mm | moment left at the root, N m/kg | force left, % of body weight |",
        "|---|---|---|---|",
        *(line(name, rows) for name, rows in children.items()),
        line("median", middle),
        "",
        "Adults, fitted to the static trial and the first half of the walk. First half, second half, and where the file has one",
        "the hip's distance from its functional centre in the second half, mm RMS:",
        "",
        "| adult | model that the data set brings | fit | findings of the fit |",
        "|---|---|---|---|",
        *adults,
        "",
    ])  # fmt: skip


def worse(children: dict[str, dict[str, ChildWalk]]) -> list[str]:
    """Children whom the fit serves worse than scaling, with what."""
    names = ("markers_mm", "moment_Nm_kg", "force_percent")
    return [
        f"{who} {name}"
        for who, rows in children.items()
        for name in names
        if getattr(rows["fit"], name) > getattr(rows["scaling"], name)
    ]


def main(words: Sequence[str] = ()) -> int:
    """Fit everybody, write the tables, and say who is worse off than with scaling."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (shared / CHILDREN).is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    children = dict(all_children(shared))
    text = table(children, [adult(shared, who) for who in ADULTS])
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(text)
    print("worse than by scaling:", ", ".join(worse(children)) or "nothing")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
