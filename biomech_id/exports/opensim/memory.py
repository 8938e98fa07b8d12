"""OpenSim's own tables in memory: markers and forces as TimeSeriesTableVec3, everything else as TimeSeriesTable.

OpenSim's wheel from the package index has no reader of C3D files; this is one. Positions are metres in OpenSim's ground (Y up).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import Kind, takes
from biomech_id.errors import MissingInputError
from biomech_id.readers.opensim.trial import R_LAB_GROUND
from biomech_id.session.hand_over import to_dataframe
from biomech_id.trial import Markers, Trial


@takes(x=Kind("a Trial, or anything that to_dataframe takes,", lambda v: not isinstance(v, complex) and type(v) is not object))
def to_opensim(x: Any) -> Any:
    """Return OpenSim's own tables: of a trial {"markers", "forces"}, of markers one table of vectors, else one of numbers.

    Parameters
    ----------
    x : Any
        A Trial, its Markers, or anything that ``biomech_id.to_dataframe`` takes.

    Returns
    -------
    Any
        ``opensim.TimeSeriesTableVec3`` (markers in metres; force, point and torque of each plate) or ``opensim.TimeSeriesTable``.

    Raises
    ------
    MissingInputError
        OpenSim's Python package is not installed.
    """
    if isinstance(x, Trial):
        rows = slice(None, None, round(x.plates[0].rate_hz / x.rate_hz)) if x.plates else slice(None)
        forces = {f"plate{n}_force": plate.force_lab_N[rows] for n, plate in enumerate(x.plates, start=1)}
        about = {f"plate{n}_moment_about_centre": plate.moment_lab_Nm[rows] for n, plate in enumerate(x.plates, start=1)}
        return {"markers": to_opensim(x.markers), "forces": _vectors(x.time_s, forces | about, x.rate_hz, {})}
    if isinstance(x, Markers):
        return _vectors(x.time_s, {name: x[name] for name in x.names}, x.rate_hz, {"Units": "m"})
    table = to_dataframe(x)
    time_s = table.pop("time_s").to_numpy()
    opensim = _opensim()
    made = opensim.TimeSeriesTable()
    for time, row in zip(time_s.tolist(), table.to_numpy(dtype=np.float64), strict=True):
        made.appendRow(time, opensim.RowVector.createFromMat(np.ascontiguousarray(row)))
    made.setColumnLabels([str(name) for name in table.columns])
    return made


@takes(table=Kind("an opensim.TimeSeriesTableVec3", lambda v: hasattr(v, "getDependentColumn") and hasattr(v, "flatten")))
def from_opensim(table: Any) -> Trial:
    """Make a trial of OpenSim's own table of vectors.

    Parameters
    ----------
    table : Any
        ``opensim.TimeSeriesTableVec3``, OpenSim's ground (Y up).

    Returns
    -------
    Trial
        Markers alone, laboratory axes (Z up), m, whether the table is in metres or millimetres by its metadata.
    """
    unit = str(table.getTableMetaDataAsString("Units")) if table.hasTableMetaDataKey("Units") else "m"
    time_s = np.array(table.getIndependentColumn())
    rate_hz = float((len(time_s) - 1) / (time_s[-1] - time_s[0]))
    columns = {str(name): _column(table.getDependentColumn(name)) @ R_LAB_GROUND.T for name in table.getColumnLabels()}
    first_frame = 1 + round(float(time_s[0]) * rate_hz)
    return Trial.from_arrays(columns, round(rate_hz, 6), unit="mm" if unit == "mm" else "m", first_frame=first_frame)


def _column(vectors: Any) -> FloatArray:
    return np.array([[vectors[i][0], vectors[i][1], vectors[i][2]] for i in range(vectors.size())])


def _opensim() -> Any:
    try:
        import opensim
    except ImportError as error:
        raise MissingInputError(
            "to_opensim needs OpenSim's Python package, which is not installed: `pip install opensim`.",
            value="opensim", expected="the package opensim", where="to_opensim",
        ) from error  # fmt: skip
    return opensim


def _vectors(time_s: FloatArray, columns: dict[str, FloatArray], rate_hz: float, facts: dict[str, str]) -> Any:
    opensim = _opensim()
    table = opensim.TimeSeriesTableVec3()
    turned = [values @ R_LAB_GROUND for values in columns.values()]
    for number, time in enumerate(time_s.tolist()):
        table.appendRow(time, opensim.RowVectorVec3([opensim.Vec3(*values[number].tolist()) for values in turned]))
    table.setColumnLabels(list(columns))
    for key, value in ({"DataRate": repr(float(rate_hz))} | facts).items():
        table.addTableMetaDataString(key, value)
    return table
