"""The parameter section written back: every record as it was, in its order, but for the few that must change.

Records that nobody touches are copied byte for byte; only their pointers to the next record are new.
"""

from __future__ import annotations

from collections.abc import Sequence

from biomech_id.errors import OutputError
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.c3d.processor import Processor
from biomech_id.readers.c3d.records import BLOCK_BYTES, Record
from biomech_id.values import dataclass, field

#: Rows of one text parameter; longer lists continue in NAME2, NAME3...
MOST_ROWS = 255
#: Blocks of the parameter section: the count is one byte.
MOST_BLOCKS = 255


@dataclass
class RecordList:
    """The records of a file, some of them replaced or added.

    Attributes
    ----------
    parameters : Parameters
        Of the original file.
    data : bytes
        The original file's bytes.
    """

    parameters: Parameters
    data: bytes
    _changed: dict[tuple[str, str], bytes] = field(default_factory=dict)

    @property
    def processor(self) -> Processor:
        """Number format of the file."""
        return self.parameters.processor

    def set_numbers(self, group: str, name: str, kind: int, dims: Sequence[int], raw: bytes) -> None:
        """Replace or add a parameter; ``kind`` 2 integers or 4 floats, ``raw`` its data in the file's number format.

        Parameters
        ----------
        group : str
            Of the parameter: "POINT".
        name : str
            Of the parameter: "LABELS".
        kind : int
            2 for integers, 4 for floats.
        dims : Sequence[int]
            Dimensions, the fastest first.
        raw : bytes
            Data in the file's number format.
        """
        self._changed[group, name] = bytes([kind & 0xFF, len(dims), *dims]) + raw

    def set_texts(self, group: str, name: str, rows: Sequence[bytes]) -> None:
        """Replace or add a list of texts, continued in NAME2, NAME3... beyond 255 rows.

        Parameters
        ----------
        group : str
            Of the parameter: "POINT".
        name : str
            Of the parameter: "LABELS".
        rows : Sequence[bytes]
            The texts, encoded, one a row.
        """
        width = min(max((len(row) for row in rows), default=1) or 1, 255)
        for part, start in enumerate(range(0, len(rows), MOST_ROWS), start=1):
            chunk = rows[start : start + MOST_ROWS]
            raw = b"".join(row[:width].ljust(width) for row in chunk)
            self._changed[group, name if part == 1 else f"{name}{part}"] = bytes([0xFF, 2, width, len(chunk)]) + raw

    def set_text_pairs(self, group: str, name: str, rows: Sequence[bytes]) -> None:
        """Replace or add a table of two columns (at most 255 lines), given row by row: name, kind, name, kind...

        Parameters
        ----------
        group : str
            Of the parameter: "POINT".
        name : str
            Of the parameter: "LABELS".
        rows : Sequence[bytes]
            The cells, encoded, row by row: two a line.
        """
        width = max((len(row) for row in rows), default=1) or 1
        raw = b"".join(row.ljust(width) for row in rows)
        self._changed[group, name] = bytes([0xFF, 3, width, 2, len(rows) // 2]) + raw

    def texts(self, group: str, name: str) -> list[bytes]:
        """Return the rows of a text parameter and its continuations as stored, padding removed.

        Parameters
        ----------
        group : str
            Of the parameter: "POINT".
        name : str
            Of the parameter: "LABELS".
        """
        rows: list[bytes] = []
        number = 1
        while parameter := self.parameters.find(group, name if number == 1 else f"{name}{number}"):
            record = parameter.record
            width = record.dims[0] if record.dims else 1
            rows += [record.raw[i : i + width].rstrip(b" \x00") for i in range(0, len(record.raw), width or 1)]
            number += 1
        return rows

    def section(self, *, where: str) -> bytes:
        """Return the whole parameter section, a multiple of 512 bytes.

        Parameters
        ----------
        where : str
            The file, for the error message.

        Raises
        ------
        OutputError
            It has outgrown the format.
        """
        names = {record.group_id: record.name.upper() for record in self.parameters.records if record.is_group}
        last_of_group = {record.group_id: i for i, record in enumerate(self.parameters.records)}
        pending = dict(self._changed)
        pieces: list[bytes] = []
        for i, record in enumerate(self.parameters.records):
            key = (names.get(record.group_id, ""), record.name.upper())
            changed = None if record.is_group else self._changed.get(key)
            pieces.append(
                self._copied(record) if changed is None else self._piece(self._name(record), record.group_id, changed, record)
            )
            if changed is not None:
                pending.pop(key, None)
            if last_of_group[record.group_id] == i:
                added = [(name, pending.pop((group, name))) for group, name in list(pending) if group == key[0]]
                pieces += [self._piece(name.encode("ascii"), record.group_id, raw, None) for name, raw in added]
        body = b"".join(pieces) + b"\0\0"
        blocks = -(-(4 + len(body)) // BLOCK_BYTES)
        if blocks > MOST_BLOCKS or pending:
            problem = f"it needs {blocks} blocks" if not pending else f"the file has no group {next(iter(pending))[0]}"
            raise OutputError(
                f"The results do not fit into the parameter section of {where}: {problem}.",
                value=blocks, expected=f"at most {MOST_BLOCKS} blocks of {BLOCK_BYTES} bytes", where=where,
            )  # fmt: skip
        head = self.data[self.parameters.start : self.parameters.start + 2] + bytes([blocks, self.processor])
        return (head + body).ljust(blocks * BLOCK_BYTES, b"\0")

    def _name(self, record: Record) -> bytes:
        return self.data[record.start + 2 : record.pointer]

    def _copied(self, record: Record) -> bytes:
        body = self.data[record.pointer + 2 : record.body]
        return self._piece(self._name(record), -record.group_id if record.is_group else record.group_id, body, record)

    def _piece(self, name: bytes, group_id: int, body: bytes, record: Record | None) -> bytes:
        description = record.description if record else b""
        locked = record is not None and record.locked
        length = (-len(name) if locked else len(name)) & 0xFF
        offset = 2 + len(body) + 1 + len(description)
        head = bytes([length, group_id & 0xFF]) + name + self.processor.pack_words([offset])
        return head + body + bytes([len(description)]) + description
