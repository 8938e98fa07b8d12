"""A recording from OpenSim's files: markers from a ``.trc``, ground reactions from the ``ExternalLoads`` that belong to it.

``walk.trc`` goes with the ``.xml`` of its own name, ``walk_external_loads.xml`` or ``walk_grf.xml`` above others that merely begin
with it. OpenSim's ground is Y up; here Z is. Each ``ExternalForce`` becomes a plate that is known to carry one foot only, so that
the file's own assignment is kept: its corners frame where the force acts, and no foot is judged by them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import FileRefusedError, InvalidValueError
from biomech_id.files.inputs import reading_once
from biomech_id.languages import Sentence
from biomech_id.readers.opensim.document import read_document
from biomech_id.readers.opensim.loads import ExternalForceColumns, read_external_loads
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage
from biomech_id.readers.opensim.trc import MarkerTable, read_trc
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.trial import ForcePlate, Markers, Subject, Trial

#: Rows are our axes in OpenSim's.
R_LAB_GROUND = ROTATION_TO_Z_UP["+Y"]
#: How far the drawn plate reaches beyond the outermost point of application, m.
MARGIN_M = 0.3
#: Bodies that ground reactions act on in OpenSim's models.
FOOT_BODIES = {f"{body}_{side.lower()}": side for body in ("calcn", "foot", "toes", "talus") for side in ("R", "L")}


def read_opensim_trial(path: Path, subject: Subject | None = None) -> Trial:
    """Read a ``.trc`` file and the forces that belong to it.

    Parameters
    ----------
    path : Path
        Of the ``.trc`` file.
    subject : Subject | None, optional
        Whose recording; these files do not say.

    Returns
    -------
    Trial
        Markers and plates in laboratory axes (Z up), metres, N and N m.

    Raises
    ------
    FileRefusedError
        A file that cannot be read.
    InvalidValueError
        Forces that are not numbers, do not cover the markers' time, or act on no foot.
    """
    with reading_once() as seen:
        table = read_trc(path)
        digest = seen.sha256(path)
    markers = Markers(table.names, table.position_m @ R_LAB_GROUND.T, table.rate_hz)
    loads = external_loads_of(path)
    history = [Sentence("read-opensim", {"file": path.name})]
    plates: tuple[ForcePlate, ...] = ()
    if loads is not None:
        plates = _plates(loads, table)
        history.append(Sentence("feet-on-forces", {"loads": loads.name}))
    return Trial(
        path.stem, markers, plates, subject=subject or Subject(), first_frame=_first_frame(table), path=str(path), sha256=digest,
        history=tuple(history),
    )  # fmt: skip


def read_opensim_forces(path: Path) -> Trial:
    """Read the forces of a ``.mot`` by the ``ExternalLoads`` beside it that names it: plates, and no markers.

    Parameters
    ----------
    path : Path
        Of the ``.mot`` file; the last samples that make no whole frame at its own rate are kept, for each is a frame.

    Returns
    -------
    Trial
        Plates in laboratory axes (Z up), one frame a row.

    Raises
    ------
    FileRefusedError
        No ``ExternalLoads`` beside it names it, or a file cannot be read.
    """
    loads = loads_naming(path)
    if loads is None:
        words = f"{path.name} is a table of numbers; no ExternalLoads file beside it says which of them are forces on which foot."
        raise FileRefusedError.at(path, words, "an ExternalLoads .xml in the same folder that names it")
    with reading_once() as seen:
        data = read_storage(path)
        sha256 = seen.sha256(path)
    rate_hz = even_rate_hz(data.time_s, data.name)
    rows: Any = np.arange(len(data.time_s))
    plates = tuple(_plate(force, data, rows, rate_hz, loads) for force in read_external_loads(loads).forces)
    first = 1 + max(0, round(float(data.time_s[0]) * rate_hz))
    history = (Sentence("feet-on-forces", {"loads": loads.name}),)
    no_markers = Markers((), np.zeros((len(rows), 0, 3)), rate_hz)
    return Trial(path.stem, no_markers, plates, first_frame=first, path=str(path), sha256=sha256, history=history)


def loads_naming(path: Path) -> Path | None:
    """Return the ``ExternalLoads`` beside a ``.mot`` that takes its forces from it, or None.

    Parameters
    ----------
    path : Path
        The ``.mot`` file that holds the forces.

    Returns
    -------
    Path | None
        The first by name.
    """
    for loads in sorted(path.parent.glob("*.xml")):
        if read_document(loads).find(".//ExternalForce") is not None and read_external_loads(loads).data_file == path.name:
            return loads
    return None


def external_loads_of(trc: Path) -> Path | None:
    """Return the ``ExternalLoads`` file that belongs to a ``.trc``, or None.

    Parameters
    ----------
    trc : Path
        The ``.trc`` file that holds the markers.

    Returns
    -------
    Path | None
        The one whose name begins with that of the ``.trc``, the shortest first.
    """
    candidates = [p for p in sorted(trc.parent.glob("*.xml")) if p.stem.lower().startswith(trc.stem.lower())]
    for path in sorted(candidates, key=lambda p: len(p.stem)):
        if read_document(path).find(".//ExternalForce") is not None:
            return path
    return None


def companions(trc: Path) -> tuple[Path, ...]:
    """Return the files besides the ``.trc`` that a recording is read from.

    Parameters
    ----------
    trc : Path
        The ``.trc`` file that holds the markers.

    Returns
    -------
    tuple[Path, ...]
        The loads' file and its table; empty without loads.

    Raises
    ------
    FileRefusedError, InvalidValueError
        The ``ExternalLoads`` file cannot be used.
    """
    loads = external_loads_of(trc)
    return () if loads is None else (loads, _data_file(loads))


def _data_file(loads: Path) -> Path:
    name = read_external_loads(loads).data_file
    path = loads.parent / name
    if not name or not path.is_file():
        raise FileRefusedError(
            f"{loads.name} takes its forces from {name or 'no file'}, which is not beside it.",
            value=name, expected="the name of a .mot file in the same folder", where=str(loads),
        )  # fmt: skip
    return path


def _first_frame(table: MarkerTable) -> int:
    """Number of the first frame, from 1, by its time: the clock that forces share; the written number starts anywhere."""
    return 1 + max(0, round(float(table.time_s[0]) * table.rate_hz))


def _plates(path: Path, markers: MarkerTable) -> tuple[ForcePlate, ...]:
    forces = read_external_loads(path).forces
    data = read_storage(_data_file(path))
    ratio, rows = _rows(data, markers)
    return tuple(_plate(force, data, rows, ratio * markers.rate_hz, path) for force in forces)


def _rows(data: StorageTable, markers: MarkerTable) -> tuple[int, FloatArray]:
    """Samples per frame, and the row of the table for every sample; the last one is repeated to the end of the last frame.

    Sample times are counted from the first by the rate that the column is the rounding of: printed times are never differentiated.
    """
    rate_hz = even_rate_hz(data.time_s, data.name)
    ratio = round(rate_hz / markers.rate_hz)
    if ratio < 1 or abs(rate_hz - ratio * markers.rate_hz) > 1e-3 * rate_hz:
        raise InvalidValueError(
            f"The forces of {data.name} come at {rate_hz:g} Hz, no whole multiple of the markers' {markers.rate_hz:g} Hz.",
            value=rate_hz, expected=f"a multiple of {markers.rate_hz:g} Hz", where=data.name,
        )  # fmt: skip
    first = round((float(markers.time_s[0]) - float(data.time_s[0])) * rate_hz)
    rows = first + np.arange(len(markers.time_s) * ratio)
    if first < 0 or rows[-1] - (ratio - 1) >= len(data.time_s):
        raise InvalidValueError(
            f"The forces of {data.name} last from {data.time_s[0]:g} to {data.time_s[-1]:g} s, "
            f"the markers from {markers.time_s[0]:g} to {markers.time_s[-1]:g} s.",
            value=(float(data.time_s[0]), float(data.time_s[-1])), expected="forces for every marker frame", where=data.name,
        )  # fmt: skip
    return ratio, np.minimum(rows, len(data.time_s) - 1)


def _plate(force: ExternalForceColumns, data: StorageTable, rows: FloatArray, rate_hz: float, path: Path) -> ForcePlate:
    side = FOOT_BODIES.get(force.body.lower())
    if side is None:
        raise InvalidValueError(
            f"{path.name}: {force.name} acts on {force.body}, which is no foot.",
            value=force.body, expected=" or ".join(FOOT_BODIES), where=str(path),
        )  # fmt: skip
    if (force.force_frame, force.point_frame) != ("ground", "ground"):
        raise InvalidValueError(
            f"{path.name}: {force.name} is expressed in {force.force_frame} and {force.point_frame}.",
            value=(force.force_frame, force.point_frame), expected="force and point expressed in ground", where=str(path),
        )  # fmt: skip
    return opensim_plate(force, data, rows, rate_hz, path, side=side)


def opensim_plate(
    force: ExternalForceColumns, data: StorageTable, rows: FloatArray, rate_hz: float, path: Path, *, side: str
) -> ForcePlate:
    """Return the plate of a force whose point and axes are the ground's.

    Parameters
    ----------
    force : ExternalForceColumns
        Which columns it is.
    data : StorageTable
        The table with the force's columns.
    rows : FloatArray
        (n,), row of the table for every sample.
    rate_hz : float
        Samples of the plate per second.
    path : Path
        The file that named the columns.
    side : str
        Foot it acts on; empty where the file does not say.

    Returns
    -------
    ForcePlate
        Of type 2, laboratory axes, its surface around the points of pressure.

    Raises
    ------
    InvalidValueError
        Forces that are not numbers.
    """
    still = np.zeros((len(rows), 3))
    stems = (force.force, force.point, force.torque)
    given = [data.vector(stem)[rows] @ R_LAB_GROUND.T if stem else still for stem in stems]
    if not np.isfinite(given).all():
        wrong = int(np.argmax(~np.isfinite(given).all(axis=(0, 2))))
        raise InvalidValueError(
            f"{data.name}: {force.name} is not a number at {data.time_s[rows[wrong]]:g} s; fill or cut the recording there.",
            value=int(wrong), expected="finite forces", where=data.name,
        )  # fmt: skip
    pushes, point, torque = given
    corners = _corners(point[np.abs(pushes[:, 2]) > 0.0])
    moment = torque + np.cross(point - corners.mean(axis=0), pushes)
    named = {name: getattr(force, name) for name in ("force", "point", "torque", "body")} | {"file": path.name}
    return ForcePlate(
        f"{force.name} force", 2, corners, pushes, moment, rate_hz, sign="reaction", foot=side,
        history=(Sentence("plate-force", named),),
    )  # fmt: skip


def _corners(points_m: FloatArray) -> FloatArray:
    """A level rectangle around where a force acts, at its median height, in the order of a plate's corners."""
    if not len(points_m):
        points_m = np.zeros((1, 3))
    (x0, y0), (x1, y1) = points_m[:, :2].min(axis=0) - MARGIN_M, points_m[:, :2].max(axis=0) + MARGIN_M
    z = float(np.median(points_m[:, 2]))
    return np.array([[x1, y1, z], [x0, y1, z], [x0, y0, z], [x1, y0, z]])
