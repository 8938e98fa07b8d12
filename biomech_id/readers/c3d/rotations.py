"""Poses of segments that a file holds beside or instead of points, as markerless systems write them."""

from __future__ import annotations

import numpy as np

from biomech_id.errors import Finding
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.labels import numbered
from biomech_id.readers.c3d.pose_inertia import read_cutoff_hz, read_foot_points, read_shares
from biomech_id.readers.c3d.rotation_block import NUMBERS
from biomech_id.readers.c3d.units import LengthUnit
from biomech_id.readers.vertical import Vertical
from biomech_id.trial.rotations import Rotations, are_rotations


def read_rotations(file: C3DFile, length: LengthUnit, vertical: Vertical) -> tuple[Rotations, tuple[Finding, ...]]:
    """Return a file's poses in laboratory axes and metres; without segments where it holds none.

    Parameters
    ----------
    file : C3DFile
        The opened file.
    length : LengthUnit
        The unit of positions.
    vertical : Vertical
        The file's upward axis.
    """
    block, n_frames, where = file.layout.poses, file.layout.n_frames, file.source.name
    if block is None:
        return Rotations(), ()
    held, parameters = min(block.held, n_frames), file.parameters
    stored = np.full((n_frames * block.ratio, block.count, NUMBERS), np.nan)
    words = parameters.processor.floats(file.source.data, offset=block.start, count=held * block.frame_bytes // 4)
    stored[: held * block.ratio] = words.reshape(-1, block.count, NUMBERS)
    matrix = stored[..., :16].reshape(*stored.shape[:2], 4, 4).swapaxes(2, 3)
    given = np.isfinite(matrix).all(axis=(2, 3)) & ~(stored[..., 16] < 0) & (matrix != 0.0).any(axis=(2, 3))
    sound = given & are_rotations(matrix[..., :3, :3])
    poses = np.where(sound[..., None, None], matrix, np.nan)
    labels = [*parameters.strings("ROTATION", "LABELS"), *[""] * block.count][: block.count]
    unique, _ = numbered(label or f"segment {number}" for number, label in enumerate(labels, start=1))
    names = tuple(unique)
    rotations = Rotations(
        names, vertical.R_lab_file @ poses[..., :3, :3],
        length.metres * poses[..., :3, 3] @ vertical.R_lab_file.T, file.layout.rate_hz * block.ratio,
        read_shares(parameters, names), read_foot_points(parameters, names), read_cutoff_hz(parameters),
    )  # fmt: skip
    findings = []
    if held < n_frames:
        findings.append(Finding("data-cut", {"file": where, "promised": n_frames, "held": held}, where))
    if wrong := int((given & ~sound).sum()):
        findings.append(Finding("rotations-impossible", {"file": where, "n": wrong, "of": int(given.sum())}, where))
    return rotations, tuple(findings)
