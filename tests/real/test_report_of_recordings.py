"""The whole report of every recorded child: each page there, each font embedded, no panel without a curve or a reason."""

from __future__ import annotations

from pathlib import Path

import pypdf
import pytest
from sessions import Sessions

from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.style import load_style

#: Panels of muscles on the sagittal page are this high at most; those of joints are twice as high.
MUSCLE_INCHES = 20.0 / 25.4
#: Of one child's report (issue F).
MOST_BYTES = 2_000_000
TITLES = (
    "Gait summary", "Session and quality by layer", "Time and distance", "Kinematics, every cycle", "Kinetics, every cycle",
    "Ground reaction", "Values", "Methods",
)  # fmt: skip


@pytest.mark.slow
def test_every_child_has_a_whole_report(sessions: Sessions, subtests: pytest.Subtests) -> None:
    children = [name for name in sessions if name.startswith("children/")]
    assert children
    for name in children:
        with subtests.test(name):
            child = sessions[name]
            check_file(child.report, str(child.tables.summary["subject"]["code"]), child.tables)
            check_panels(child.tables)


def means(tables) -> dict[str, bool]:
    """Title of each page of means -> whether it is due: one curve has no mean."""
    used = tables.cycle_list[tables.cycle_list["used"] & (tables.cycle_list["kind"] == "straight")]
    loaded = used[used["kinetics_valid"] == "true"]
    return {
        "Kinematics, mean ± SD": bool((used.groupby("side").size() > 1).any()),
        "Kinetics, mean ± SD": bool((loaded.groupby("side").size() > 1).any()),
    }


def check_file(path: Path, code: str, tables) -> None:
    assert path.stat().st_size < MOST_BYTES
    pages = pypdf.PdfReader(path).pages
    texts = [" ".join(page.extract_text().split()) for page in pages]
    for title in TITLES:
        assert any(title in text for text in texts), title
    for title, due in means(tables).items():
        assert any(title in text for text in texts) == due, title
    for number, text in enumerate(texts, 1):
        assert code in text
        assert f"Page {number} / {len(texts)}" in text
    whole = " ".join(texts)
    assert all(word in whole for word in ("Internal moments", "N m/kg", "W/kg", "%BW", "deg"))
    for page in pages:
        for font in page["/Resources"]["/Font"].values():
            for descendant in font.get_object()["/DescendantFonts"]:
                assert "/FontFile2" in descendant.get_object()["/FontDescriptor"].get_object()


def is_muscle(panel: Panel) -> bool:
    return panel.get_position().height * panel.figure.get_figheight() < MUSCLE_INCHES


def check_panels(tables) -> None:
    panels = 0
    for page in session_pages(tables, load_style(), None, page_names()):
        for panel in (axes for axes in page.figure.axes if isinstance(axes, Panel)):
            panels += 1
            data = [c for c in panel.collections if "|" in str(c.get_gid()) and not str(c.get_gid()).endswith("foot off")]
            reasons = [t.get_text() for t in panel.texts if t.get_bbox_patch() is not None and len(t.get_text()) > 20]
            if page.name.startswith("emg") or (page.name == "sagittal" and is_muscle(panel)):
                # Muscles: a trace or bars without a name of their own, or the short word for what is wrong with the channel.
                data, reasons = panel.collections, [t.get_text() for t in panel.texts]
            assert data or reasons, (page.name, [t.get_text() for t in panel.texts])
    assert panels > 60
