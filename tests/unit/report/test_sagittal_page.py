"""The sagittal overview, and what the clinic found beside the joint it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.clinic import clinic_pages
from biomech_id.report.pages.sagittal import sagittal_page
from biomech_id.report.panels.clinic import found_at
from biomech_id.report.panels.curve_panel import Drawing
from biomech_id.report.panels.layer import layers_of
from biomech_id.session.tables.session_tables import Tables

CLINIC = {
    "": {"diagnosis": "bilateral spastic CP", "GMFCS": "II"},
    "range_of_motion": {
        "hip flexion L": "115",
        "Thomas R": "20",
        "popliteal angle L": "60",
        "ankle dorsiflexion knee straight R": "0",
    },
    "Kraft": {"Hüftabduktoren rechts": "4", "Knieextensoren links": "3"},
    "ankle": {"clonus": "no"},
}


@pytest.fixture
def examined(session: Tables) -> Tables:
    return replace(session, summary={**session.summary, "clinic": CLINIC})


def words(figure) -> str:
    return "\n".join(text.get_text() for text in (*figure.texts, *(t for axes in figure.axes for t in axes.texts)))


@pytest.mark.parametrize(
    ("joint", "found"),
    [
        ("hip", ["range of motion, hip flexion L: 115", "range of motion, Thomas R: 20", "Kraft, Hüftabduktoren rechts: 4"]),
        ("knee", ["range of motion, popliteal angle L: 60", "Kraft, Knieextensoren links: 3"]),
        ("ankle", ["range of motion, ankle dorsiflexion knee straight R: 0", "ankle, clonus: no"]),
    ],
)
def test_a_finding_stands_at_its_joint(joint: str, found: list[str]) -> None:
    assert found_at(joint, CLINIC) == found


def test_angle_moment_and_power_of_three_joints_share_a_page(examined: Tables) -> None:
    layer = layers_of(examined)[0]
    figure = sagittal_page(Drawing([layer], load_style()))
    drawn = {str(c.get_gid()).split("|")[2] for axes in figure.axes for c in axes.collections if str(c.get_gid()).endswith("|mean")}
    joints = ("Hip", "Knee", "Ankle")
    assert drawn == {f"{joint}{what}" for joint in joints for what in ("Angles.X", "Moment.X", "Power")}
    assert all(found in words(figure) for joint in ("hip", "knee", "ankle") for found in found_at(joint, CLINIC))
    # Everything of one joint is under one another.
    lefts = sorted({round(axes.get_position().x0, 6) for axes in figure.axes})
    assert len(lefts) == 3


def test_every_finding_is_on_the_page_of_findings() -> None:
    (figure,) = clinic_pages(CLINIC, load_style())
    said = words(figure)
    assert all(key in said and text in said for keys in CLINIC.values() for key, text in keys.items())


def test_many_findings_go_on_over_sheets() -> None:
    many = {f"section {n}": {f"key {n}.{k}": f"value {n}.{k}" for k in range(30)} for n in range(6)}
    said = "\n".join(map(words, clinic_pages(many, load_style())))
    assert all(text in said for keys in many.values() for text in keys.values())


def test_a_whole_report_has_the_page_only_where_there_is_something(
    session: Tables, examined: Tables, drawing_only: Callable[..., None]
) -> None:
    drawing_only("clinic")
    style = load_style()
    pages = [[page.name for page in session_pages(tables, style, None, page_names())] for tables in (session, examined)]
    assert ["clinic" in each for each in pages] == [False, True]
