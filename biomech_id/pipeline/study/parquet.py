"""One table of a study as a Parquet dataset: a file for each subject, all with one schema, whatever a subject's cells hold.

A subject's file lies at the subject's path, ``<table>/<subject>/part.parquet``, and bears the name in a column as well. Folders
named ``subject=<name>``, as Hive has them, would do without that column, but readers then guess its type from the names: pandas
and Polars take the subjects 001 and 1 for one and the same number, and 2020-01-31 for a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from biomech_id.conventions import SCHEMA, Column
from biomech_id.errors import FileRefusedError, OptionError
from biomech_id.pipeline.study.source import SourceFile, check_header

#: Bytes of CSV that are read at a time, and become one group of rows.
_PIECE = 8 << 20
#: In the name of a folder: what readers take for a pattern or a key, and the first characters they take for hidden.
_TELLING = re.compile(r"^[._]|[^\w .()+,-]")


def write_subject_part(dataset: Path, subject: str, files: Iterable[SourceFile], columns: Sequence[Column]) -> Path:
    """Write one subject's file of a dataset, and return it.

    Parameters
    ----------
    dataset : Path
        Folder of the table.
    subject : str
        Its path, with forward slashes.
    files : Iterable[SourceFile]
        The CSV files that its rows come from.
    columns : Sequence[conventions.Column]
        Of the table; those that a file lacks are empty.

    Raises
    ------
    FileRefusedError
        A file is missing or damaged; names it.
    OptionError
        Pyarrow is not installed.
    OSError
        Nothing can be written there.
    """
    parquet = _parquet()
    place = dataset.joinpath(*map(_folder_name, subject.split("/")))
    place.mkdir(parents=True)
    schema = _schema(columns)
    # Texts repeat a lot, measured numbers do not.
    texts = [column.name for column in columns if column.kind == "text"]
    with parquet.ParquetWriter(place / "part.parquet", schema, use_dictionary=texts) as writer:
        for source in files:
            for batch in _batches(source, columns):
                writer.write_batch(_completed(batch, source, schema))
    return place / "part.parquet"


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise OptionError(
            "Parquet is written by pyarrow, which is not installed: pip install pyarrow.",
            value="parquet", expected="pyarrow, or CSV", where="study",
        ) from error  # fmt: skip
    return parquet


def _folder_name(part: str) -> str:
    return _TELLING.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), part)


def _schema(columns: Sequence[Column]) -> Any:
    """The Arrow schema: a type for each kind of column, and in its metadata the version of the schema and every column's unit."""
    import pyarrow

    types = {"text": pyarrow.string(), "integer": pyarrow.int64(), "number": pyarrow.float64()}
    about = [{"meaning": c.meaning} | ({"unit": c.unit} if c.unit else {}) for c in columns]
    fields = [pyarrow.field(c.name, types[c.kind], metadata=metadata) for c, metadata in zip(columns, about, strict=True)]
    return pyarrow.schema(fields, metadata={"biomech_id.schema": str(SCHEMA)})


def _batches(source: SourceFile, columns: Sequence[Column]) -> Iterator[Any]:
    """Read one CSV file piece by piece."""
    import pyarrow
    from pyarrow import csv

    check_header(source, columns)
    types = {field.name: field.type for field in _schema(columns)}
    try:
        with csv.open_csv(
            source.path,
            read_options=csv.ReadOptions(use_threads=False, block_size=_PIECE),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=False),
        ) as reader:
            yield from reader
    except pyarrow.ArrowInvalid as error:
        raise FileRefusedError(
            f"{source.path} is not the table it should be: {error}.",
            value=str(error), expected="numbers where numbers belong", where=str(source.path),
        ) from error  # fmt: skip


def _completed(batch: Any, source: SourceFile, schema: Any) -> Any:
    """The rows with every column of the schema: those of the file, the cells in front of them, and empty ones."""
    import pyarrow

    def column(field: Any) -> Any:
        if field.name in source.front:
            return pyarrow.repeat(source.front[field.name], batch.num_rows)
        if field.name in batch.schema.names:
            return batch.column(field.name)
        return pyarrow.nulls(batch.num_rows, field.type)

    whole = pyarrow.record_batch([column(field) for field in schema], schema=schema)
    if source.kept is None:
        return whole
    name, step = source.kept
    return whole.filter(pyarrow.array(whole.column(name).to_numpy() % step == 0))
