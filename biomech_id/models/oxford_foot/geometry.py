"""Axes from two directions, projections, and the smoothing of four markers by rigid copies of themselves.

Every marker of a group of four is averaged with the place at which the other three put it: with F_i the axes of the three markers
after marker i, and m_i the mean over the trial of marker i in F_i, ``p_i' = (p_i + F_i m_i) / 2``. A marker that is not seen is put
where the others have it. So the result in one frame depends on the whole trial.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.vectors import cross, dot
from biomech_id.models.triads import into_lab, into_segment, unit


def axes_of(first_lab: FloatArray, second_lab: FloatArray, order: str) -> FloatArray:
    """Return axes of which one lies along a direction and one is square to two.

    Parameters
    ----------
    first_lab, second_lab : FloatArray
        (n, 3), directions of any length, laboratory axes.
    order : str
        Letters of three axes: that along ``first_lab``, that along ``second_lab`` x ``first_lab``, and the third.

    Returns
    -------
    FloatArray
        R_lab_seg, (n, 3, 3), right-handed; NaN where the two are parallel or missing.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.models.oxford_foot.geometry import axes_of
    >>> up, left = np.array([[0.0, 0.0, 2.0]]), np.array([[0.0, 1.0, 0.0]])
    >>> axes_of(up, left, "zxy")[0].round(3)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    along = unit(first_lab)
    square = unit(cross(second_lab, along))
    third = cross(along, square) if order in ("xyz", "yzx", "zxy") else cross(square, along)
    axes = dict(zip(order, (along, square, third), strict=True))
    return np.stack([axes["x"], axes["y"], axes["z"]], axis=-1)


def onto_plane(point_lab_m: FloatArray, plane_lab_m: Sequence[FloatArray]) -> FloatArray:
    """Return the feet of perpendiculars on planes.

    Parameters
    ----------
    point_lab_m : FloatArray
        (n, 3), metres, laboratory axes.
    plane_lab_m : Sequence[FloatArray]
        Three points of the plane, each (n, 3).

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes.
    """
    a, b, c = plane_lab_m
    normal = unit(cross(b - a, c - a))
    return point_lab_m - dot(point_lab_m - a, normal)[:, None] * normal


def rigid_copies(group_lab_m: Sequence[FloatArray], *, last_frame: bool = True) -> list[FloatArray]:
    """Return where the other three markers of a group put each of them.

    Parameters
    ----------
    group_lab_m : Sequence[FloatArray]
        Four paths (n, 3), metres, laboratory axes, in the order of the model's table.
    last_frame : bool, optional
        Whether the trial's last frame counts in the means.

    Returns
    -------
    list[FloatArray]
        Four paths (n, 3), metres; NaN where one of the other three is missing, and everywhere without a frame that has all four.
    """
    complete: BoolArray = np.asarray(np.isfinite(np.stack(group_lab_m)).all(axis=(0, 2)))
    if not last_frame:
        complete[-1] = False
    copies = []
    for i, path in enumerate(group_lab_m):
        after, middle, last = (group_lab_m[(i + step) % 4] for step in (1, 2, 3))
        R_lab_seg = axes_of(after - middle, middle - last, "xyz")
        inside = into_segment(R_lab_seg, middle, path)[complete]
        mean = inside.mean(axis=0) if len(inside) else np.full(3, np.nan)
        copies.append(into_lab(R_lab_seg, middle, mean))
    return copies


def smoothed_group(group_lab_m: Sequence[FloatArray], *, last_frame: bool = True) -> list[FloatArray]:
    """Return four markers averaged with their rigid copies, the missing ones filled by them.

    Parameters
    ----------
    group_lab_m : Sequence[FloatArray]
        Four paths (n, 3), metres, laboratory axes.
    last_frame : bool, optional
        Whether the trial's last frame counts in the means.

    Returns
    -------
    list[FloatArray]
        Four paths (n, 3), metres; NaN where a marker and its copy are missing.
    """
    copies = rigid_copies(group_lab_m, last_frame=last_frame)
    return [_merged(path, copy) for path, copy in zip(group_lab_m, copies, strict=True)]


def smoothed_hindfoot(
    group_lab_m: Sequence[FloatArray],
    *,
    passes: int = 1,
    heel_stored_lab_m: FloatArray | None = None,
    last_frame: bool = True,
) -> list[FloatArray]:
    """Return heel, lateral, medial and upper hindfoot marker, the heel smoothed as often as an archive's software has run.

    Older versions of the plug-in wrote the smoothed heel into the file and took it for the heel of their next run. From the second
    run on the axes of the lateral and the medial marker have the latest heel in the first frame and the one before in the others.

    Parameters
    ----------
    group_lab_m : Sequence[FloatArray]
        Heel, lateral, medial and upper marker, (n, 3) each, metres, laboratory axes.
    passes : int, optional
        How often the plug-in was run.
    heel_stored_lab_m : FloatArray | None, optional
        The smoothed heel as a file has it, in place of any number of runs; None computes it.
    last_frame : bool, optional
        Whether the trial's last frame counts in the means.

    Returns
    -------
    list[FloatArray]
        The four, smoothed, (n, 3) each, metres.
    """
    heel, *others = group_lab_m
    if heel_stored_lab_m is not None:
        smooth = heel_stored_lab_m
        heel = 2.0 * smooth - rigid_copies((smooth, *others), last_frame=last_frame)[0]
    else:
        once = smoothed_group(group_lab_m, last_frame=last_frame)
        if passes <= 1:
            return once
        smooth = once[0]
        for _ in range(passes - 1):
            heel, smooth = smooth, smoothed_group((smooth, *others), last_frame=last_frame)[0]
    heel = np.concatenate([smooth[:1], heel[1:]])
    return [smooth, *smoothed_group((heel, *others), last_frame=last_frame)[1:]]


def _merged(path_lab_m: FloatArray, copy_lab_m: FloatArray) -> FloatArray:
    both = 0.5 * (path_lab_m + copy_lab_m)
    one = np.where(np.isnan(path_lab_m), copy_lab_m, path_lab_m)
    return np.where(np.isnan(both), one, both)
