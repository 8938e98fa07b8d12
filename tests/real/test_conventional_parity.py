"""The conventional model against the outputs that a vendor's software stored in clinical recordings.

Everything is computed from raw markers, the static trial and the measurements in the files; stored outputs serve as the answer
only. Sessions are found by path: every folder of children with one static trial, and every pair PiG_Motion3_x, PiG_Calibration3_x.
``BIOMECH_ID_PARITY`` names further subject folders (joined as in PATH).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.assignment import assign_plates
from biomech_id.models.conventional.model import ConventionalModel, conventional_model
from biomech_id.movement.stance import Assignment
from biomech_id.readers import read_c3d
from biomech_id.session.tables.frame_table import FrameTable, frame_table
from biomech_id.statistics.parity import ParityRow, offset_parity, parity_rows, stored_output
from biomech_id.trial import Trial

#: Without the recordings beside the project every test here is skipped, or fails where nothing may be skipped.
pytestmark = pytest.mark.usefixtures("shared_dir")

C3D = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "c3d"

#: Gates by kind of quantity: root mean square and largest difference per subject, side and axis, in the units of the sign table.
GATES = {
    "point": (0.01, 0.01),
    "angle": (0.001, 0.01),
    "moment": (2e-4, 1e-3),
    "power": (1e-3, 5e-3),
    "force": (1e-3, 5e-3),
}
GROUND_GATE_N = 0.001
OFFSET_GATE_DEG = float(np.rad2deg(1e-5))
#: Pooled stance distances of correct physics from the vendor's, straight walks (N m/kg X, Y, Z; W/kg), and how near ours must be.
TEXTBOOK_DISTANCE = {
    "AnkleMoment": (0.006, 0.002, 0.003), "KneeMoment": (0.025, 0.012, 0.003), "HipMoment": (0.045, 0.018, 0.005),
    "AnklePower": (0.08,), "KneePower": (0.08,), "HipPower": (0.09,),
}  # fmt: skip
TEXTBOOK_FACTOR = 1.5


@dataclass(frozen=True)
class Session:
    """Files of one subject, and whether the feet were flat where the files' derived values do not say so."""

    name: str
    files: tuple[Path, ...]
    foot_flat: bool | None = None


def sessions() -> list[Session]:
    folders = [folder for folder in sorted((C3D / "children").glob("*")) if folder.is_dir()]
    folders += [Path(text) for text in os.environ.get("BIOMECH_ID_PARITY", "").split(os.pathsep) if text]
    found = [Session(folder.name, tuple(sorted(p for p in folder.iterdir() if p.suffix.lower() == ".c3d"))) for folder in folders]
    for walk in sorted((C3D / "plug_in_gait").glob("PiG_Motion3_*.c3d")):
        static = walk.with_name(walk.name.replace("Motion", "Calibration"))
        found.append(Session(walk.stem, (static, walk), foot_flat="noFF" not in walk.stem))
    return found


SESSIONS = sessions()
each_session = pytest.mark.parametrize("session", SESSIONS, ids=[s.name for s in SESSIONS])


@dataclass(frozen=True, eq=False)
class Walk:
    """One walk, analysed without a look at what is stored, and the trial with what is."""

    stored: Trial
    kind: TrialKind
    assignment: Assignment
    table: FrameTable
    mass_kg: float

    @property
    def rows(self) -> tuple[ParityRow, ...]:
        return parity_rows(self.table, self.stored, straight=self.kind is TrialKind.STRAIGHT)


def blind(trial: Trial) -> Trial:
    """The trial as if the vendor had never stored an output."""
    nothing: dict[str, float] = {}
    subject = replace(trial.subject, static_plantar_flexion_rad=nothing, static_rotation_offset_rad=nothing)
    return replace(trial, model_outputs={}, subject=subject)


