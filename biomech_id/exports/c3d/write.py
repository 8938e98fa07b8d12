"""Results written back into a copy of the recording they came from.

The copy keeps every group and parameter in its order, every point and analog value bit for bit (integers become the floats they
stand for), and the vendor's own outputs; ours follow with a suffix. Labels beyond the number of points, which name nothing, are
dropped, because ours take their place. The copy is read again and compared before it gets its name.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biomech_id._version import __version__
from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import (
    ARM_POINTS,
    AXES,
    CENTRE_OF_MASS,
    FOOT_TABLE,
    MM_PER_M,
    POINT_VARIABLES,
    SIGN_TABLE,
    UPPER_BODY_TABLE,
)
from biomech_id.errors import FileRefusedError, OutputError
from biomech_id.exports.c3d.records import RecordList
from biomech_id.readers.c3d.file import C3DFile, open_c3d
from biomech_id.readers.c3d.header import BLOCK_BYTES
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.c3d.units import METRES
from biomech_id.readers.source import read_source
from biomech_id.readers.vertical import ROTATION_TO_Z_UP
from biomech_id.values import dataclass

RESULT_SUFFIX = "_bid"
#: Quantity of the sign table -> group of labels in POINT, its type, and the factor from our unit to the vendors' (N m -> N mm).
_GROUPS: dict[str, tuple[str, str, float]] = {
    "angle": ("ANGLES", "ANGLE", 1.0),
    "force": ("FORCES", "FORCE", 1.0),
    "ground force": ("FORCES", "FORCE", 1.0),
    "moment": ("MOMENTS", "MOMENT", MM_PER_M),
    "ground moment": ("MOMENTS", "MOMENT", MM_PER_M),
    "power": ("POWERS", "POWER", 1.0),
    "point": ("MODELED_MARKERS", "MODELED_MARKER", 1.0),
    "scalar": ("SCALARS", "SCALAR", 1.0),
}
_QUANTITY: dict[str, str] = {row.variable: row.quantity for row in (*SIGN_TABLE, *UPPER_BODY_TABLE, *FOOT_TABLE)}
_POINTS = frozenset({*POINT_VARIABLES, *ARM_POINTS.values()})
#: Variables with one angle of three: the others are stored as zero, as vendors do.
_HINGES = frozenset({"ElbowAngles"})
_OUTLINE = "Outline"
#: Group and type of what has no axes: envelopes of muscle signals.
_SCALARS = ("SCALARS", "SCALAR")
_WRITTEN_UNITS = {
    "SCALARS": "unit as in channels.csv",
    "ANGLES": "deg",
    "FORCES": "N/kg",
    "MOMENTS": "Nmm/kg",
    "POWERS": "W/kg",
    "MODELED_MARKERS": "position",
}
#: Quantities given in laboratory axes, which go back into the axes of the file.
_LAB = {"ground force", "ground moment", "point"}


@dataclass(frozen=True)
class Output:
    """One output as a C3D point: label, group in POINT, (n_frames, 3) values in the unit written; missing is NaN.

    Attributes
    ----------
    label : str
        Label of the point: "LKneeAngles".
    group : str
        Of the parameter: "POINT".
    type : str
        "ANGLES", "MOMENTS", ...: what the point is listed as in POINT.
    values : FloatArray
        (n_frames, 3), in the unit written; missing is NaN.
    """

    label: str
    group: str
    type: str
    values: FloatArray


def write_results(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    columns: Mapping[str, FloatArray],
    *,
    scalars: Mapping[str, FloatArray] | None = None,
    suffix: str = RESULT_SUFFIX,
    R_lab_file: FloatArray | None = None,
    sha256: str = "",
) -> Path:
    """Write a copy of a C3D file with results added, and return its path.

    Parameters
    ----------
    source : str | os.PathLike[str]
        The recording the results belong to.
    target : str | os.PathLike[str]
        The copy; it appears whole or not at all.
    columns : Mapping[str, FloatArray]
        Columns of ``trials/<stem>.csv`` by name (``LHipAngles.X``), each (n_frames,), in that table's units; columns that are not
        in the sign table are left out. Moments are written in N mm/kg and positions in POINT:UNITS, as vendors do; powers in the
        third component.
    scalars : Mapping[str, FloatArray] | None, optional
        Label -> further values without axes, (n_frames,), such as envelopes of muscle signals, in whatever unit; they go into the
        third component.
    suffix : str, optional
        Appended to every label.
    R_lab_file : FloatArray | None, optional
        Rotation with which the reader turned the file's axes Z up; positions and ground reactions are turned back with it. None
        finds it from the file, as the reader did.
    sha256 : str, optional
        Of the bytes that the results are of: a recording that is another one meanwhile is refused. Empty: whatever it is.

    Returns
    -------
    Path
        The copy; the source stays as it is.

    Raises
    ------
    FileRefusedError
        The source cannot be read, or is not what the results are of any more.
    OutputError
        The columns do not fit the file, it holds such labels already, the target is the source, or cannot be written.
    """
    bytes_read = read_source(source)
    if sha256 and bytes_read.sha256 != sha256:
        words = f"{bytes_read.name} has changed since it was analysed: no copy of it can hold these results; run it again."
        raise FileRefusedError.at(source, words, "the recording that was analysed")
    original = open_c3d(bytes_read)
    rotation = ROTATION_TO_Z_UP[interpret(bytes_read).facts.vertical] if R_lab_file is None else R_lab_file
    target = Path(target)
    if target.exists() and os.path.samefile(source, target):
        raise OutputError.at(target, f"{target} is the recording itself: results go into a copy.", "another path")
    outputs = outputs_of(columns, original, suffix, rotation)
    outputs += [Output(name + suffix, *_SCALARS, _three({name: values}, name)) for name, values in (scalars or {}).items()]
    _check_outputs(outputs, original)
    content = with_outputs(original, outputs)
    _write_checked(content, target, original, outputs)
    return target


def outputs_of(columns: Mapping[str, FloatArray], file: C3DFile, suffix: str, R_lab_file: FloatArray) -> list[Output]:
    """Return the outputs that table columns become, in the units and axes of a C3D file (see `write_results`).

    Parameters
    ----------
    columns : Mapping[str, FloatArray]
        Name of a column in ``trials/<stem>.csv`` -> its values (n_frames,).
    file : C3DFile
        The recording that the outputs will stand in: its units and rate.
    suffix : str
        What is put behind each label.
    R_lab_file : FloatArray
        (3, 3), maps components in the file's axes to laboratory components.
    """
    per_mm = 1.0 / (MM_PER_M * METRES.get(file.parameters.text("POINT", "UNITS").lower(), 1.0 / MM_PER_M))
    outputs = []
    for stem in dict.fromkeys(name.partition(".")[0] for name in columns):
        quantity = "point" if stem == CENTRE_OF_MASS else _quantity(stem[1:])
        complete = stem in columns or stem[1:] in _HINGES or all(f"{stem}.{axis}" in columns for axis in AXES)
        if quantity not in _GROUPS or not complete:
            continue
        group, kind, factor = _GROUPS[quantity]
        values = _three(columns, stem) * (per_mm if quantity == "point" else factor)
        outputs.append(Output(stem + suffix, group, kind, values @ R_lab_file if quantity in _LAB else values))
    return outputs


def _quantity(variable: str) -> str:
    """What a variable (without its side) is, by the sign table or by its name; "" when it is none of ours."""
    return "point" if variable in _POINTS or variable.endswith(_OUTLINE) else _QUANTITY.get(variable, "")


def _three(columns: Mapping[str, FloatArray], stem: str) -> FloatArray:
    """(n, 3) from the columns of one variable; a scalar goes into the third component, as vendors store powers."""
    if stem in columns:
        scalar = np.asarray(columns[stem], dtype=np.float64)
        return np.stack([np.where(np.isnan(scalar), np.nan, 0.0)] * 2 + [scalar], axis=1)
    if stem[1:] in _HINGES:
        angle = np.asarray(columns[f"{stem}.X"], dtype=np.float64)
        return np.stack([angle] + [np.where(np.isnan(angle), np.nan, 0.0)] * 2, axis=1)
    return np.stack([np.asarray(columns[f"{stem}.{axis}"], dtype=np.float64) for axis in AXES], axis=1)


def _check_outputs(outputs: list[Output], file: C3DFile) -> None:
    where, n_frames = file.source.name, file.layout.n_frames
    wrong = [output for output in outputs if output.values.shape != (n_frames, 3)]
    if wrong:
        raise OutputError(
            f"{wrong[0].label} has {len(wrong[0].values)} frames, and {where} has {n_frames}.",
            value=wrong[0].values.shape, expected=f"({n_frames}, 3)", where=where,
        )  # fmt: skip
    taken = set(file.joined_strings("POINT", "LABELS")) & {output.label for output in outputs}
    if taken:
        raise OutputError(
            f"{where} holds {sorted(taken)[0]} already: write into a copy of the original recording, or choose another suffix.",
            value=sorted(taken), expected="labels that are new to the file", where=where,
        )  # fmt: skip


def with_outputs(file: C3DFile, outputs: list[Output]) -> bytes:
    """Return the bytes of a C3D file with outputs added behind its points.

    Parameters
    ----------
    file : C3DFile
        The recording as read, which itself stays as it is.
    outputs : list[Output]
        In the order written.
    """
    layout, processor, data = file.layout, file.parameters.processor, file.source.data
    points = layout.points + len(outputs)
    records = RecordList(file.parameters, data)
    _describe(records, file, outputs)
    start = file.parameters.start
    section = records.section(where=file.source.name)
    data_block = (start + len(section)) // BLOCK_BYTES + 1
    if file.parameters.find("POINT", "DATA_START"):
        records.set_numbers("POINT", "DATA_START", 2, [], processor.pack_words([data_block]))
        section = records.section(where=file.source.name)
    head = bytearray(data[:start])
    head[2:4] = processor.pack_words([points])
    head[16:18] = processor.pack_words([data_block])
    if not layout.is_float:
        head[12:16] = processor.pack_floats(np.array([-layout.scale]))
    frames = _frames(file, outputs)
    padding = -len(frames) % BLOCK_BYTES
    return bytes(head) + section + frames + b"\0" * padding


def _describe(records: RecordList, file: C3DFile, outputs: list[Output]) -> None:
    """Change what the parameters say about the points."""
    n_points, processor = file.layout.points, file.parameters.processor
    labels = (records.texts("POINT", "LABELS") + [b""] * n_points)[:n_points]
    records.set_texts("POINT", "LABELS", labels + [output.label.encode("ascii") for output in outputs])
    if file.parameters.find("POINT", "DESCRIPTIONS"):
        written = [f"biomech_id {__version__}, {_WRITTEN_UNITS[output.group]}".encode("ascii") for output in outputs]
        stored = (records.texts("POINT", "DESCRIPTIONS") + [b""] * n_points)[:n_points]
        records.set_texts("POINT", "DESCRIPTIONS", stored + written)
    records.set_numbers("POINT", "USED", 2, [], processor.pack_words([n_points + len(outputs)]))
    if not file.layout.is_float:
        records.set_numbers("POINT", "SCALE", 4, [], processor.pack_floats(np.array([-file.layout.scale])))
    known = records.texts("POINT", "TYPE_GROUPS")
    groups = list(known)
    for group, kind in dict.fromkeys((output.group, output.type) for output in outputs):
        ours = [output.label.encode("ascii") for output in outputs if output.group == group]
        records.set_texts("POINT", group, records.texts("POINT", group) + ours)
        if group.encode("ascii") not in groups[::2]:
            groups += [group.encode("ascii"), kind.encode("ascii")]
    if groups != known:
        records.set_text_pairs("POINT", "TYPE_GROUPS", groups)


def _frames(file: C3DFile, outputs: list[Output]) -> bytes:
    """The data section: original numbers bit for bit, ours between points and analog channels."""
    layout, processor = file.layout, file.parameters.processor
    stored = np.frombuffer(_stored_floats(file), dtype=np.uint32).reshape(layout.n_frames, layout.words_per_frame)
    quads = np.zeros((layout.n_frames, len(outputs), 4), dtype=np.float32)
    for index, output in enumerate(outputs):
        missing: BoolArray = np.asarray(~np.isfinite(output.values).all(axis=1))
        quads[:, index, :3] = np.where(missing[:, None], 0.0, output.values)
        quads[:, index, 3] = np.where(missing, -1.0, 0.0)
    ours = np.frombuffer(processor.pack_floats(quads), dtype=np.uint32).reshape(layout.n_frames, -1)
    cut = 4 * layout.points
    return np.concatenate([stored[:, :cut], ours, stored[:, cut:]], axis=1).tobytes()


def _stored_floats(file: C3DFile) -> bytes:
    """The data section as floats of the file's processor; integers become the values they stand for."""
    layout = file.layout
    if layout.is_float:
        return file.source.data[layout.start : layout.start + 4 * layout.n_frames * layout.words_per_frame]
    positions, measured = file.points()
    quads = np.concatenate([positions, np.where(measured, 0.0, -1.0)[..., None]], axis=2)
    analog = file.analog_words(range(layout.channels)).reshape(layout.n_frames, -1)
    both = np.concatenate([quads.reshape(layout.n_frames, -1), analog], axis=1)
    return file.parameters.processor.pack_floats(both.astype(np.float32))


