"""Sentences that were false of recorded sessions, each with the reason it arose: none of them stands there again."""

from __future__ import annotations

from pathlib import Path

import pypdf
import pytest
from sessions import Sessions

from biomech_id.report.pdf import draw_report

pytestmark = pytest.mark.real


def test_single_leg_drop_jumps_are_jumps_and_each_is_on_their_page(sessions: Sessions, tmp_path: Path) -> None:
    """One leg lands from a box: it was called a curb, and two of three stood on no page."""
    tables = sessions["drop_jump"].tables
    jumps = [trial["name"] for trial in tables.summary["trials"] if trial["kind"] == "jump"]
    assert jumps == ["FAILT01_SLDJ01", "FAILT01_SLDJ02", "FAILT01_SLDJ03"]
    # They land from a box: what begins and ends on the plates is nothing, so that they stand over time.
    path = draw_report(tables, tmp_path / "jumps.pdf", pages=["jumps", "course"])
    text = "".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
    assert [name for name in jumps if name not in text] == []


@pytest.mark.parametrize("name", ["five_walks_emg", "vendors/BTS"])
def test_a_refusal_inside_a_sentence_does_not_begin_with_the_folder_as_a_dot(sessions: Sessions, name: str) -> None:
    """Results hold no absolute path: where the folder was named stood ". cannot be analysed"."""
    (said,) = (each for each in sessions[name].tables.summary["findings"] if each["rule"] == "muscles-without-model")
    assert ". . " not in said["message"]
    assert "The folder cannot be analysed: its markers fit no known marker set" in said["message"]
