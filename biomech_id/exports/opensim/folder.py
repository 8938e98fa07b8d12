"""Everything OpenSim needs to take over a session, as one folder of text files: motion, forces, and envelopes of muscles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anatomy import SIDE_WORDS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import MissingInputError, OptionError, option
from biomech_id.exports.opensim.joints import KneeSign, R_ground_lab
from biomech_id.exports.opensim.loads import GroundLoad, ground_table, write_external_loads
from biomech_id.exports.opensim.model import SubjectModel, subject_model, write_model
from biomech_id.exports.opensim.motion import KNEE_NOTES, ModelMotion, angle_table, model_motion
from biomech_id.exports.opensim.setups import RESULTS, write_id_setup, write_ik_setup, write_scale_setup
from biomech_id.feet.contacts import contact_threshold_N, plate_at_rest
from biomech_id.gait.ground import pressure_threshold_N
from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.readers.opensim.trc import MarkerTable
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.values.emg import SessionEmg, key_of
from biomech_id.signal.resample import local_quadratic
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate, Markers
from biomech_id.values import dataclass, replace
from biomech_id.writers.opensim_text import write_storage, write_trc


def envelope_table(emg: SessionEmg, trial: str) -> StorageTable | None:
    """Envelopes of a trial's live channels at their own rate, 1 for their peak.

    Columns are named as OpenSim's muscles are sided, ``rectus_femoris_r``. A channel whose side nobody says, or without a peak to
    divide by, is left out: a dead channel never becomes an activity.

    Parameters
    ----------
    emg : SessionEmg
        The session's muscle signals.
    trial : str
        Name of the trial.

    Returns
    -------
    StorageTable | None
        One column a muscle; None where no channel is live.
    """
    for one in emg.trials:
        if one.trial != trial:
            continue
        columns = {}
        for channel in one.record.channels:
            side, muscle = key_of(channel)
            name = f"{muscle}_{side.lower()}"
            if channel.live and side and key_of(channel) in emg.peaks and name not in columns:
                columns[name] = np.nan_to_num(channel.envelope) / emg.peaks[key_of(channel)]
        if columns:
            what = f"the largest envelope in {emg.reference}" if emg.reference else "the session's largest mean envelope"
            notes = (f"envelopes of muscle signals, 1 is {what}",)
            return StorageTable(
                f"{trial} emg", tuple(columns), one.record.time_s, np.stack(list(columns.values()), axis=1), notes=notes
            )
    return None


MODEL_FILE = "subject.osim"
#: Without a mass the point of application is computed from this vertical force on, N.
PRESSURE_FROM_N = 20.0


@dataclass(frozen=True)
class TrialNote:
    """What the README says of one trial: its name, and when the ground's action on each foot is not known.

    Attributes
    ----------
    name : str
        Name of the trial.
    unknown : tuple[str, ...]
        One sentence for each stretch of each foot, with the reason.
    handed_percent : float
        Share of the plates' vertical impulse that acts on the feet, percent; NaN without plates, or with nobody on them.
    """

    name: str
    unknown: tuple[str, ...]
    handed_percent: float

    @property
    def line(self) -> str:
        """What the README says of the trial."""
        handed = "" if np.isnan(self.handed_percent) else f"{self.handed_percent:.1f} % of the plates' vertical impulse; "
        return f"{self.name}: {handed}{'; '.join(self.unknown) or 'known throughout'}"


def write_opensim(session: Session, folder: Path, *, knee: KneeSign = "flexion", analog: bool = False) -> tuple[TrialNote, ...]:
    """Write a session's hand-over to OpenSim into an existing, empty folder.

    Parameters
    ----------
    session : Session
        Analysed in this process, so that it holds markers and motions; textbook kinetics.
    folder : Path
        An existing, empty folder.
    knee : KneeSign, optional
        Which way the knee's angle and moment count.
    analog : bool, optional
        Also the plates at their own rate.

    Returns
    -------
    tuple[TrialNote, ...]
        What there is to know of each trial.

    Raises
    ------
    MissingInputError
        No trial was analysed.
    OptionError
        Kinetics whose segments change from frame to frame.
    """
    model = session_model(session, knee)
    write_model(folder / MODEL_FILE, model)
    if session.static_motion is not None and session.static_markers is not None:
        _write_static(folder, session, model, session.static_motion, session.static_markers)
    notes = tuple(
        _write_trial(folder, trial, model, analog, envelope_table(session.muscle_signals, trial.name))
        for trial in session.movements
    )
    (folder / "README.md").write_text(_readme(session, knee, notes, analog), encoding="utf-8", newline="\n")
    return notes


def _refuse_several_statics(session: Session) -> None:
    """Refuse trials whose markers were placed anew between them: one model carries one placement.

    Raises
    ------
    OptionError
        The session was calibrated on several static trials.
    """
    statics = sorted({trial.static for trial in session.movements})
    if len(statics) > 1:
        raise OptionError(
            f"The conditions of this session have static trials of their own ({', '.join(statics)}), and an OpenSim model has one "
            f"placement of markers: hand over one condition at a time, without the files of the others ({option('exclude')}).",
            value=statics, expected="trials of one static trial", where="session",
        )  # fmt: skip


def session_model(session: Session, knee: KneeSign = "flexion") -> SubjectModel:
    """Make the subject's model, placed on the static trial, or on the first walk for want of one.

    Parameters
    ----------
    session : Session
        An analysed session that still holds markers and motions.
    knee : KneeSign, optional
        Which way the knee's first coordinate counts.

    Returns
    -------
    SubjectModel
        Segments, joints and markers, in OpenSim's body axes.

    Raises
    ------
    MissingInputError
        No trial was analysed.
    OptionError
        Kinetics whose segments change from frame to frame.
    """
    _refuse_several_statics(session)
    motion, markers = session.static_motion, session.static_markers
    if motion is None and session.movements:
        motion, markers = session.movements[0].motion, session.movements[0].markers
    if motion is None or markers is None:
        raise MissingInputError(
            "There is no trial to build an OpenSim model on.", value=None, expected="a static trial or a walk", where="session"
        )
    name = session.person.code or "subject"
    return subject_model(name, motion, markers, session.marker_groups, mass_kg=session.person.mass_kg, knee=knee)


def marker_table(motion: BodyMotion, markers: Markers) -> MarkerTable:
    """Turn a trial's markers into OpenSim's ground.

    Parameters
    ----------
    motion : BodyMotion
        Motion of the trial, which has its direction of progression.
    markers : Markers
        The trial's, laboratory axes.

    Returns
    -------
    MarkerTable
        Positions in m, Y up; NaN where a marker is missing.
    """
    position = markers.position_m @ R_ground_lab(motion).T
    return MarkerTable(markers.names, position, motion.rate_hz, motion.first_frame, motion.time_s, "m")


def foot_loads(trial: Solved) -> dict[str, GroundLoad]:
    """The ground's action on each foot, the very one the joint loads were computed with.

    Parameters
    ----------
    trial : Solved
        The trial, analysed, with its contacts.

    Returns
    -------
    dict[str, GroundLoad]
        By side, about the laboratory's origin, N and N m; zero where not known.
    """
    return {
        side: GroundLoad(
            side.lower(),
            *(np.where(contact.known[:, None], wrench, 0.0) for wrench in (contact.force_lab_N, contact.moment_lab_Nm)),
        )
        for side, contact in trial.contacts.items()
    }


def plate_loads(trial: Solved, *, at_video_rate: bool) -> tuple[GroundLoad, ...]:
    """Each plate's action on whoever stands on it.

    Parameters
    ----------
    trial : Solved
        The trial, analysed, with its plates.
    at_video_rate : bool
        Or at the plates' own.

    Returns
    -------
    tuple[GroundLoad, ...]
        In the file's order, about the laboratory's origin, N and N m; zero while nobody is on the plate.
    """
    loads = []
    for number, plate in enumerate(trial.plates, start=1):
        force, moment = plate.force_lab_N, plate.moment_lab_Nm + np.cross(plate.centre_m, plate.force_lab_N)
        loaded = _loaded(plate, trial.mass_kg)
        wrench = np.where(loaded[:, None], np.hstack([force, moment]), 0.0)
        if at_video_rate:
            ratio = round(plate.rate_hz / trial.motion.rate_hz)
            standing = loaded[::ratio][: trial.motion.n_frames, None]
            wrench = np.where(standing, local_quadratic(np.hstack([force, moment]), trial.motion.n_frames, ratio), 0.0)
        loads.append(GroundLoad(str(number), wrench[:, :3], wrench[:, 3:]))
    return tuple(loads)


def _loaded(plate: ForcePlate, mass_kg: float | None) -> BoolArray:
    rest = plate_at_rest(plate)
    return plate.force_lab_N[:, 2] - rest.offset_N > contact_threshold_N(rest, mass_kg)


def _write_static(folder: Path, session: Session, model: SubjectModel, motion: BodyMotion, markers: Markers) -> None:
    table = marker_table(motion, markers)
    trc = write_trc(folder / f"{session.static_name}.trc", table)
    seconds = (float(table.time_s[0]), float(table.time_s[-1]))
    mass_kg = session.person.mass_kg or -1.0
    write_scale_setup(folder / "scale_setup.xml", model, MODEL_FILE, trc, seconds, mass_kg=mass_kg, markers=markers.names)


def _write_trial(folder: Path, trial: Solved, model: SubjectModel, analog: bool, muscles: StorageTable | None) -> TrialNote:
    name, moved = trial.name, model_motion(model, trial.motion, trial.loads)
    coordinates = moved.coordinates()
    write_storage(folder / f"{name}_coordinates.mot", coordinates)
    write_storage(folder / f"{name}_joint_angles.mot", angle_table(trial.motion))
    if np.isfinite(moved.du).all(axis=1).any():
        write_storage(folder / f"{name}_speeds.sto", moved.speeds())
        write_storage(folder / f"{name}_accelerations.sto", moved.accelerations())
    if trial.markers is not None:
        trc = write_trc(folder / f"{name}.trc", marker_table(trial.motion, trial.markers))
        seen = (float(coordinates.time_s[0]), float(coordinates.time_s[-1]))
        write_ik_setup(folder / f"{name}_ik_setup.xml", model, MODEL_FILE, trc, seen, trial.markers.names)
    if muscles is not None:
        write_storage(folder / f"{name}_emg.sto", muscles)
    unknown, handed_percent = _write_loads(folder, trial, moved, analog)
    seconds = _range(moved, trial, coordinates.time_s)
    loads_file = f"{name}_external_loads.xml" if trial.contacts else ""
    write_id_setup(folder / f"{name}_id_setup.xml", MODEL_FILE, name, f"{name}_coordinates.mot", loads_file, seconds)
    return TrialNote(name, unknown, handed_percent)


def _write_loads(folder: Path, trial: Solved, moved: ModelMotion, analog: bool) -> tuple[tuple[str, ...], float]:
    """Write everything of forces; return when the ground's action is not known, in words, and the share handed over, percent."""
    name = trial.name
    if not trial.contacts:
        return ("no force plates",), float("nan")
    unknown = _unknown(trial, moved.time_s)
    pressure_from_N = PRESSURE_FROM_N if trial.mass_kg is None else pressure_threshold_N(trial.mass_kg)
    in_ground = partial(
        ground_table, R_ground_lab=R_ground_lab(trial.motion), floor_m=trial.floor_m, pressure_from_N=pressure_from_N
    )
    feet = foot_loads(trial)
    notes = tuple(f"not known, and written as zero: {when}" for when in unknown)
    of_feet = in_ground(f"{name} grf", moved.time_s, tuple(feet.values()))
    write_storage(folder / f"{name}_grf.mot", replace(of_feet, notes=notes))
    write_external_loads(folder / f"{name}_external_loads.xml", f"{name}_grf.mot", feet)
    plates = plate_loads(trial, at_video_rate=True)
    write_storage(folder / f"{name}_plates.mot", in_ground(f"{name} plates", moved.time_s, plates))
    if analog and len({plate.rate_hz for plate in trial.plates}) == 1:
        plate = trial.plates[0]
        time_s = moved.time_s[0] + np.arange(plate.n_samples) / plate.rate_hz
        raw = plate_loads(trial, at_video_rate=False)
        write_storage(folder / f"{name}_plates_analog.mot", in_ground(f"{name} plates analog", time_s, raw))
    if trial.loads is not None:
        write_storage(folder / f"{name}_inverse_dynamics.sto", moved.joint_forces())
    measured = sum(float(plate.force_lab_N[:, 2].sum()) for plate in plates)
    handed = sum(float(foot.force_lab_N[:, 2].sum()) for foot in feet.values())
    return unknown, 100.0 * handed / measured if measured > 0.0 else float("nan")


