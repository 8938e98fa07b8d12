"""How many pages reports and comparisons have, of every session of the recordings beside the project.

``BIOMECH_ID_SHARED=... python -m benchmarks.studies.page_counts`` draws of each session that runs the standard report, alone and
beside a norm of the healthy people whose model it has; of each two sessions that follow one another in the list, and of each six,
their comparison. Nothing is drawn by lot. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pypdf

from biomech_id import __version__
from biomech_id.errors import BiomechError
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.report.compare import compare_report
from biomech_id.report.panels.layer import layers_of
from biomech_id.report.pdf import pages_of
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import FINGERPRINT

TABLE = Path(__file__).with_suffix(".md")
#: Pages of a report, those that an optional model adds where it ran, and number of sessions -> pages of their comparison.
MOST, OPTIONAL = 14, {"trunk_and_pelvis", "upper_limbs", "muscles", "inside_foot", "parity"}
MOST_COMPARED = {2: 10, 6: 14}
HEALTHY = ("children/HC", "norm_subjects/")
#: Sessions differ in these: whoever compares them all the same is shown the pages.
_MIX = tuple(FINGERPRINT)


@dataclass(frozen=True)
class Report:
    """Pages of one session's standard report: alone, beside a norm (None where none fits), and those of optional models."""

    session: str
    alone: int
    with_norm: int | None
    optional: tuple[str, ...]

    @property
    def most(self) -> int:
        """How many it may have."""
        return MOST + len(self.optional)

    @property
    def beyond(self) -> bool:
        """Whether it has more."""
        return max(self.alone, self.with_norm or 0) > self.most


@dataclass(frozen=True)
class Compared:
    """Pages of one comparison; 0 where it is refused."""

    sessions: tuple[str, ...]
    pages: int

    @property
    def beyond(self) -> bool:
        """Whether it has more than it may."""
        return self.pages > MOST_COMPARED[len(self.sessions)]


class Norms:
    """A norm of the healthy people of each model.

    Parameters
    ----------
    tables : Mapping[str, Tables]
        Session -> its tables.
    """

    def __init__(self, tables: Mapping[str, Tables]) -> None:
        self._tables = tables
        self._of_model = cache(self._made)

    def fitting(self, name: str) -> pd.DataFrame | None:
        """The norm of a session's model, its own person left out; None where that leaves fewer than two."""
        return self._of_model(model_of(self._tables[name]), name if name.startswith(HEALTHY) else "")

    def _made(self, model: str, left_out: str) -> pd.DataFrame | None:
        people = [
            of for name, of in self._tables.items() if name.startswith(HEALTHY) and name != left_out and model_of(of) == model
        ]
        return norm_from_sessions(people, source="children and adolescents", mix=_MIX) if len(people) > 1 else None


def model_of(tables: Tables) -> str:
    """The body model of a session."""
    return str(tables.summary.get("model", ""))


def report_of(name: str, tables: Tables, norm: pd.DataFrame | None) -> Report:
    """Draw a session's standard report, alone and beside a norm."""
    alone = [page.name for page in pages_of(tables)[0]]
    beside = [page.name for page in pages_of(tables, norm=norm, mix=_MIX)[0]] if norm is not None else None
    optional = OPTIONAL.intersection(alone, beside or alone)
    assert all(alone.count(model) == 1 for model in optional), name
    return Report(name, len(alone), None if beside is None else len(beside), tuple(sorted(optional)))


def compared(tables: Mapping[str, Tables], names: Sequence[str], norm: pd.DataFrame | None = None) -> Compared:
    """Draw a comparison, beside a norm where one is given."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = compare_report([tables[name] for name in names], Path(folder) / "compared.pdf", norm=norm, mix=_MIX)
        except BiomechError:
            return Compared(tuple(names), 0)
        return Compared(tuple(names), len(pypdf.PdfReader(path).pages))


def groups(tables: Mapping[str, Tables], number: int) -> Iterator[tuple[str, ...]]:
    """So many sessions with cycles that follow one another: each with the next, and each six once."""
    names = [name for name, of in tables.items() if layers_of(of)]
    step = 1 if number == 2 else number
    yield from (tuple(names[at : at + number]) for at in range(0, len(names) - number + 1, step))


def report_line(row: Report) -> str:
    """A row of the first table."""
    beside = "-" if row.with_norm is None else str(row.with_norm)
    return f"| {row.session} | {row.alone} | {beside} | {', '.join(row.optional) or '-'} | {row.most} |"


def compared_line(row: Compared) -> str:
    """A row of the second table."""
    return f"| {len(row.sessions)} | {', '.join(row.sessions)} | {row.pages or 'refused'} |"


def lines(reports: Sequence[Report], comparisons: Sequence[Compared]) -> list[str]:
    """The whole table."""
    numbers = [len([row for row in comparisons if len(row.sessions) == number]) for number in MOST_COMPARED]
    beyond = sum(row.beyond for row in (*reports, *comparisons))
    return [
        "# Pages of reports and comparisons", "",
        f"Version {__version__}, {len(reports)} sessions that run, {numbers[0]} comparisons of two and {numbers[1]} of six; "
        f"{beyond} with more pages than they may have: {MOST} and one for each optional model that ran, {MOST_COMPARED[2]} of two, "
        f"{MOST_COMPARED[6]} of six.", "",
        "| session | pages | beside a norm | optional models | at most |", "| --- | --- | --- | --- | --- |",
        *map(report_line, reports), "",
        "| sessions | of | pages |", "| --- | --- | --- |", *map(compared_line, comparisons), "",
    ]  # fmt: skip


def main(folder: str | Path = "") -> int:
    """Write the table; the number of those that have too many pages."""
    shared = Path(folder or os.environ.get("BIOMECH_ID_SHARED", "/nowhere"))
    if not shared.is_dir():
        print("page_counts: no recordings beside the project (BIOMECH_ID_SHARED); the table stays as it is")
        return 0
    from tests.real.sessions import Sessions

    with tempfile.TemporaryDirectory() as computed:
        tables = {each.name: each.tables for each in Sessions(shared, Path(computed)).with_results()}
        norms = Norms(tables)
        reports = [report_of(name, of, norms.fitting(name)) for name, of in tables.items()]
        comparisons = [compared(tables, names) for n in MOST_COMPARED for names in groups(tables, n)]
    TABLE.write_text("\n".join(lines(reports, comparisons)), encoding="utf-8")
    return sum(row.beyond for row in (*reports, *comparisons))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
