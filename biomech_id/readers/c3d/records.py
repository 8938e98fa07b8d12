"""The records of a C3D file's parameter section, one after the other, and past what is damaged.

Layout (C3D user guide, "The parameter section"): four bytes (two unused, number of 512-byte blocks, processor), then records.
A record is: length of the name (negative when locked), group number (negative for the group's own record), name, a 16-bit
offset from itself to the next record; a parameter goes on with type (-1 characters, 1 bytes, 2 integers, 4 floats), number of
dimensions, dimensions, data; both end with a description. Offset 0 or a name of length 0 ends the list.

Every length is checked against the section before it is used, so a damaged section ends in one sentence and never in a crash.
Where a record cannot be followed, the walk goes on at the next one that is whole; where there is none although bytes follow, the
file is refused: half of a parameter section looks like all of it.
"""

from __future__ import annotations

from math import prod
from unicodedata import category

import numpy as np

from biomech_id.errors import FileRefusedError
from biomech_id.languages import Sentence
from biomech_id.readers.c3d.processor import Processor
from biomech_id.values import dataclass, field

BLOCK_BYTES = 512
MOST_RECORDS = 20_000
MOST_BLOCKS = 255
MOST_DIMENSIONS = 7
NO_DIMENSIONS: tuple[int, ...] = ()
BYTES_OF_TYPE = {-1: 1, 1: 1, 2: 2, 4: 4}


