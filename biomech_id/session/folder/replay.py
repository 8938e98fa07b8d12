"""``replay/<stem>.npz``: what one trial looked like, for whoever shows it in three dimensions.

Arrays of NumPy's own format, at the video rate, single precision: a micrometre at ten metres. `read_replay` gives them back; any
program that knows NumPy reads them too. The same trial gives the same bytes.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import Part, side_of_body
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import FileRefusedError
from biomech_id.feet.contacts import centre_of_pressure_m
from biomech_id.files.kept_values import KeptValues, made_once
from biomech_id.gait.ground import pressure_threshold_N
from biomech_id.session.solved import Solved
from biomech_id.signal.resample import local_quadratic
from biomech_id.trial import ForcePlate
from biomech_id.values import dataclass, field

#: Folder of the files below OUT.
REPLAY = "replay"
SingleArray = npt.NDArray[np.float32]
#: How the names of arrays begin that only a session of an OpenSim model has.
_OF_A_MODEL = "model_"
#: Vertical force, N, above which a plate has a centre of pressure where nobody knows the body's mass.
LOADED_WITHOUT_MASS_N = 20.0


@dataclass(frozen=True, eq=False)
class Replay:
    """What one trial looked like; every position in metres, laboratory axes, missing is NaN.

    Attributes
    ----------
    rate_hz : float
        Video frames per second.
    first_frame : int
        The recording's own number of the first frame, from 1.
    marker_names : tuple[str, ...]
        m labels, as in the recording.
    marker_lab_m : SingleArray
        (n, m, 3), as analysed: gaps filled, filtered if they had to be.
    segment_names : tuple[str, ...]
        s segments, "pelvis", "L thigh".
    R_lab_segment : SingleArray
        (n, s, 3, 3), segment components to laboratory components.
    segment_origin_lab_m : SingleArray
        (n, s, 3), origins of the segments' axes.
    joint_names : tuple[str, ...]
        j joints, "L hip", "neck".
    joint_centre_lab_m : SingleArray
        (n, j, 3), centres of the joints.
    plate_names : tuple[str, ...]
        p force plates, "plate 1".
    plate_corners_lab_m : SingleArray
        (p, 4, 3), the four corners of each plate's surface.
    plate_force_lab_N : SingleArray
        (n, p, 3), force of the plate on the subject, laboratory axes, N.
    plate_pressure_lab_m : SingleArray
        (n, p, 3), centre of pressure on the plate's surface; NaN where less than 5 % of body weight (20 N of an unknown body)
        stands on it.
    model_marker_labels : IntArray, optional
        (a,), which of the m labels an OpenSim model follows; none of another model.
    model_marker_lab_m : SingleArray, optional
        (n, a, 3), where the model has these markers.
    model_side_names : tuple[str, ...], optional
        b sides, "L", "R" or "", of the model's bones, which lead from one of its joints to another, or to an end.
    model_bearers : IntArray, optional
        (b,), the joint from which each of these bones leads, by its number in ``model_joint_lab_m``; -1 for none.
    model_joint_lab_m : SingleArray, optional
        (n, b, 3), the joint to which each leads; an end is the centre of mass of a body that bears no other.
    """

    rate_hz: float
    first_frame: int
    marker_names: tuple[str, ...]
    marker_lab_m: SingleArray
    segment_names: tuple[str, ...]
    R_lab_segment: SingleArray
    segment_origin_lab_m: SingleArray
    joint_names: tuple[str, ...]
    joint_centre_lab_m: SingleArray
    plate_names: tuple[str, ...]
    plate_corners_lab_m: SingleArray
    plate_force_lab_N: SingleArray
    plate_pressure_lab_m: SingleArray
    model_marker_labels: IntArray = field(default_factory=lambda: np.empty(0, np.intp))
    model_marker_lab_m: SingleArray = field(default_factory=lambda: np.empty((0, 0, 3), np.float32))
    model_side_names: tuple[str, ...] = ()
    model_bearers: IntArray = field(default_factory=lambda: np.empty(0, np.intp))
    model_joint_lab_m: SingleArray = field(default_factory=lambda: np.empty((0, 0, 3), np.float32))

    @property
    def n_frames(self) -> int:
        """Number of video frames."""
        return len(self.marker_lab_m)


#: Name of each array in the file -> its shape, and what it holds: n frames, m markers, s segments, j joints, p plates.
REPLAY_ARRAYS: Mapping[str, tuple[str, str]] = {
    "rate_hz": ("()", "video frames per second"),
    "first_frame": ("()", "the recording's own number of the first frame, from 1"),
    "marker_names": ("(m,)", "labels as in the recording"),
    "marker_lab_m": ("(n, m, 3)", "m, laboratory axes, as analysed: gaps filled, filtered if they had to be; NaN is missing"),
    "segment_names": ("(s,)", "`pelvis`, `L thigh`"),
    "R_lab_segment": ("(n, s, 3, 3)", "segment components to laboratory components"),
    "segment_origin_lab_m": ("(n, s, 3)", "m, laboratory axes, origin of the segment's axes"),
    "joint_names": ("(j,)", "`L hip`, `neck`"),
    "joint_centre_lab_m": ("(n, j, 3)", "m, laboratory axes"),
    "plate_names": ("(p,)", "`plate 1`"),
    "plate_corners_lab_m": ("(p, 4, 3)", "m, laboratory axes"),
    "plate_force_lab_N": ("(n, p, 3)", "N, of the plate on the subject, laboratory axes"),
    "plate_pressure_lab_m": ("(n, p, 3)", "m, laboratory axes, centre of pressure; NaN below 5 % of body weight"),
    "model_marker_labels": (
        "(a,)",
        "which of the m labels an OpenSim model follows, from 0; only such a session has these five",
    ),
    "model_marker_lab_m": ("(n, a, 3)", "m, laboratory axes, where the model has these markers"),
    "model_side_names": ("(b,)", "sides of the model's bones, which lead from joint to joint or to an end: `L`, `R` or empty"),
    "model_bearers": ("(b,)", "from which of the b joints each leads, from 0; -1 for none"),
    "model_joint_lab_m": ("(n, b, 3)", "m, laboratory axes, to where; an end is the centre of mass of a body that bears no other"),
}


def replay_of(trial: Solved) -> Replay:
    """Return what a trial looked like.

    Parameters
    ----------
    trial : Solved
        The trial as it was analysed, with its markers kept.
    """
    motion, markers = trial.motion, trial.markers
    poses = {part: each.frames for part, each in motion.motions.items()}
    force_N, pressure_m = _plates(trial)
    followed, joints = motion.model_markers_lab_m, motion.model_joints_lab_m
    bodies = [body for _, body in joints]
    return Replay(
        rate_hz=float(motion.rate_hz),
        first_frame=int(motion.first_frame),
        marker_names=() if markers is None else markers.names,
        marker_lab_m=_single(np.empty((_length(motion), 0, 3)) if markers is None else markers.position_m),
        segment_names=_names(poses),
        R_lab_segment=_beside([pose.R_lab_seg for pose in poses.values()], motion, (3, 3)),
        segment_origin_lab_m=_beside([pose.origin_lab_m for pose in poses.values()], motion, (3,)),
        joint_names=_names(motion.joint_centres_lab_m),
        joint_centre_lab_m=_beside(list(motion.joint_centres_lab_m.values()), motion, (3,)),
        plate_names=tuple(plate.name for plate in trial.plates),
        plate_corners_lab_m=_single(np.array([plate.corners_m for plate in trial.plates]).reshape(-1, 4, 3)),
        plate_force_lab_N=_beside(force_N, motion, (3,)),
        plate_pressure_lab_m=_beside(pressure_m, motion, (3,)),
        model_marker_labels=np.array([markers.names.index(name) for name in followed if markers], np.intp),
        model_marker_lab_m=_beside(list(followed.values()), motion, (3,)),
        model_side_names=tuple(side_of_body(bearer) for bearer, _ in joints),
        model_bearers=np.array([bodies.index(bearer) if bearer in bodies else -1 for bearer, _ in joints], np.intp),
        model_joint_lab_m=_beside(list(joints.values()), motion, (3,)),
    )


def _length(motion: BodyMotion) -> int:
    return len(motion.time_s)


def _names(parts: Iterable[Part]) -> tuple[str, ...]:
    return tuple(" ".join(filter(None, part)) for part in parts)


def _single(values: FloatArray) -> SingleArray:
    return np.asarray(values, dtype=np.float32)


def _beside(arrays: list[FloatArray], motion: BodyMotion, shape: tuple[int, ...]) -> SingleArray:
    """Arrays (n, *shape) as one (n, k, *shape), k of which may be none."""
    return _single(np.stack(arrays, axis=1) if arrays else np.empty((_length(motion), 0, *shape)))


def _plates(trial: Solved) -> tuple[list[FloatArray], list[FloatArray]]:
    """Force and centre of pressure of each plate, (n, 3) each, at the video rate."""
    least_N = LOADED_WITHOUT_MASS_N if trial.mass_kg is None else pressure_threshold_N(trial.mass_kg)
    pairs = [_at_video_rate(plate, trial.motion, least_N) for plate in trial.plates]
    return [force_N for force_N, _ in pairs], [pressure_m for _, pressure_m in pairs]


def _at_video_rate(plate: ForcePlate, motion: BodyMotion, least_N: float) -> tuple[FloatArray, FloatArray]:
    ratio = max(1, round(plate.rate_hz / motion.rate_hz))
    force_N = local_quadratic(plate.force_lab_N, _length(motion), ratio)
    moment_Nm = local_quadratic(plate.moment_lab_Nm, _length(motion), ratio)
    loaded = force_N[:, 2] > least_N
    return force_N, np.where(loaded[:, None], centre_of_pressure_m(plate, force_N, moment_Nm), np.nan)


def write_replays(folder: Path, *, trials: Iterable[Solved], kept: KeptValues | None = None) -> None:
    """Write ``replay/<stem>.npz`` of each trial below a folder.

    Parameters
    ----------
    folder : Path
        Of the session's results.
    trials : Iterable[Solved]
        The trials as they were analysed, with their markers kept.
    kept : KeptValues | None, optional
        Files that earlier runs packed, by what they were packed from: such a file is taken over, another is added. None packs all.
    """
    for trial in trials:
        write_replay(folder, trial.name, replay_of(trial), kept)


def write_replay(folder: Path, trial: str, replay: Replay, kept: KeptValues | None = None) -> None:
    """Write ``replay/<stem>.npz`` of one trial below a folder.

    Parameters
    ----------
    folder : Path
        Of the session's results.
    trial : str
        Name of the trial.
    replay : Replay
        What it looked like.
    kept : KeptValues | None, optional
        Files that earlier runs packed, as for `write_replays`.
    """
    # Packing takes long: the same replay is packed once, and its bytes lie in ``kept`` for later runs.
    content = made_once(kept, partial(_npz_bytes, replay), "replay", replay)
    path = folder / REPLAY / f"{trial}.npz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def _npz_bytes(replay: Replay) -> bytes:
    arrays = {name: np.asarray(getattr(replay, name)) for name in REPLAY_ARRAYS}
    arrays = {name: values for name, values in arrays.items() if values.size or not name.startswith(_OF_A_MODEL)}
    # An empty tuple is no text to NumPy.
    arrays |= {name: names.astype(str) for name, names in arrays.items() if name.endswith("_names")}
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def read_replay(out: Path, trial: str) -> Replay | None:
    """Return what a trial looked like, from its session's folder; None where the folder was written before this was kept.

    Parameters
    ----------
    out : Path
        Folder of the results.
    trial : str
        Name of the trial, without folder or suffix.

    Raises
    ------
    FileRefusedError
        The file is there and is damaged, or is not such a file.
    """
    path = out / REPLAY / f"{trial}.npz"
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in REPLAY_ARRAYS if name in file or not name.startswith(_OF_A_MODEL)}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FileRefusedError.at(path, f"{path} cannot be read: {error}.", "a file that `biomech-id run` wrote") from error
    names = {name: tuple(map(str, held[name])) for name in held if name.endswith("_names")}
    frames = {"rate_hz": float(held["rate_hz"]), "first_frame": int(held["first_frame"])}
    return Replay(**{**held, **names, **frames})