def analysed(model: ConventionalModel, walk: Trial, kinetics: str, method: str = "recursive") -> Walk:
    hidden = blind(walk)
    motion = model.track(hidden, kinetics=kinetics)
    mass = model.subject.mass_kg
    assert mass is not None
    assignment = assign_plates(hidden, motion, kinetics=kinetics, body_mass_kg=mass)
    loads: JointLoads = solve_body(motion, assignment, method=method)  # type: ignore[arg-type]
    table = frame_table(motion, loads, assignment.contacts, mass_kg=mass)
    return Walk(walk, classify(hidden, motion), assignment, table, mass)


@lru_cache(maxsize=64)
def trials_of(session: Session) -> tuple[Trial, tuple[Trial, ...]]:
    """The static trial and the walks, told apart by what they show."""
    trials = [read_c3d(path, trust=True) for path in session.files]
    statics = [trial for trial in trials if classify(trial) is TrialKind.STATIC]
    assert len(statics) == 1, f"{session.name}: {[t.name for t in statics]}"
    return statics[0], tuple(trial for trial in trials if trial is not statics[0])


@lru_cache(maxsize=64)
def walks_of(session: Session, kinetics: str, method: str = "recursive") -> tuple[Walk, ...]:
    static, walks = trials_of(session)
    model = conventional_model(static)
    return tuple(analysed(model, walk, kinetics, method) for walk in walks)


def unequal(rows: Iterator[ParityRow]) -> list[str]:
    """Rows beyond the gates, in words; a variable without a single compared frame counts, but for foot progress in a turn."""
    wrong = []
    for row in rows:
        if row.quantity not in GATES:
            continue
        rms, largest = GATES[row.quantity]
        if row.n_frames and (row.rmse > rms or row.largest > largest):
            wrong.append(f"{row.trial} {row.side}{row.variable}.{row.axis}: rms {row.rmse:.2g}, largest {row.largest:.2g}")
        if not row.n_frames and not set(row.left_out) & {"turning"} and row.quantity in ("point", "angle"):
            wrong.append(f"{row.trial} {row.side}{row.variable}.{row.axis}: nothing compared ({row.left_out})")
    return wrong


def test_the_recordings_are_there(shared_dir: Path) -> None:
    assert len(SESSIONS) >= 9


@each_session
def test_static_offsets_are_the_stored_ones(session: Session) -> None:
    static, _ = trials_of(session)
    rows = offset_parity(conventional_model(static).calibration.to_dict()["sides"], static)
    assert len(rows) == 4
    assert max(row.largest for row in rows) < OFFSET_GATE_DEG


@each_session
def test_vicon_mode_equals_the_stored_outputs(session: Session) -> None:
    walks = walks_of(session, "vicon")
    assert unequal(row for walk in walks for row in walk.rows) == []


@each_session
def test_block_system_meets_the_same_gates(session: Session) -> None:
    walks = walks_of(session, "vicon", "block")
    assert unequal(row for walk in walks for row in walk.rows) == []


@each_session
def test_typical_force_tells_the_vendors_gravity_from_the_standard_one(session: Session) -> None:
    """9.80665 for 9.81 m/s2 moves a hip force by 5e-4 N/kg, within the gates; the typical variable is far more exact."""
    rows = [row for walk in walks_of(session, "vicon") for row in walk.rows if row.quantity == "force" and row.n_frames]
    assert np.median([row.rmse for row in rows]) < 1e-5  # N/kg; ten roundings of a 32-bit force


@each_session
def test_ground_reaction_equals_the_stored_one(session: Session) -> None:
    compared = 0
    for walk in walks_of(session, "vicon"):
        for row in walk.rows:
            if row.quantity == "ground force" and row.n_frames:
                compared += row.n_frames
                assert row.largest * walk.mass_kg < GROUND_GATE_N, row
    assert compared > 0


@each_session
def test_plates_and_contact_mask_equal_the_vendors_on_straight_walks(session: Session) -> None:
    straight = [walk for walk in walks_of(session, "vicon") if walk.kind is TrialKind.STRAIGHT]
    assert straight
    for walk in straight:
        for side in SIDES:
            stored = stored_output(walk.stored.model_outputs, f"{side}GroundReactionForce")
            assert stored is not None
            vendor = np.isfinite(stored).all(axis=1) & (stored != 0).any(axis=1)
            contact = walk.assignment.contacts[side]
            ours = contact.known & (contact.force_lab_N != 0).any(axis=1)
            assert np.flatnonzero(vendor != ours).tolist() == [], f"{walk.stored.name} {side}"


