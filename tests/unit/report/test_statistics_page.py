"""One person against a norm, sessions against each other: what is tabled is printed, and every p says what it is a chance of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.consistency import REPEATED, consistency_page
from biomech_id.report.pages.statistics import p_written
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.page import PAGE_KINDS, Content
from biomech_id.session.output.statistics_rows import with_statistics
from biomech_id.statistics.reliability import reliability
from biomech_id.statistics.sessions import change_of_curve


def texts(figure: Figure) -> list[tuple[str, bool]]:
    return [(text.get_text(), text.get_weight() == "bold") for text in figure.texts]


def words(figure: Figure) -> str:
    return " ".join(text for text, _ in texts(figure))


def reaching(norm: pd.DataFrame) -> pd.DataFrame:
    """A norm that says how far whole curves reach."""
    return norm.assign(whole_curve_sd=norm["percent"].notna().map({True: 3.1, False: np.nan}))


def test_every_row_of_the_table_is_printed_with_what_p_means(session: Any, build_norm: Any, drawing_only: Any) -> None:
    drawing_only("statistics")
    norm = reaching(build_norm())
    scored = with_statistics(session, norm)
    assert scored.statistics is not None
    pages = [page for page in session_pages(scored, load_style(), None, page_names()) if page.name == "statistics"]
    assert pages
    said = [text for page in pages for text in texts(page.figure)]
    outside = scored.statistics[scored.statistics["outside"] == "true"]
    assert len(outside) > 3
    for row in outside.itertuples():
        assert (f"{row.t:.1f}".replace("-", "−"), True) in said, row
    assert "part of the norm's population" in " ".join(" ".join(text for text, _ in said).split())


def test_without_a_norm_a_report_has_no_such_page_and_who_asks_is_told(session: Any, drawing_only: Any) -> None:
    drawing_only("statistics")
    style = load_style()
    assert "statistics" not in [page.name for page in session_pages(session, style, None, page_names())]
    (page,) = session_pages(session, style, None, ["statistics"])
    assert "--norm" in words(page.figure)


def test_sessions_are_compared_within_these_recordings_and_beyond_the_markers(build: Any) -> None:
    before = build(cycles=5)
    rng = np.random.default_rng(3)
    rows = before.cycles
    knee = (rows["variable"] == "KneeAngles") & (rows["component"] == "X") & (rows["side"] == "L")
    # Small for a moment in N m/kg too: larger noise is a change by chance in one curve of twenty.
    waves = [rng.normal(0.0, 0.02, len(rows)) for _ in range(2)]
    after = replace(before, cycles=rows.assign(value=rows["value"] + waves[1] + 15.0 * knee))
    after = replace(after, summary={**after.summary, "subject": {**after.summary["subject"], "session_date": "2025-01-01"}})
    before = replace(before, cycles=rows.assign(value=rows["value"] + waves[0]))
    layers = [Layer(tables, "straight", "barefoot", name) for name, tables in zip("AB", (before, after), strict=True)]
    kind = PAGE_KINDS["statistics"]
    figures = dict(kind.compare(kind, Content(before, layers, load_style(), None)))
    left, right = (figures[f"Statistics: {side}"] for side in ("Left", "Right"))
    bold = [text for text, heavy in texts(left) if heavy and "(" in text]
    change = change_of_curve(layers[0].recording, layers[1].recording, ("L", "KneeAngles", "X"))
    at = round(change.percent)
    assert bold == [f"+{change.difference[at]:.1f} ({change.carried[at]:.1f}) @ {at}"]
    assert not [text for text, heavy in texts(right) if heavy and "(" in text]
    assert "within these two recordings" in " ".join(words(left).split())


def test_small_chances_are_not_written_as_none() -> None:
    style = load_style()
    assert [p_written(p, style) for p in (1e-9, 0.0004, 0.0006, 0.05, float("nan"))] == [
        "< 0.001",
        "< 0.001",
        "0.001",
        "0.050",
        "–",
    ]


def test_how_repeatable_curves_are_stands_beside_them(session: Any) -> None:
    layer = Layer(session, "straight", "barefoot")
    said = [text for text, _ in texts(consistency_page(layer, load_style()))]
    for name in REPEATED[:3]:
        for side in "LR":
            how = reliability([session.curves(side, *name, cycles=layer.used)])
            assert f"{how.cycle_sem:.1f}" in said
            assert f"{how.cmc:.2f}" in said
    assert any("intraclass" in text for text in said)
