"""The parameter section of a C3D file, walked record by record.

Layout (C3D user guide, "The parameter section"): four bytes (two unused, number of 512-byte blocks, processor), then records.
A record is: length of the name (negative when locked), group number (negative for the group's own record), name, a 16-bit
offset from itself to the next record; a parameter goes on with type (-1 characters, 1 bytes, 2 integers, 4 floats), number of
dimensions, dimensions, data; both end with a description. Offset 0 or a name of length 0 ends the list.

Every length is checked against the section before it is used, so a damaged section ends in one sentence and never in a crash.
What precedes the damage is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomech_id.errors import FileRefusedError
from biomech_id.readers.c3d.processor import Processor, processor_of
from biomech_id.sentences import Sentence

BLOCK_BYTES = 512
MOST_RECORDS = 20_000
MOST_DIMENSIONS = 7
NO_DIMENSIONS: tuple[int, ...] = ()
BYTES_OF_TYPE = {-1: 1, 1: 1, 2: 2, 4: 4}


@dataclass(frozen=True)
class Record:
    """One record as stored: a group (``kind`` 0, ``dims`` empty) or a parameter.

    ``raw`` is the parameter's data as it lies in the file. Byte positions in the file: ``start`` of the record, ``pointer`` to
    the next record (its value is ``offset``, counted from itself), ``body`` behind the data, ``end`` behind the description.

    Attributes
    ----------
    name : str
        In upper case.
    group_id : int
        Number of its group.
    locked : bool
        Whether the file says so.
    is_group : bool
        Whether it is a group.
    kind : int
        Bytes of an item, -1 for characters; 0 for a group.
    dims : tuple[int, ...]
        The fastest first.
    raw, description : bytes
        As stored.
    start, pointer, offset, body, end : int
        Where the record, its pointer, the pointer's value, its data and its end lie, bytes.
    """

    name: str
    group_id: int
    locked: bool
    is_group: bool
    kind: int
    dims: tuple[int, ...]
    raw: bytes
    description: bytes
    start: int
    pointer: int
    offset: int
    body: int
    end: int


@dataclass(frozen=True)
class Parameter:
    """One parameter of a group.

    Attributes
    ----------
    record : Record
        As stored.
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
        In upper case.
    parameters : dict[str, Parameter], optional
        By upper-case name.
    """

    name: str
    parameters: dict[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True)
class Parameters:
    """All groups of a file, by upper-case name, in the file's order.

    Attributes
    ----------
    processor : Processor
        Number format.
    groups : dict[str, Group]
        Name -> Group.
    records : tuple[Record, ...]
        Every record as stored, in order.
    start : int
        Byte offsets of the section's first byte and of the byte after the last record read.
    end : int
        Byte offsets of the section's first byte and of the byte after the last record read.
    blocks : int
        Length of the section as it says, in blocks of 512 bytes.
    damage : Sentence | None, optional
        What was wrong with the section; None when all of it could be walked.
    lost : bool, optional
        Whether what follows the damage could not be read.
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
    lost: bool = False
    strays: tuple[Sentence, ...] = ()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.find(*key.partition(":")[::2]) is not None

    def find(self, group: str, name: str) -> Parameter | None:
        """Return a parameter, or None.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        found = self.groups.get(group.upper())
        return found.parameters.get(name.upper()) if found else None

    def strings(self, group: str, name: str) -> tuple[str, ...]:
        """Return the strings of a parameter, blanks removed; empty when it is absent or not text.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        found = self.find(group, name)
        return found.strings if found else ()

    def text(self, group: str, name: str) -> str:
        """Return the first string of a parameter, or "".

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        found = self.strings(group, name)
        return found[0] if found else ""

    def numbers(self, group: str, name: str) -> NDArray[Any]:
        """Return the numbers of a parameter; empty when it is absent or text.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        found = self.find(group, name)
        return found.numbers if found else np.zeros(0)

    def number(self, group: str, name: str) -> float | None:
        """Return the first number of a parameter, or None when there is none.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        found = self.numbers(group, name)
        return float(found.flat[0]) if found.size else None

    def unsigned(self, group: str, name: str) -> int | None:
        """Return the first number of an integer parameter read as an unsigned word (counts above 32767), or None.

        Parameters
        ----------
        group : str
            Name of the group: "POINT".
        name : str
            Name of the parameter, in upper case: "LABELS".
        """
        value = self.number(group, name)
        if value is None or not np.isfinite(value):
            return None
        whole = int(value)
        return whole + 65536 if -32768 <= whole < 0 else whole


def decode_text(raw: bytes) -> str:
    """Return text stored as UTF-8 or, failing that, Latin-1; padding removed.

    Parameters
    ----------
    raw : bytes
        As stored.
    """
    raw = raw.rstrip(b" \x00")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\x00", " ").strip()


def walk_parameters(data: bytes, start: int, *, where: str) -> Parameters:
    """Return the parameters of a file.

    Parameters
    ----------
    data : bytes
        The whole file.
    start : int
        Byte offset of the section.
    where : str
        File name, for messages.

    Raises
    ------
    FileRefusedError
        The section lies outside the file, or its processor is unknown.
    """
    if start < BLOCK_BYTES or start + 4 > len(data):
        raise FileRefusedError(
            f"{where} ends before its parameter section (byte {start} of {len(data)}): it is cut, or its header is damaged.",
            value=start, expected=f"a parameter section within {len(data)} bytes", where=where,
        )  # fmt: skip
    blocks, processor = data[start + 2], processor_of(data[start + 3], where=where)
    records: list[Record] = []
    damage: Sentence | None = None
    lost = False
    position: int = start + 4
    # A section of 255 blocks is the format's limit; the count itself is too often wrong to stop at.
    limit = len(data)
    while len(records) < MOST_RECORDS:
        record = _record_at(data, position, limit, processor)
        if isinstance(record, Sentence):
            damage, lost = record, True
        if not isinstance(record, Record):
            break
        records.append(record)
        position = record.end
        if record.offset == 0:
            break
        following = record.pointer + record.offset
        if following != record.end and not damage:
            damage = Sentence("parameter-end", {"name": record.name, "bytes": following - record.end})
        # A pointer into the record's own data cannot be followed; the record behind it usually can.
        if record.body <= following < limit:
            position = following
    groups, strays = _grouped(records, processor)
    return Parameters(processor, groups, tuple(records), start, position, blocks, damage, lost, tuple(strays))


def _record_at(data: bytes, at: int, limit: int, processor: Processor) -> Record | Sentence | None:
    """Return the record at a byte, what is damaged, or None where the list ends."""
    if at + 2 > limit:
        return Sentence("parameters-beyond-file")
    name_length, group_id = (int(b) for b in np.frombuffer(data, np.int8, 2, at))
    if name_length == 0 or group_id == 0:
        return None
    pointer = at + 2 + abs(name_length)
    if pointer + 2 > limit:
        return Sentence("parameter-name-beyond-file", {"byte": at})
    name = decode_text(data[at + 2 : pointer])
    offset = int(processor.words(data, offset=pointer, count=1)[0])
    body = pointer + 2
    kind, dims, raw = 0, NO_DIMENSIONS, b""
    if group_id > 0:
        head = _typed_data(data, body, limit, name)
        if isinstance(head, Sentence):
            return head
        kind, dims, raw, body = head
    described = data[body] if body < limit else 0
    description = data[body + 1 : body + 1 + described]
    return Record(
        name=name, group_id=abs(group_id), locked=name_length < 0, is_group=group_id < 0, kind=kind, dims=dims, raw=raw,
        description=description, start=at, pointer=pointer, offset=offset, body=body, end=min(body + 1 + described, limit),
    )  # fmt: skip


def _typed_data(data: bytes, body: int, limit: int, name: str) -> tuple[int, tuple[int, ...], bytes, int] | Sentence:
    if body + 2 > limit:
        return Sentence("parameter-beyond-file", {"name": name})
    kind = int(np.frombuffer(data, np.int8, 1, body)[0])
    n_dims = data[body + 1]
    if kind not in BYTES_OF_TYPE:
        return Sentence("parameter-type-unknown", {"name": name, "type": kind})
    if n_dims > MOST_DIMENSIONS:
        return Sentence("parameter-dimensions", {"name": name, "dimensions": n_dims, "most": MOST_DIMENSIONS})
    dims = tuple(data[body + 2 : body + 2 + n_dims])
    begin = body + 2 + n_dims
    size = BYTES_OF_TYPE[kind] * prod(dims)
    if len(dims) < n_dims or begin + size > limit:
        return Sentence("parameter-data-beyond-file", {"name": name})
    return kind, dims, data[begin : begin + size], begin + size


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