def _write_checked(content: bytes, target: Path, original: C3DFile, outputs: list[Output]) -> None:
    """Write under a temporary name, read again, compare, rename."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(suffix=".c3d", prefix=".", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _compare(open_c3d(read_source(temporary)), original, outputs, str(target))
        os.replace(temporary, target)
    except OutputError:
        raise
    except OSError as problem:
        raise OutputError.at(target, f"{target} cannot be written: {problem.strerror or problem}.", "a writable folder") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _compare(copy: C3DFile, original: C3DFile, outputs: list[Output], where: str) -> None:
    """Raise unless the copy holds everything the original does, and our outputs to float32."""
    n = original.layout.points
    channels = range(original.layout.channels)
    (there, there_measured), (here, here_measured) = copy.points(), original.points()
    ours = np.stack([output.values for output in outputs], axis=1) if outputs else np.zeros((len(here), 0, 3))
    missing: BoolArray = np.asarray(~np.isfinite(ours).all(axis=2))
    same = {
        "points": np.array_equal(there[:, :n], _as_stored(here, original), equal_nan=True),
        "residuals": np.array_equal(there_measured[:, :n], here_measured),
        "analog channels": np.array_equal(copy.analog(channels), original.analog(channels), equal_nan=True),
        "outputs": np.array_equal(there[:, n:][~missing], ours.astype(np.float32)[~missing])
        and not there_measured[:, n:][missing].any(),
        "groups": list(copy.parameters.groups)[: len(original.parameters.groups)] == list(original.parameters.groups),
    }
    different = [what for what, equal in same.items() if not equal]
    if different:
        raise OutputError(
            f"The copy {where} does not read back like its original ({', '.join(different)}); it was not kept.",
            value=different, expected="a copy that reads back unchanged", where=where,
        )  # fmt: skip


def _as_stored(positions: FloatArray, file: C3DFile) -> FloatArray | NDArray[np.float32]:
    return positions if file.layout.is_float else positions.astype(np.float32)
