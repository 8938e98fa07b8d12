"""How many pages a report and a comparison have, of sessions of every kind; all 44 that run were counted once, 4 to 15 pages."""

from __future__ import annotations

from pathlib import Path

import pypdf
import pytest
from sessions import Sessions

from biomech_id.report.book import session_pages, wanted_pages
from biomech_id.report.compare import compare_report
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.page import ReportPart

pytestmark = pytest.mark.slow

#: One of each kind; nothing of the first could be analysed.
SESSIONS = ("pycgm", "children/HC002D", "norm_subjects/NP1006", "helen_hayes", "drop_jump")
#: Pages of a report, and those that an optional model adds where it ran.
MOST, OPTIONAL = 14, {"trunk_and_pelvis", "upper_limbs", "muscles", "inside_foot", "parity"}
#: Number of sessions -> pages of their comparison.
MOST_COMPARED = {2: 10, 6: 14}


def test_a_report_has_at_most_fourteen_pages_and_one_for_each_optional_model(sessions: Sessions) -> None:
    style, counts = load_style(), {}
    for session in (sessions[name] for name in SESSIONS):
        names = [page.name for page in session_pages(session.tables, style, None, wanted_pages(None), ReportPart.STANDARD)]
        models = OPTIONAL.intersection(names)
        counts[session.name] = (len(names), MOST + len(models))
        assert all(names.count(model) == 1 for model in models), session.name
    assert {name: count for name, count in counts.items() if count[0] > count[1]} == {}
    assert len(counts) == len(SESSIONS)


@pytest.mark.parametrize("number", MOST_COMPARED)
def test_comparisons_have_an_end(sessions: Sessions, number: int, tmp_path: Path) -> None:
    """Of the norm's people, who are recorded alike."""
    names = [name for name in sessions if name.startswith("norm_subjects/")]
    walked = [sessions[name].tables for name in names[:number]]
    assert len(walked) == number
    path = compare_report(walked, tmp_path / "compared.pdf")
    assert len(pypdf.PdfReader(path).pages) <= MOST_COMPARED[number]
