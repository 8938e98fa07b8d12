"""Poses of the segments written into a copy of the recording they were computed from, as group ROTATION.

What programs without a model of markers read: one 4 x 4 matrix for each segment and frame, in the file's unit and axes. Labels and
axes are those of the table ``biomech-id`` (`models.poses`): ISB's axes from the joint centres. Masses follow as shares of body mass
in group BIOMECH_ID. Numbers of a C3D file are 32-bit floats: angles keep 1e-5 degrees, positions 0.1 micrometres.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import OutputError
from biomech_id.files.atomic import whole_file
from biomech_id.models.poses.model import poses_of
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.c3d.rotations import OWN_GROUP, parameter_name
from biomech_id.readers.c3d.units import METRES
from biomech_id.readers.source import read_source
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.trial.rotations import Rotations, SegmentShare

_GROUP = "ROTATION"


def write_poses(source: str | os.PathLike[str], target: str | os.PathLike[str], motion: BodyMotion, *, body_mass_kg: float) -> Path:
    """Write a copy of a recording with the poses of pelvis, thighs, shanks and feet, and return its path.

    Parameters
    ----------
    source : str | os.PathLike[str]
        The recording the motion was computed from.
    target : str | os.PathLike[str]
        The copy; it appears whole or not at all.
    motion : BodyMotion
        As a body model tracked it.
    body_mass_kg : float
        Of the whole body, of which the segments' masses are shares.

    Raises
    ------
    FileRefusedError
        The source cannot be read.
    OutputError
        The motion has another number of frames, the file holds poses already, or the target cannot be written.
    """
    import ezc3d

    target, recording = Path(target), interpret(read_source(source))
    facts = recording.facts
    if motion.n_frames != facts.frames or facts.rotations:
        raise OutputError(
            f"The poses of {motion.name} ({motion.n_frames} frames) do not fit {source} ({facts.frames} frames, "
            f"{len(facts.rotations)} poses).",
            value=motion.n_frames, expected=f"{facts.frames} frames, and a recording without poses", where=str(target),
        )  # fmt: skip
    poses = poses_of(motion, body_mass_kg)
    file = ezc3d.c3d(str(source))
    file["data"]["rotations"] = _matrices(poses, ROTATION_TO_Z_UP[facts.vertical], METRES.get(facts.units.lower(), 1e-3))
    for name, value in (("USED", [len(poses.names)]), ("RATIO", [1]), ("RATE", [motion.rate_hz]), ("LABELS", list(poses.names))):
        file.add_parameter(_GROUP, name, value)
    for name, share in poses.shares.items():
        file.add_parameter(OWN_GROUP, f"INERTIA_{parameter_name(name)}", _numbers(share[""]))
    for (name, point), place in poses.points_m.items():
        file.add_parameter(OWN_GROUP, f"{point.upper()}_{parameter_name(name)}", place.tolist())
    with whole_file(target) as part:
        file.write(str(part))
    return target


def _matrices(poses: Rotations, R_lab_file: FloatArray, unit_m: float) -> FloatArray:
    """(4, 4, segments, frames) in the file's axes and unit; NaN where a pose is missing."""
    n, k = poses.R_lab_seg.shape[:2]
    matrix = np.zeros((n, k, 4, 4))
    matrix[..., :3, :3] = R_lab_file.T @ poses.R_lab_seg
    matrix[..., :3, 3] = poses.origin_lab_m @ R_lab_file / unit_m
    matrix[..., 3, 3] = 1.0
    return np.asarray(matrix.transpose(2, 3, 1, 0))


def _numbers(share: SegmentShare) -> list[float]:
    """As `readers.c3d.rotations` reads them: share, centre, tensor."""
    tensor = share.tensor_m2
    above = (tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return [share.mass_share, *share.com_m.tolist(), *np.diag(tensor).tolist(), *map(float, above)]
