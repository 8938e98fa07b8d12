"""Pages as PNG and SVG: all of them, the same bytes again, and never over somebody else's file."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from biomech_id.errors import OutputError
from biomech_id.report.figures import LISTED, draw_figures
from biomech_id.report.layout import words
from biomech_id.report.pdf import draw_report

PAGES = ["first", "methods"]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_every_page_is_a_png_and_an_svg_and_again_the_same_bytes(build, tmp_path):
    folder = tmp_path / "new" / "figures"
    written = draw_figures(build(), folder, pages=PAGES)
    assert [path.name for path in written] == ["01-first.png", "01-first.svg", "02-methods.png", "02-methods.svg"]
    before = contents(folder)
    assert before.keys() == {LISTED, *(path.name for path in written)}
    assert json.loads(before[LISTED]).keys() == before.keys() - {LISTED}
    assert Image.open(folder / "01-first.png").size > (2000, 1500)
    assert b"<svg" in before["01-first.svg"]
    draw_figures(build(), folder, pages=PAGES)
    assert contents(folder) == before


def test_a_report_after_figures_has_the_bytes_of_one_alone(build, tmp_path):
    """Texts are laid out once for all that are alike, but each writer measures them its own way."""
    made = {}
    for name in ("alone", "after"):
        words._KEPT.clear()
        if name == "after":
            draw_figures(build(), tmp_path / "figures", pages=["first"])
        made[name] = draw_report(build(), tmp_path / f"{name}.pdf", pages=["first"]).read_bytes()
    assert made["after"] == made["alone"]


@pytest.mark.parametrize("name", ["01-first.png", "02-methods.svg"])
def test_a_file_of_somebody_else_is_never_replaced(build, tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="was not written by"):
        draw_figures(build(), tmp_path, pages=PAGES)
    assert contents(tmp_path) == {name: b"mine"}


def test_a_picture_that_was_changed_since_is_kept(build, tmp_path):
    draw_figures(build(), tmp_path, pages=["first"])
    (tmp_path / "01-first.svg").write_text("touched up", encoding="utf-8")
    with pytest.raises(OutputError, match="has been changed since"):
        draw_figures(build(), tmp_path, pages=["first"])
    (tmp_path / LISTED).write_text("[]", encoding="utf-8")
    with pytest.raises(OutputError, match="no list of figures"):
        draw_figures(build(), tmp_path, pages=["first"])