@each_session
def test_stances_that_are_compared_are_many_and_unclean_ones_are_named(session: Session) -> None:
    """Moments are compared in every stance that the vendor gave a plate to, but for those we call unclean and say why."""
    for walk in walks_of(session, "vicon"):
        for side in SIDES:
            stored = stored_output(walk.stored.model_outputs, f"{side}GroundReactionForce")
            if stored is None:
                continue
            vendor = np.isfinite(stored).all(axis=1) & (stored != 0).any(axis=1)
            left_out = vendor & ~walk.assignment.contacts[side].known
            refused = [s for s in walk.assignment.stances if s.side == side and s.plates and not s.verdict.accepted]
            for frame in np.flatnonzero(left_out):
                time_s = walk.stored.first_time_s + frame / walk.stored.rate_hz
                assert any(s.start_s - 0.05 < time_s < s.end_s + 0.05 and s.reason for s in refused), (
                    walk.stored.name,
                    side,
                    frame,
                )


def without_derived_values(path: Path, folder: Path) -> Path:
    """A copy of a file from which every model output and every derived value is gone."""
    file = ezc3d.c3d(str(path))
    point, outputs = file["parameters"]["POINT"], set()
    for group in ("ANGLES", "MOMENTS", "FORCES", "POWERS", "SCALARS"):
        outputs |= set(point.pop(group, {"value": []})["value"])
    labels = [label for key in ("LABELS", "LABELS2", "LABELS3") for label in point.get(key, {"value": []})["value"]]
    n_points = file["data"]["points"].shape[1]
    outputs |= set(read_c3d(path, trust=True).model_outputs)
    keep = [i for i, label in enumerate(labels[:n_points]) if label not in outputs]
    derived = [
        name for name in file["parameters"]["PROCESSING"]
        if name.endswith(("StaticPlantFlex", "StaticRotOff", "PelvisLength", "FemurLength", "TibiaLength", "FootLength",
                          "AsisTrocanterDistance", "HeadOffset", "SpineOffset")) or name.startswith("%")
    ]  # fmt: skip
    for name in derived:
        del file["parameters"]["PROCESSING"][name]
    for key in ("LABELS2", "LABELS3", "DESCRIPTIONS", "DESCRIPTIONS2", "DESCRIPTIONS3", "TYPE_GROUPS"):
        point.pop(key, None)
    point["LABELS"]["value"] = [labels[i] for i in keep]
    file["data"]["points"] = file["data"]["points"][:, keep, :]
    residuals = file["data"]["meta_points"]["residuals"][:, keep, :]
    cameras = file["data"]["meta_points"]["camera_masks"][:, keep, :]
    file["data"]["meta_points"] = {"residuals": residuals, "camera_masks": cameras}
    file["parameters"]["POINT"]["USED"]["value"] = np.array([len(keep)])
    target = folder / path.name
    file.write(str(target))
    return target


@each_session
def test_copies_without_any_derived_value_give_the_same(session: Session, tmp_path: Path) -> None:
    static, walks = trials_of(session)
    bare = {trial.name: read_c3d(without_derived_values(Path(trial.path), tmp_path), trust=True) for trial in (static, *walks)}
    assert all(not trial.model_outputs and not trial.subject.static_plantar_flexion_rad for trial in bare.values())
    subject = bare[static.name].subject
    if session.foot_flat is not None:
        subject = subject.with_values("subject.toml", foot_flat=session.foot_flat)
    model = conventional_model(bare[static.name], subject)
    rows = offset_parity(model.calibration.to_dict()["sides"], static)
    assert max(row.largest for row in rows) < OFFSET_GATE_DEG
    results = [replace(analysed(model, bare[walk.name], "vicon"), stored=walk) for walk in walks]
    assert unequal(row for walk in results for row in walk.rows) == []


