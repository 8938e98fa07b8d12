"""The committed pages of docs/ are what the code says today."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.conventions import SIGN_TABLE, TABLES, frame_columns, table_columns
from biomech_id.pipeline.study.verdicts import write_verdicts
from biomech_id.statistics.parity import parity_table
from docs.generate.dictionary import DOCS, GENERATED_PAGES


@pytest.mark.parametrize("name", sorted(GENERATED_PAGES))
def test_committed_page_is_current(name: str) -> None:
    committed = (DOCS / name).read_text(encoding="utf-8")
    assert committed == GENERATED_PAGES[name](), "run: python -m docs.generate.dictionary"


def test_every_sign_and_column_is_on_a_page() -> None:
    conventions, dictionary = GENERATED_PAGES["conventions.md"](), GENERATED_PAGES["data-dictionary.md"]()
    for row in SIGN_TABLE:
        assert f"| `{row.variable}` | {row.component or '-'} | {row.title} | {row.positive} | {row.negative} |" in conventions
    for table in TABLES:
        assert f"## `{table.name}.csv`" in dictionary
        for column in table.columns:
            assert f"| `{column.name}` | {column.kind} |" in dictionary


def test_tables_of_other_modules_have_the_dictionarys_columns(tmp_path: Path) -> None:
    verdicts = write_verdicts([("a", "done", 2, "")], tmp_path).read_text(encoding="utf-8").splitlines()[0]
    assert verdicts.split(",") == [column.name for column in table_columns("verdicts")]
    assert list(parity_table([]).columns) == [column.name for column in table_columns("parity")]


def test_column_names_are_unique() -> None:
    names = [name for name, _ in frame_columns()]
    assert len(set(names)) == len(names)
    for table in TABLES:
        assert len({column.name for column in table.columns}) == len(table.columns)
