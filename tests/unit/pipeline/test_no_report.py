"""`run` and `run --no-report` with `report OUT` behind it leave the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import biomech_id.report
import biomech_id.report.pdf
from benchmarks.studies.killed_runs import files_of
from biomech_id.cli.app import app

DATA = Path(__file__).parents[3] / "data"
#: Two pages: they print what is rounded, in curves and as text.
PAGES = ["spatiotemporal", "values"]


def typed(*words: str | Path) -> None:
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output


def test_a_report_drawn_later_is_the_one_drawn_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tmp_path / "quick.toml"
    recipe.write_text("[output]\nbudget = false\nuncertainty = false\n", encoding="utf-8")
    draw: Any = biomech_id.report.pdf.draw_report

    def few_pages(*tables: object, **options: object) -> object:
        return draw(*tables, **{**options, "pages": PAGES})

    for room in (biomech_id.report, biomech_id.report.pdf):
        monkeypatch.setattr(room, "draw_report", few_pages)
    asked = ("run", DATA / "static.c3d", DATA / "walk01.c3d", "--recipe", recipe)
    typed(*asked, "-o", tmp_path / "once")
    typed(*asked, "-o", tmp_path / "later", "--no-report")
    assert not (tmp_path / "later" / "report.pdf").exists()
    typed("report", tmp_path / "later")
    assert files_of(tmp_path / "later") == files_of(tmp_path / "once")