def pooled_stance_rms(walks: list[Walk], variable: str, axes: tuple[str, ...]) -> list[float]:
    """Root mean square of ours minus stored over the stance frames of all walks and sides, per axis."""
    squares: list[np.ndarray] = []
    for walk in walks:
        for side in SIDES:
            ground = stored_output(walk.stored.model_outputs, f"{side}GroundReactionForce")
            stored = stored_output(walk.stored.model_outputs, side + variable)
            if ground is None or stored is None:
                continue
            ours = np.column_stack([walk.table[f"{side}{variable}{axis}"] for axis in axes])
            theirs = stored * 1e-3 if len(axes) == 3 else stored[:, 2:]
            stance = np.isfinite(ground).all(axis=1) & (ground != 0).any(axis=1)
            difference = (ours - theirs)[stance & np.isfinite(ours).all(axis=1) & np.isfinite(theirs).all(axis=1)]
            squares.append(difference**2)
    pooled: list[float] = np.sqrt(np.concatenate(squares).mean(axis=0)).tolist()
    return pooled


@pytest.mark.parametrize("variable", TEXTBOOK_DISTANCE)
def test_textbook_mode_lies_as_near_as_correct_physics_allows(variable: str) -> None:
    walks = [walk for session in SESSIONS for walk in walks_of(session, "textbook") if walk.kind is TrialKind.STRAIGHT]
    axes = (".X", ".Y", ".Z") if len(TEXTBOOK_DISTANCE[variable]) == 3 else ("",)
    distance = pooled_stance_rms(walks, variable, axes)
    limit = [TEXTBOOK_FACTOR * value for value in TEXTBOOK_DISTANCE[variable]]
    assert all(d < gate for d, gate in zip(distance, limit, strict=True)), (distance, limit)
    # And it is another model: were it forced to equal the vendor's, this would be zero.
    assert max(distance) > 1e-3


def mutations() -> dict[str, Callable[[Trial], Trial]]:
    """Changes of one convention each, which the gates must notice."""

    def markers(change: Callable[[np.ndarray, Trial], None]) -> Callable[[Trial], Trial]:
        def apply(trial: Trial) -> Trial:
            position = np.array(trial.markers.position_m)
            change(position, trial)
            return replace(trial, markers=trial.markers.with_positions(position))

        return apply

    def knee_1_mm(position: np.ndarray, trial: Trial) -> None:
        position[:, trial.markers.names.index("LKNE"), 2] += 1e-3

    def tilted_plate(trial: Trial) -> Trial:
        plates = tuple(replace(p, force_lab_N=np.array(p.force_lab_N) * [1.0, 1.0, 1.001]) for p in trial.plates)
        return replace(trial, plates=plates)

    return {"knee marker 1 mm higher": markers(knee_1_mm), "vertical force 0.1 % larger": tilted_plate}


@pytest.mark.parametrize("change", list(mutations()), ids=list(mutations()))
def test_the_gates_notice_a_small_mistake(change: str) -> None:
    static, walks = trials_of(SESSIONS[0])
    model = conventional_model(static)
    wrong = [replace(analysed(model, mutations()[change](walk), "vicon"), stored=walk) for walk in walks]
    assert unequal(row for walk in wrong for row in walk.rows)


@each_session
def test_sum_of_vertical_forces_over_a_clean_stance_is_near_body_weight(session: Session) -> None:
    """A look at the size of things that shares nothing with the vendor: a clean stance carries about the body's weight."""
    for walk in walks_of(session, "textbook"):
        for side in SIDES:
            contact = walk.assignment.contacts[side]
            vertical = contact.force_lab_N[contact.known & (contact.force_lab_N[:, 2] > 0.2 * walk.mass_kg * GRAVITY_M_S2), 2]
            if len(vertical):
                assert 0.7 < vertical.mean() / (walk.mass_kg * GRAVITY_M_S2) < 1.2
