"""What constant bones are worth and what they cost: straight walks of children with the conventional model and with gate2392.

``python -m benchmarks.studies.constant_bones [FOLDER]`` analyses the straight walk of every child beside the project
(``../shared``, or ``BIOMECH_ID_SHARED``) with the conventional model and with gait2392 scaled to the child by this library. Of
both it tables the energy that shanks and thighs leave open (`dynamics.segment_energy`), and what the ground's force and moment
leave over at the root; of gait2392 the distances of the markers too. Then the left hip of the scaled model is moved by 20 mm in the
pelvis, sideways: once in the pose as it was found, once with the pose found anew. Nothing is random. The table lies beside this
module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.dynamics.segment_energy import energy_left_open_W
from biomech_id.feet.movements import TrialKind
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose
from biomech_id.osim.skeletal_model import SkeletalModel
from biomech_id.pipeline.choose_model import ChosenModel, choose_model
from biomech_id.pipeline.one_trial import cut_and_grade, solve_trial
from biomech_id.readers import read
from biomech_id.request.intake import read_all
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Trial

TABLE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).resolve().parents[2]
CHILDREN = "c3d/children"
GENERIC = "opensim_refs/gait2392/gait2392_thelen2003muscle.osim"
SHIFT_M = 0.02
#: The gates: energy left open, W/kg; marker distance, median of a walk's segments, mm.
MOST_OPEN_W_KG = 0.02
MOST_OFF_MM = 15.0


@dataclass(frozen=True, eq=False)
class HeldPose(SkeletalModel):
    """A model in the coordinates that another one found.

    Attributes
    ----------
    finder : SkeletalModel
        The model that finds them.
    """

    finder: SkeletalModel | None = None

    def coordinates(self, trial: Trial) -> TrackedPose:
        """Return the other model's coordinates, with what they leave of this one's markers."""
        assert self.finder is not None
        pose = self.finder.coordinates(trial)
        tree, wanted = pose.problem
        moved = type(tree)(self.osim).posture(pose.q, rows=False).points(wanted.body, wanted.place_m)
        seen = np.isfinite(pose.residual_m)
        return replace(pose, residual_m=np.where(seen, moved - wanted.measured_m, np.nan))


@dataclass(frozen=True)
class Walk:
    """One walk with one model: W/kg, mm, % of body weight, N m/kg."""

    trial: str
    shank_W_kg: float
    thigh_W_kg: float
    off_mm: tuple[float, ...]
    force_percent: float
    moment_Nm_kg: float

    @property
    def median_off_mm(self) -> float:
        """Of the segments."""
        return float(np.median(self.off_mm)) if self.off_mm else float("nan")


def hip_shifted(osim: MusculoskeletalModel, shift_m: float = SHIFT_M) -> MusculoskeletalModel:
    """Return a model whose left hip lies farther out in the pelvis."""
    outward = np.array([0.0, 0.0, -shift_m])
    joints = tuple(
        replace(joint, parent=replace(joint.parent, place_m=joint.parent.place_m + outward))
        if joint.child.body == "femur_l"
        else joint
        for joint in osim.joints
    )
    return replace(osim, joints=joints)


def _recipe(model: str) -> Recipe:
    return Recipe(model=model, report=False, budget=False, uncertainty=False)


def chosen_of(folder: Path, model: str) -> tuple[ChosenModel, Trial]:
    """Return a child's calibrated model and the straight walk."""
    job = Job((folder,), recipe=_recipe(model))
    chosen = choose_model(job, read_all(job.files(), read, None).trials)
    walks = (trial for trial in chosen.trials if trial is not chosen.static)
    for trial in walks:
        if walk_of(chosen.model, chosen, trial, model)[1] is TrialKind.STRAIGHT:
            return chosen, trial
    raise LookupError(f"{folder.name} holds no straight walk")