def _unknown(trial: Solved, time_s: FloatArray) -> tuple[str, ...]:
    return tuple(
        f"{SIDE_WORDS[side]} foot {time_s[first]:.3f} to {time_s[last - 1]:.3f} s: {_why(trial, side, time_s[first:last])}"
        for side, contact in trial.contacts.items()
        for first, last in runs(np.asarray(~contact.known))
    )


def _why(trial: Solved, side: str, time_s: FloatArray) -> str:
    """Why a foot's force is not known at some times (m,): the reason of the stance that shares most of them."""
    reasons: dict[str, int] = {}
    for stance in trial.assignment.stances if trial.assignment else ():
        if stance.side == side and not stance.verdict.accepted:
            begins, ends = np.nan_to_num(stance.start_s, nan=-np.inf), np.nan_to_num(stance.end_s, nan=np.inf)
            shared = int(np.count_nonzero((time_s >= begins) & (time_s <= ends)))
            reasons[str(stance.reason)] = max(shared, reasons.get(str(stance.reason), 0))
    best = max(reasons, key=reasons.__getitem__, default="")
    return best if best and reasons[best] else "too far from every foot strike and foot off to say whether it stands"


def _range(moved: ModelMotion, trial: Solved, time_s: FloatArray) -> tuple[float, float]:
    """Time in which OpenSim's inverse dynamics mean something: the longest in which both feet's loads are known, or else one's."""
    whole = (float(time_s[0]), float(time_s[-1]))
    if not trial.contacts:
        return whole
    known = np.stack([contact.known for contact in trial.contacts.values()])
    inside = np.isfinite(moved.du).all(axis=1)
    for frames in (known.all(axis=0) & inside, known.any(axis=0) & inside):
        stretches = runs(np.asarray(frames))
        if stretches:
            first, last = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
            return float(moved.time_s[first]), float(moved.time_s[last - 1])
    return whole


