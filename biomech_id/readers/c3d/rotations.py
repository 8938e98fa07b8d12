"""Poses of segments that a file holds beside or instead of points, as markerless systems write them, with masses and points.

Theia3D (group THEIA3D) keeps, for each segment, INERTIA_<segment>: its length, then for women and for men the share of body mass,
the centre of mass (x, y, z) and the radii of gyration (x, y, z), metres in the segment's axes; LHEEL_POS and RHEEL_POS are places
in the foot's axes. Our own files (group BIOMECH_ID) keep INERTIA_<segment>: share of body mass, centre of mass, and the tensor for
each kg (xx, yy, zz, xy, xz, yz; m2); POINT_<segment>_<point>: a place in the segment's axes, m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.labels import numbered
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.c3d.rotation_block import NUMBERS
from biomech_id.readers.c3d.units import LengthUnit
from biomech_id.readers.source import FileFindings
from biomech_id.readers.vertical import Vertical
from biomech_id.trial.rotations import Rotations, SegmentShare, are_rotations


def read_rotations(file: C3DFile, length: LengthUnit, vertical: Vertical, findings: FileFindings) -> Rotations:
    """Return the poses of segments that a file holds.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    length : LengthUnit
        The unit of positions.
    vertical : Vertical
        The file's upward axis.
    findings : FileFindings
        Takes missing frames, and matrices that are no rotations.

    Returns
    -------
    Rotations
        Metres, laboratory axes, NaN where a pose is missing or none; without segments where the file holds no poses.
    """
    block, n_frames = file.layout.poses, file.layout.n_frames
    if block is None:
        return Rotations()
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
    if held < n_frames:
        findings.add("data-cut", promised=n_frames, held=held)
    if wrong := int((given & ~sound).sum()):
        findings.add("rotations-impossible", n=wrong, of=int(given.sum()))
    return rotations


OWN_GROUP, THEIA_GROUP = "BIOMECH_ID", "THEIA3D"
#: Of one segment: length; share, centre, radii of women, and of men. Ours: share, centre, tensor.
_THEIA_NUMBERS, OWN_NUMBERS = 15, 10
_ENDING = "_4X4"
_HEELS = {"L_FOOT": "LHEEL_POS", "R_FOOT": "RHEEL_POS"}
#: A parameter's name in a file has no blanks.
_POINTS = ("heel", "toe")


def read_shares(parameters: Parameters, names: Sequence[str]) -> dict[str, Mapping[str, SegmentShare]]:
    """Return the segments' masses that a file states.

    Parameters
    ----------
    parameters : Parameters
        Of a file with poses.
    names : Sequence[str]
        Labels of its poses.

    Returns
    -------
    dict[str, Mapping[str, SegmentShare]]
        Label -> sex ("female", "male", "" for either) -> share of body mass; segments that the file does not describe are left out.
    """
    shares: dict[str, Mapping[str, SegmentShare]] = {}
    for name in names:
        own = parameters.numbers(OWN_GROUP, f"INERTIA_{parameter_name(name)}").ravel()
        theirs = parameters.numbers(THEIA_GROUP, f"INERTIA_{_theia_name(name)}").ravel()
        by_sex: dict[str, SegmentShare] = {}
        if len(own) == OWN_NUMBERS and _plausible(own[0]):
            xx, yy, zz, xy, xz, yz = own[4:]
            by_sex[""] = SegmentShare(float(own[0]), own[1:4], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        elif len(theirs) == _THEIA_NUMBERS and np.isfinite(theirs).all():
            for sex, start in (("female", 1), ("male", 8)):
                share, com, radii = float(theirs[start]), theirs[start + 1 : start + 4], theirs[start + 4 : start + 7]
                if _plausible(share):
                    by_sex[sex] = SegmentShare(share, com.astype(float), np.diag(radii.astype(float) ** 2))
        if by_sex:
            shares[name] = by_sex
    return shares


def read_foot_points(parameters: Parameters, names: Sequence[str]) -> dict[tuple[str, str], FloatArray]:
    """Return the points that a file states on its segments.

    Parameters
    ----------
    parameters : Parameters
        Of a file with poses.
    names : Sequence[str]
        Labels of its poses, not only of the feet.

    Returns
    -------
    dict[tuple[str, str], FloatArray]
        (label, "heel" or "toe") -> (3,), m, in the segment's axes, from its origin.
    """
    points_m: dict[tuple[str, str], FloatArray] = {}
    for name in names:
        heel = _HEELS.get(_theia_name(name), "")
        places = {("heel"): (THEIA_GROUP, heel)} if heel else {}
        places |= {p: (OWN_GROUP, f"{p.upper()}_{parameter_name(name)}") for p in _POINTS
                   if parameters.find(OWN_GROUP, f"{p.upper()}_{parameter_name(name)}")}  # fmt: skip
        for point, where in places.items():
            place = parameters.numbers(*where).ravel()
            if len(place) == 3 and np.isfinite(place).all() and np.abs(place).max() < 1.0:
                points_m[name, point] = place.astype(float)
    return points_m


def read_cutoff_hz(parameters: Parameters) -> float:
    """Return the cut-off of the low-pass filter that a system has applied.

    Parameters
    ----------
    parameters : Parameters
        Of a file with poses.

    Returns
    -------
    float
        Hz; 0 where the file states none.
    """
    cutoff = parameters.number(THEIA_GROUP, "FILT_FREQ")
    applied = parameters.number(THEIA_GROUP, "FILTERED")
    return float(cutoff) if applied and cutoff and np.isfinite(cutoff) and cutoff > 0 else 0.0


def parameter_name(name: str) -> str:
    """Return how a segment is called in a parameter's name.

    Parameters
    ----------
    name : str
        Label of the pose.

    Returns
    -------
    str
        In upper case, with underscores for blanks.
    """
    return name.upper().replace(" ", "_")


def _theia_name(name: str) -> str:
    plain = name.upper().removesuffix(_ENDING)
    return "THORAX" if plain == "TORSO" else plain


def _plausible(share: float) -> bool:
    return bool(np.isfinite(share) and 0.0 < share < 1.0)