def walk_of(model: object, chosen: ChosenModel, trial: Trial, name: str) -> tuple[Walk, TrialKind]:
    """Analyse one walk with one model."""
    assert isinstance(model, SkeletalModel) or name == "conventional"
    solved = solve_trial(trial, model, chosen.subject, _recipe(name))  # type: ignore[arg-type]
    result = cut_and_grade(solved, model, None, {})  # type: ignore[arg-type]
    assert result.loads is not None
    assert result.mass_kg is not None
    open_W_kg = {part: _rms(values) / result.mass_kg for part, values in energy_left_open_W(result.loads).items()}
    residual = {row.rule: row.value for row in result.quality}
    off = tuple(1000.0 * _rms(values) for values in result.motion.fit_residual_m.values())
    worst = (max(open_W_kg[side, part] for side in SIDES) for part in ("shank", "thigh"))
    force, moment = (residual.get(rule, float("nan")) for rule in ("residual-single", "residual-moment"))
    return Walk(trial.name, *worst, off, force, moment), result.kind


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.nanmean(np.square(values)))) if np.isfinite(values).any() else float("nan")


def walks_of(shared: Path, child: str) -> dict[str, Walk]:
    """Return a child's walk with each model: conventional, gait2392, its hip shifted in the pose as found, and found anew."""
    folder, generic = shared / CHILDREN / child, str(shared / GENERIC)
    chosen, trial = chosen_of(folder, "conventional")
    found = {"conventional": walk_of(chosen.model, chosen, trial, "conventional")[0]}
    chosen, trial = chosen_of(folder, generic)
    bones = chosen.model
    assert isinstance(bones, SkeletalModel)
    fields = {name: getattr(bones, name) for name in SkeletalModel.__dataclass_fields__}
    off = hip_shifted(bones.osim)
    models = {"gait2392": bones, "held": HeldPose(**{**fields, "osim": off}, finder=bones), "anew": replace(bones, osim=off)}
    return found | {name: walk_of(model, chosen, trial, generic)[0] for name, model in models.items()}


def all_walks(shared: Path) -> Iterator[dict[str, Walk]]:
    """Every child, in order of names."""
    for folder in sorted((shared / CHILDREN).iterdir()):
        if folder.is_dir():
            yield walks_of(shared, folder.name)


def table(walks: Sequence[dict[str, Walk]]) -> str:
    """Return the table."""
    heads = ("walk", "model", "shank, W/kg", "thigh, W/kg", "markers: median, largest, mm", "force left, %", "moment left, N m/kg")
    titles = {
        "conventional": "conventional", "gait2392": "gait2392", "held": "gait2392, hip 20 mm off, pose held",
        "anew": "gait2392, hip 20 mm off, found anew",
    }  # fmt: skip
    lines = [
        "# Constant bones: what they are worth and what they cost", "",
        f"biomech_id {__version__}; {len(walks)} straight walks of children; no random numbers.",
        "Energy left open: root mean square over the frames with known loads, the worse of both sides. Markers: root mean square",
        "over the walk, of the segments. Left at the root: single support, below 6 Hz.", "",
        "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
    ]  # fmt: skip
    lines += [_line(one[key].trial, title, [one[key]]) for one in walks for key, title in titles.items()]
    lines += [_line("median", title, [one[key] for one in walks]) for key, title in titles.items()]
    return "\n".join(lines) + "\n"


def _line(name: str, title: str, walks: Sequence[Walk]) -> str:
    def middle(values: Sequence[float]) -> float:
        return float(np.median(values))

    off = [walk.median_off_mm for walk in walks], [max(walk.off_mm, default=float("nan")) for walk in walks]
    marks = "-" if np.isnan(off[0]).all() else f"{middle(off[0]):.1f}, {middle(off[1]):.1f}"
    cells = (
        name, title, f"{middle([walk.shank_W_kg for walk in walks]):.4f}", f"{middle([walk.thigh_W_kg for walk in walks]):.4f}",
        marks, f"{middle([walk.force_percent for walk in walks]):.1f}", f"{middle([walk.moment_Nm_kg for walk in walks]):.2f}",
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main(words: Sequence[str] = ()) -> int:
    """Analyse, write the table, and say whether energy closes, markers are near and the force left at the root is no larger."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (shared / CHILDREN).is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    walks = list(all_walks(shared))
    text = table(walks)
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(text)
    bones = [one["gait2392"] for one in walks]
    open_W_kg = max(max(walk.shank_W_kg, walk.thigh_W_kg) for walk in bones)
    force = [float(np.median([one[key].force_percent for one in walks])) for key in ("gait2392", "conventional")]
    return int(open_W_kg > MOST_OPEN_W_KG or max(walk.median_off_mm for walk in bones) > MOST_OFF_MM or force[0] > force[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
