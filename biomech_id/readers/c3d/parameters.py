"""The parameters of a C3D file by group and name, made of the records that `biomech_id.readers.c3d.records` reads."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.errors import FileRefusedError
from biomech_id.languages import Sentence
from biomech_id.readers.c3d.processor import Processor, processor_of
from biomech_id.readers.c3d.records import BLOCK_BYTES, Record, RecordWalk, decode_text, section_ends
from biomech_id.values import dataclass, field


@dataclass(frozen=True)
class Parameter:
    """One parameter of a group.

    Attributes
    ----------
    record : Record
        Name, type, dimensions and bytes as stored.
    processor : Processor
        In whose format numbers are stored.
    """

    record: Record
    processor: Processor

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """Text, one string per row, blanks at the end removed; empty for numbers."""
        record = self.record
        if record.kind != -1 or not record.raw:
            return ()
        width = record.dims[0] if record.dims else 1
        count = prod(record.dims[1:])
        rows = [record.raw[i * width : (i + 1) * width] for i in range(count)]
        return tuple(decode_text(row) for row in rows)

    @cached_property
    def numbers(self) -> NDArray[Any]:
        """Numbers, in the file's order, first dimension fastest (so shape is the reverse of ``dims``); empty for text."""
        record = self.record
        shape = tuple(reversed(record.dims))
        if record.kind == 4:
            return self.processor.floats(record.raw).astype(np.float64).reshape(shape)
        if record.kind == 2:
            return self.processor.integers(record.raw).astype(np.int64).reshape(shape)
        if record.kind == 1:
            return np.frombuffer(record.raw, dtype=np.int8).astype(np.int64).reshape(shape)
        return np.zeros(0)


@dataclass
class Group:
    """One group: its parameters by upper-case name, in the file's order.

    Attributes
    ----------
    name : str
        As stored, usually in upper case.
    parameters : dict[str, Parameter], optional
        Upper-case name -> parameter; of several of one name the last.
    """

    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True)
class Parameters:
    """All groups of a file, by upper-case name, in the file's order.

    Attributes
    ----------
    processor : Processor
        Format of the file's numbers.
    groups : dict[str, Group]
        Upper-case name of the group -> its parameters.
    records : tuple[Record, ...]
        Every record as stored, in order.
    start : int
        Byte offset of the section's first byte.
    end : int
        Byte offset behind the last record read.
    blocks : int
        Length of the section as it says, in blocks of 512 bytes.
    damage : Sentence | None, optional
        What was wrong with the section; None when all of it could be walked.
    skipped : int, optional
        Bytes between records that could not be read.
    strays : tuple[Sentence, ...], optional
        What was skipped (parameters without a group, groups numbered twice).
    """

    processor: Processor
    groups: dict[str, Group]
    records: tuple[Record, ...]
    start: int
    end: int
    blocks: int
    damage: Sentence | None = None
    skipped: int = 0
    strays: tuple[Sentence, ...] = ()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.find(*key.partition(":")[::2]) is not None

    def find(self, group: str, name: str) -> Parameter | None:
        """Return a parameter.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        Parameter | None
            None when the file has no such group or parameter.
        """
        section = self.groups.get(group.upper())
        return section.parameters.get(name.upper()) if section else None

    def strings(self, group: str, name: str) -> tuple[str, ...]:
        """Return the strings of a parameter.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        tuple[str, ...]
            Blanks at the ends removed; empty when it is absent or not text.
        """
        parameter = self.find(group, name)
        return parameter.strings if parameter else ()

    def text(self, group: str, name: str) -> str:
        """Return the first string of a parameter.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        str
            Blanks at the ends removed; "" when it is absent or not text.
        """
        texts = self.strings(group, name)
        return texts[0] if texts else ""

    def numbers(self, group: str, name: str) -> NDArray[Any]:
        """Return the numbers of a parameter.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        NDArray[Any]
            Shape is the reverse of the stored dimensions; empty when it is absent or text.
        """
        parameter = self.find(group, name)
        return parameter.numbers if parameter else np.zeros(0)

    def number(self, group: str, name: str) -> float | None:
        """Return the first number of a parameter.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        float | None
            As stored, which may be NaN; None when it is absent, empty or text.
        """
        numbers = self.numbers(group, name)
        return float(numbers.flat[0]) if numbers.size else None

    def unsigned(self, group: str, name: str) -> int | None:
        """Return the first number of an integer parameter, read as an unsigned word.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".

        Returns
        -------
        int | None
            Counts above 32767 are stored as negative words and come out positive; None when there is no finite number.
        """
        value = self.number(group, name)
        if value is None or not np.isfinite(value):
            return None
        whole = int(value)
        return whole + 65536 if -32768 <= whole < 0 else whole


def walk_parameters(data: bytes, start: int, *, where: str) -> Parameters:
    """Return the parameters of a file.

    Parameters
    ----------
    data : bytes
        The whole file; the header's first byte says where the section begins.
    start : int
        Byte offset of the section.
    where : str
        File name, for messages.

    Returns
    -------
    parameters : Parameters
        Every group and parameter that can be read, with what was damaged or skipped.

    Raises
    ------
    FileRefusedError
        The section lies outside the file, its processor is unknown, or it cannot be followed to its end.
    """
    if start < BLOCK_BYTES or start + 4 > len(data):
        raise FileRefusedError(
            f"{where} ends before its parameter section (byte {start} of {len(data)}): it is cut, or its header is damaged.",
            value=start, expected=f"a parameter section within {len(data)} bytes", where=where,
        )  # fmt: skip
    blocks, processor = data[start + 2], processor_of(data[start + 3], where=where)
    certain, last = section_ends(data, start, processor)
    walk = RecordWalk(data, processor, last, where, certain)
    walk.run(start + 4)
    groups, strays = _grouped(walk.records, processor)
    return Parameters(
        processor, groups, tuple(walk.records), start, walk.position, blocks, walk.damage, walk.skipped, tuple(strays)
    )  # fmt: skip


def _grouped(records: list[Record], processor: Processor) -> tuple[dict[str, Group], list[Sentence]]:
    """Sort parameters into their groups; a group's record may come after its parameters."""
    strays: list[Sentence] = []
    by_id: dict[int, Group] = {}
    for record in records:
        if record.is_group:
            if record.group_id in by_id:
                values = {"number": record.group_id, "one": by_id[record.group_id].name, "other": record.name}
                strays.append(Sentence("groups-share-number", values))
                continue
            by_id[record.group_id] = Group(record.name)
    for record in records:
        if not (record.name.isascii() and record.name.isprintable()):
            strays.append(Sentence("parameter-name-odd", {"name": record.name}))
        if record.is_group:
            continue
        group = by_id.get(record.group_id)
        if group is None:
            strays.append(Sentence("parameter-without-group", {"name": record.name, "number": record.group_id}))
            continue
        # Of several parameters of one name the last counts, as in other readers.
        before = group.parameters.get(record.name.upper())
        if before is not None and before.record.raw != record.raw:
            strays.append(Sentence("parameter-twice", {"group": group.name, "name": record.name}))
        group.parameters[record.name.upper()] = Parameter(record, processor)
    groups: dict[str, Group] = {}
    for group in by_id.values():
        kept = groups.setdefault(group.name.upper(), group)
        if kept is not group:
            for name, parameter in group.parameters.items():
                kept.parameters.setdefault(name, parameter)
    return groups, strays
