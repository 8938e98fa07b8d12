"""What a recording or a computation holds, as other libraries' tables: pandas and xarray, with time and units, and back.

Columns are called as everything else here: ``LHEE.X`` of a marker, ``R knee.moment_lab_Nm.X`` of a load. Missing is NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.arguments import Kind, a, a_quantity, a_str, a_word, or_none, takes
from biomech_id.conventions import AXES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import InvalidValueError, MissingInputError
from biomech_id.session.session import Session, SessionTrial
from biomech_id.session.tables.frame_table import FrameTable
from biomech_id.session.units import column_unit
from biomech_id.trial import AnalogChannels, ForcePlate, Markers, Trial

#: Name -> (values (n, ...), unit, names of the dimensions behind time, their labels).
_Variables = Iterator[tuple[str, FloatArray, str, tuple[tuple[str, tuple[str, ...]], ...]]]
_XYZ = ("axis", AXES)
_WHAT = (Trial, Markers, AnalogChannels, ForcePlate, BodyMotion, JointLoads, FrameTable, SessionTrial)
_HAND_OVER = a(_WHAT, "or ask for its tables: a session has them as attributes")


class _DatasetParts(NamedTuple):
    """What an ``xarray.Dataset`` is made of: name -> (dimensions, values, attributes)."""

    variables: dict[str, Any]
    coordinates: dict[str, Any]


@takes(x=_HAND_OVER)
def to_dataframe(x: Any) -> pd.DataFrame:
    """Return markers, a trial's markers, analog channels, a plate, a motion, loads or frames as a table with ``time_s``.

    Parameters
    ----------
    x : Any
        Trial, Markers, AnalogChannels, ForcePlate, BodyMotion, JointLoads, FrameTable or a trial of a session.

    Returns
    -------
    pd.DataFrame
        ``time_s``, then a column for each component; ``attrs["units"]`` says the unit of each.

    Examples
    --------
    >>> import biomech_id as bid
    >>> table = bid.to_dataframe(bid.virtual_subject().walk().trial)
    >>> list(table.columns[:3]), table.attrs["units"]["LASI.X"]
    (['time_s', 'LASI.X', 'LASI.Y'], 'm')
    """
    columns: dict[str, FloatArray] = {"time_s": x.time_s}
    units = {"time_s": "s"}
    for name, values, unit, dimensions in _variables(x):
        for place in np.ndindex(values.shape[1:]):
            words = [labels[i] for i, (_, labels) in zip(place, dimensions, strict=True)]
            column = _column(name, words)
            columns[column], units[column] = values[(slice(None), *place)], unit
    table = pd.DataFrame(columns)
    table.attrs = {"units": {column: unit for column, unit in units.items() if unit}}
    return table


def _column(name: str, words: list[str]) -> str:
    """A marker's column is its label and axis, a load's its joint, what it is and the axis."""
    if name in ("position_m", "value"):
        return ".".join(words)
    return ".".join((words[0], name, *words[1:])) if len(words) > 1 else ".".join((name, *words))


@takes(x=a((*_WHAT, Session), "analyse(folder) returns a session"))
def to_xarray(x: Any) -> Any:
    """Return the same as an ``xarray.Dataset``: dimensions time_s, marker or channel or joint, axis; units in ``attrs``.

    Parameters
    ----------
    x : Any
        Any value that ``biomech_id.to_dataframe`` takes. Of a Trial the whole: markers, plates on ``plate_time_s``, channels on
        ``analog_time_s``, events. Or a session: every variable of its cycles, (cycle, percent).

    Returns
    -------
    Any
        An ``xarray.Dataset``.

    Raises
    ------
    MissingInputError
        xarray is not installed.
    """
    try:
        import xarray as xr
    except ImportError as error:
        raise MissingInputError(
            "to_xarray needs the package xarray, which is not installed: `pip install xarray`.",
            value="xarray", expected="the package xarray", where="to_xarray",
        ) from error  # fmt: skip
    if isinstance(x, Session):
        return xr.Dataset(*_of_cycles(x), attrs={"model": x.model, "kinetics": x.kinetics})
    variables, coordinates = _of_frames(x)
    if isinstance(x, Trial):
        beside = _beside_markers(x)
        variables |= beside.variables
        coordinates |= beside.coordinates
    facts = {name: getattr(x, name) for name in ("rate_hz", "name", "first_frame") if hasattr(x, name)}
    return xr.Dataset(variables, coordinates, attrs=facts)


def _of_frames(x: Any) -> _DatasetParts:
    """What is sampled at ``time_s``."""
    variables, coordinates = {}, {"time_s": ("time_s", x.time_s, {"units": "s"})}
    for name, values, unit, dimensions in _variables(x):
        variables[name] = (("time_s", *dict(dimensions)), values, {"units": unit})
        coordinates |= {dimension: (dimension, list(labels), {}) for dimension, labels in dimensions}
    return _DatasetParts(variables, coordinates)


def _beside_markers(trial: Trial) -> _DatasetParts:
    """What a trial holds beside its markers: plates and channels on clocks of their own, and events."""
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {}
    plates, analog, events = trial.plates, trial.analog, trial.events
    if plates and len({plate.n_samples for plate in plates}) == 1:
        coordinates["plate"] = "plate", [plate.name for plate in plates]
        coordinates["plate_time_s"] = "plate_time_s", plates[0].time_s, {"units": "s"}
        for name, unit in (("force_lab_N", "N"), ("moment_lab_Nm", "N m")):
            values = np.stack([getattr(plate, name) for plate in plates], axis=1)
            variables[name] = ("plate_time_s", "plate", "axis"), values, {"units": unit}
    if analog.names:
        coordinates["channel"] = "channel", list(analog.names)
        coordinates["analog_time_s"] = "analog_time_s", analog.time_s, {"units": "s"}
        variables["analog"] = ("analog_time_s", "channel"), analog.values, {"units": ", ".join(sorted(set(analog.units)))}
    if events:
        coordinates["event_time_s"] = "event", np.array([event.time_s for event in events]), {"units": "s"}
        coordinates["event_side"] = "event", [str(event.side) for event in events]
        coordinates["event_kind"] = "event", [str(event.kind) for event in events]
    return _DatasetParts(variables, coordinates)


def _of_cycles(session: Session) -> _DatasetParts:
    """Variables (cycle, percent) of a session, and what tells its cycles apart."""
    table, keys = session.cycles, ["trial", "side", "cycle"]
    cycles = table[[*keys, "kinetics"]].drop_duplicates(keys).reset_index(drop=True)
    units = table.attrs["units"]
    variables = {}
    for (variable, component), rows in table.groupby(["variable", "component"], sort=False):
        wide = rows.pivot(index=keys, columns="percent", values="value").reindex(pd.MultiIndex.from_frame(cycles[keys]))
        name = f"{variable}.{component}" if component else str(variable)
        variables[name] = (("cycle", "percent"), wide.to_numpy(dtype=np.float64), {"units": units.get(str(variable), "")})
    percent = np.sort(table["percent"].unique())
    coordinates: dict[str, Any] = {"percent": ("percent", percent, {"units": "%"})}
    for key in ("trial", "side", "kinetics"):
        coordinates[key] = ("cycle", cycles[key].astype(str).to_numpy())
    coordinates["number"] = ("cycle", cycles["cycle"].to_numpy())
    return _DatasetParts(variables, coordinates)


@takes(x=Kind("an xarray.Dataset", lambda v: hasattr(v, "coords") and hasattr(v, "data_vars")))
def from_xarray(x: Any) -> Trial:
    """Return the trial whose markers an ``xarray.Dataset`` holds, as `to_xarray` makes one.

    Parameters
    ----------
    x : Any
        With ``position_m`` (time_s, marker, axis), metres, and ``rate_hz`` in its attrs.

    Returns
    -------
    Trial
        Markers only, in metres; without plates and analog channels.

    Raises
    ------
    MissingInputError
        It holds no ``position_m``.
    """
    if "position_m" not in x.data_vars:
        there = ", ".join(map(str, x.data_vars))
        words = f"The Dataset has no position_m (time_s, marker, axis); it has {there}."
        raise MissingInputError(words, value=there, expected="position_m", where="from_xarray")
    position = x["position_m"].transpose("time_s", "marker", "axis").to_numpy()
    markers = {str(name): position[:, i] for i, name in enumerate(x["marker"].to_numpy())}
    facts: dict[str, Any] = {"name": str(x.attrs.get("name", "trial")), "first_frame": int(x.attrs.get("first_frame", 1))}
    return Trial.from_arrays(markers, float(x.attrs["rate_hz"]), **facts)


@takes(
    table=Kind("a pandas DataFrame", lambda v: isinstance(v, pd.DataFrame)), rate_hz=or_none(a_quantity(1.0, 1e6, "Hz")),
    unit=or_none(a_word(("m", "mm"))), up=a_word(("Y", "Z")), name=a_str(),
)  # fmt: skip
def from_dataframe(
    table: pd.DataFrame, *, rate_hz: float | None = None, unit: str | None = None, up: str = "Z", name: str = "trial"
) -> Trial:
    """Return a trial from a table with columns ``LHEE.X``, ``LHEE.Y``, ``LHEE.Z`` and, unless the rate is given, ``time_s``.

    Parameters
    ----------
    table : pd.DataFrame
        One row a video frame; columns that are no marker's are left out.
    rate_hz : float | None, optional
        Frames per second; None takes it from ``time_s`` (or ``time``).
    unit : str | None, optional
        "m" or "mm"; None takes what ``attrs["units"]`` say, else metres.
    up : str, optional
        Which axis points up.
    name : str, optional
        Name that the trial gets.

    Returns
    -------
    Trial
        Markers only, in metres and with Z up; without plates and analog channels.

    Raises
    ------
    MissingInputError
        No marker with three columns, or neither rate nor time.
    InvalidValueError
        Times that are not evenly spaced.

    Examples
    --------
    >>> import biomech_id as bid
    >>> walk = bid.virtual_subject().walk().trial
    >>> bid.from_dataframe(bid.to_dataframe(walk)).markers.names == walk.markers.names
    True
    """
    stems = dict.fromkeys(str(column)[:-2] for column in table.columns if str(column).endswith(".X"))
    markers = {stem: table[[f"{stem}.{axis}" for axis in AXES]].to_numpy(dtype=np.float64) for stem in stems
               if {f"{stem}.Y", f"{stem}.Z"} <= set(table.columns)}  # fmt: skip
    if not markers:
        there = ", ".join(map(str, table.columns[:8]))
        words = f"The table has no marker: columns NAME.X, NAME.Y, NAME.Z; it has {there}."
        raise MissingInputError(words, value=there, expected="NAME.X, NAME.Y, NAME.Z", where="from_dataframe")
    time_s = next((table[column].to_numpy(dtype=np.float64) for column in ("time_s", "time") if column in table), None)
    first_frame = 1
    if time_s is not None and len(time_s) > 1:
        found_hz = float((len(time_s) - 1) / (time_s[-1] - time_s[0]))
        if np.abs(np.diff(time_s) * found_hz - 1.0).max() > 0.02:
            words = "The times of the table are not evenly spaced: interpolate it to a fixed rate first."
            raise InvalidValueError(words, value=float(np.diff(time_s).max()), expected="one interval", where="from_dataframe")
        rate_hz = rate_hz or round(found_hz, 6)
        first_frame = 1 + max(0, round(float(time_s[0]) * rate_hz))
    if rate_hz is None:
        words = "The table has no time_s; give rate_hz."
        raise MissingInputError(words, value=None, expected="rate_hz", where="from_dataframe")
    units: Mapping[str, str] = table.attrs.get("units", {})
    unit = unit or units.get(f"{next(iter(markers))}.X", "m")
    return Trial.from_arrays(markers, rate_hz, unit=unit, up=up, name=name, first_frame=first_frame)


def _variables(x: Any) -> _Variables:
    if isinstance(x, Trial):
        yield from _variables(x.markers)
    elif isinstance(x, Markers):
        yield "position_m", x.position_m, "m", (("marker", x.names), _XYZ)
    elif isinstance(x, AnalogChannels):
        for i, channel in enumerate(x.names):
            yield channel, x.values[:, i], x.units[i], ()
    elif isinstance(x, ForcePlate):
        yield "force_lab_N", x.force_lab_N, "N", (_XYZ,)
        yield "moment_lab_Nm", x.moment_lab_Nm, "N m", (_XYZ,)
    elif isinstance(x, BodyMotion):
        joints, centres = ("joint", _called(x.joint_angles_rad)), ("centre", _called(x.joint_centres_lab_m))
        segments = ("segment", _called(x.motions))
        yield "angle_rad", np.stack(list(x.joint_angles_rad.values()), axis=1), "rad", (joints, _XYZ)
        yield "centre_lab_m", np.stack(list(x.joint_centres_lab_m.values()), axis=1), "m", (centres, _XYZ)
        for quantity, unit in (("com_lab_m", "m"), ("omega_lab_rad_s", "rad/s")):
            values = [getattr(motion, quantity) for motion in x.motions.values()]
            yield quantity, np.stack(values, axis=1), unit, (segments, _XYZ)
    elif isinstance(x, JointLoads):
        joints = ("joint", _called(x))
        yield "force_lab_N", np.stack([load.wrench.force_N for load in x.values()], axis=1), "N", (joints, _XYZ)
        yield "moment_lab_Nm", np.stack([load.wrench.moment_Nm for load in x.values()], axis=1), "N m", (joints, _XYZ)
        yield "power_W", np.stack([load.power_W for load in x.values()], axis=1), "W", (joints,)
    else:
        table = x.to_dataframe() if isinstance(x, FrameTable) else x.frames
        for column in table.columns[2:]:
            yield str(column), table[column].to_numpy(), column_unit(str(column)), ()


def _called(parts: Iterable[Part]) -> tuple[str, ...]:
    """What joints or segments are called: "L hip", "pelvis"."""
    return tuple(" ".join(filter(None, part)) for part in parts)