def _readme(session: Session, knee: KneeSign, notes: tuple[TrialNote, ...], analog: bool) -> str:
    files: Mapping[str, str] = {
        MODEL_FILE: "the subject: segments, joint centres and markers of the calibration; six coordinates for each joint",
        "scale_setup.xml": "places the markers on the static trial; sizes and masses are the subject's already",
        "TRIAL.trc": "markers as analysed, metres",
        "TRIAL_ik_setup.xml": "inverse kinematics by OpenSim",
        "TRIAL_coordinates.mot": "our kinematics in the model's coordinates, degrees and metres",
        "TRIAL_speeds.sto, TRIAL_accelerations.sto": "their exact derivatives, rad and m",
        "TRIAL_joint_angles.mot": "our clinical joint angles, degrees",
        "TRIAL_grf.mot": "the ground's action on each foot, as our joint loads were computed with; N, m, N m",
        "TRIAL_external_loads.xml": "puts them on calcn_r and calcn_l",
        "TRIAL_plates.mot": "each plate's action at the video rate" + ("; TRIAL_plates_analog.mot at its own" if analog else ""),
        "TRIAL_id_setup.xml": "inverse dynamics by OpenSim, over the time in which the ground's action is known",
        "TRIAL_emg.sto": "envelopes of muscle signals that are live, where there are any; 1 is the peak the file names",
        "TRIAL_inverse_dynamics.sto": "our joint moments and forces under OpenSim's names; nan where not known",
    }
    lines = [
        f"# {session.person.code or 'Subject'}: hand-over to OpenSim", "",
        f"Model: {session.model}, {session.kinetics} kinetics. Ground: X along the trial's progression, Y up, Z to the right.",
        f"Sign: {KNEE_NOTES[knee]}.",
        "Each leg body's origin is the joint centre proximal to it; moments are about the child's origin.",
        "The pelvis carries the mass of everything above the legs as a ball; its residuals mean nothing.", "",
        "Run from this folder, with OpenSim 4:", "",
        "    opensim-cmd run-tool TRIAL_ik_setup.xml", "    opensim-cmd run-tool TRIAL_id_setup.xml", "",
        f"Results go to {RESULTS}.", "", "| file | holds |", "|---|---|",
        *(f"| {file} | {what} |" for file, what in files.items()), "",
        "## Where the ground's action is not known", "",
        "These files hold zero there: OpenSim's moments of that leg are wrong. What is handed over, and why not all:",
        "", *(f"- {note.line}" for note in notes), "",
    ]  # fmt: skip
    return "\n".join(lines)