@dataclass(frozen=True)
class Record:
    """One record as stored: a group (``kind`` 0, ``dims`` empty) or a parameter.

    Attributes
    ----------
    name : str
        As stored; programs write upper case.
    group_id : int
        Number of its group.
    locked : bool
        Whether the file says so.
    is_group : bool
        Whether it is a group.
    kind : int
        Bytes of a number (1, 2, 4), -1 for characters; 0 for a group.
    dims : tuple[int, ...]
        Dimensions of a parameter, the fastest first; empty for a group and for a single value.
    raw : bytes
        The parameter's data as it lies in the file.
    description : bytes
        Text as stored, undecoded.
    start : int
        First byte of the record.
    pointer : int
        Byte at which the offset to the next record lies.
    offset : int
        The pointer's value, counted from itself; 0 in the last record.
    body : int
        Byte behind the data.
    end : int
        Byte behind the description.
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


#: Kinds of characters that are no text: controls, ends of lines and paragraphs, halves of pairs.
_NOT_TEXT = frozenset({"Cc", "Zl", "Zp", "Cs"})


def decode_text(raw: bytes) -> str:
    """Return text stored as UTF-8 or, failing that, Latin-1.

    Parameters
    ----------
    raw : bytes
        A label or description, padded with blanks or zeros.

    Returns
    -------
    str
        Padding removed, controls replaced by blanks.
    """
    raw = raw.rstrip(b" \x00")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return without_controls(text).strip()


def without_controls(text: str) -> str:
    r"""Return a text on one line.

    Parameters
    ----------
    text : str
        As decoded, with whatever controls it holds.

    Returns
    -------
    str
        As long as before, with blanks in place of line ends and of what no font can show.

    Examples
    --------
    >>> from biomech_id.readers.c3d.records import without_controls
    >>> without_controls("L\nHEE\x85")
    'L HEE '
    """
    return "".join(" " if category(character) in _NOT_TEXT else character for character in text)


def section_ends(data: bytes, start: int, processor: Processor) -> tuple[int, int]:
    """Return where the parameters end: the nearer and the farther of the bytes that the file names.

    The header says where the data begin, the section itself how many blocks it has; each is wrong in some genuine files. What is
    not named, or lies outside the file, does not count; a section has at most 255 blocks where neither is told.

    Parameters
    ----------
    data : bytes
        The whole file, header included.
    start : int
        Byte offset of the section.
    processor : Processor
        In whose format numbers are stored.

    Returns
    -------
    certain : int
        Behind this byte only whole records are followed.
    last : int
        Where the data begin as the header says, else the end of the section's blocks.
    """
    stated = (int(processor.words(data, offset=16, count=1)[0]) - 1) * BLOCK_BYTES
    counted = start + data[start + 2] * BLOCK_BYTES
    ends = [end for end in (stated, counted) if start < end <= len(data)]
    if not ends:
        ends = [min(len(data), start + MOST_BLOCKS * BLOCK_BYTES)]
    return min(ends), ends[0]


@dataclass
class RecordWalk:
    """The way through the records of one section.

    Attributes
    ----------
    data : bytes
        The whole file, header included.
    processor : Processor
        In whose format numbers are stored.
    section_end : int
        Byte that only records which agree with their neighbours may cross.
    where : str
        File name, for messages.
    certain_end : int
        Byte behind which only whole records are followed.
    position : int, optional
        Byte of the next record to read.
    records : list[Record], optional
        Records read so far, in the file's order.
    damage : Sentence | None, optional
        The first thing that was wrong.
    skipped : int, optional
        Number of bytes passed over as damaged.
    """

    data: bytes
    processor: Processor
    section_end: int
    where: str
    certain_end: int
    position: int = 0
    records: list[Record] = field(default_factory=list)
    damage: Sentence | None = None
    skipped: int = 0

    def run(self, position: int) -> None:
        """Read records from a byte to the list's end.

        Parameters
        ----------
        position : int
            First byte of the first record.

        Raises
        ------
        FileRefusedError
            The list cannot be followed to its end.
        """
        self.position = position
        while len(self.records) < MOST_RECORDS and self.position != self.section_end:
            record = self._at(self.position)
            if self.position >= self.certain_end and not self._follows(record):
                self._end_outside()
                return
            if record is None or isinstance(record, Sentence):
                if not self._resume(record):
                    return
            elif not self._take(record):
                return

    def _at(self, position: int) -> Record | Sentence | None:
        return _record_at(self.data, position, len(self.data), self.processor)

    def _take(self, record: Record) -> bool:
        """Keep a record and move behind it; False at the list's end."""
        self.records.append(record)
        self.position = record.end
        following = record.pointer + record.offset
        if record.offset == 0:
            return self._whole(record.end) is not None and self._odd_end(record, following)
        if following == record.end:
            return True
        self._odd_end(record, following)
        # Pointer and length contradict each other: whichever leads to a record, and inside the section.
        ways = [way for way in (following, record.end) if record.body <= way < self.section_end]
        readable = sorted(filter(self._readable, ways), key=lambda way: self._whole(way) is None)
        if not readable and all(self._at(way) is None for way in ways):
            return False
        # Neither: the search for the next whole record begins behind this one's name.
        self.position = readable[0] if readable else min(record.end, self.section_end)
        return True

    def _follows(self, record: Record | Sentence | None) -> bool:
        """Whether a record outside the section's own blocks is one: it leads exactly behind itself, and no data do so by chance."""
        if not isinstance(record, Record) or self.position >= self.section_end + BLOCK_BYTES:
            return False
        groups = {known.group_id for known in self.records}
        exact = record.offset == 0 or record.pointer + record.offset == record.end
        return exact and self._readable(self.position) and (record.is_group or record.group_id in groups)

    def _end_outside(self) -> None:
        """End the list where the section ends; what begins there before the data, and is none of its records, is said."""
        if self.position < self.section_end and self.data[self.position]:
            self.damage = self.damage or Sentence("parameters-interrupted", {"byte": self.position})

    def _odd_end(self, record: Record, following: int) -> bool:
        self.damage = self.damage or Sentence("parameter-end", {"name": record.name, "bytes": following - record.end})
        return True

    def _readable(self, position: int) -> bool:
        record = self._at(position)
        return isinstance(record, Record) and bool(record.name) and record.name.isascii() and record.name.isprintable()

    def _whole(self, position: int) -> Record | None:
        """The record at a byte, where its name is one and its pointer leads exactly behind it; chance does not make such."""
        record = self._at(position)
        if not isinstance(record, Record) or not 0 < abs(record.pointer - record.start - 2) == len(record.name):
            return None
        named = record.name.isascii() and record.name.replace("_", "").isalnum()
        return record if named and record.pointer + record.offset == record.end <= self.section_end else None

    def _interrupted(self) -> bool:
        """Whether a record began where the list seems to end: an end is a name of no length, whatever old bytes follow it."""
        if self.position + 2 > len(self.data):
            return False
        name_length, group_id = (int(byte) for byte in np.frombuffer(self.data, np.int8, 2, self.position))
        # The record of a new group has a negative number, which no letter of an old text is.
        return name_length != 0 or group_id < 0 or group_id in {record.group_id for record in self.records}

    def _resume(self, damage: Sentence | None) -> bool:
        """Move to the next place behind a damaged one from which the walk can go on; False where the list simply ends here."""
        if damage is None and not self._interrupted():
            return False
        following = self._next_whole() if damage is None else self._behind_its_pointer() or self._next_whole()
        if following or damage is not None or self.data[self.position]:
            self.damage = self.damage or damage or Sentence("parameters-interrupted", {"byte": self.position})
        if following:
            self.skipped += following - self.position
            self.position = following
            return True
        if damage is not None and any(self.data[self.position : self.section_end]):
            raise FileRefusedError(
                f"The parameters of {self.where} cannot be followed beyond byte {self.position}: {damage} The file is damaged.",
                value=self.position, expected="parameters that can be followed to their end", where=self.where,
            )  # fmt: skip
        return False

    def _behind_its_pointer(self) -> int | None:
        """Where a record whose data cannot be read says that the next one begins, if a whole one or the list's end is there."""
        pointer = self.position + 2 + abs(int(np.int8(np.uint8(self.data[self.position]))))
        if pointer + 2 > self.section_end:
            return None
        following = pointer + int(self.processor.words(self.data, offset=pointer, count=1)[0])
        if not pointer + 2 < following < self.section_end:
            return None
        return following if self._whole(following) or not any(self.data[following : following + 2]) else None

    def _next_whole(self) -> int | None:
        known = {(record.group_id, record.is_group, record.name.upper()) for record in self.records}
        for position in range(self.position + 1, self.section_end - 4):
            record = self._whole(position)
            # What older software left behind the end of a list that became shorter is there already.
            if record is not None and (record.group_id, record.is_group, record.name.upper()) not in known:
                return position
        return None


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
