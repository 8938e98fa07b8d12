"""Page 1 of the demo: a virtual patient beside ten virtual walkers, with sentences that the tables hold; a walker has none."""

from __future__ import annotations

import itertools
import re
from functools import partial
from pathlib import Path

import matplotlib as mpl
import pytest
from test_layout import boxes

from biomech_id.pipeline import demo
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.pipeline.run import run_job
from biomech_id.report import draw_report
from biomech_id.report.book import session_pages
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.norm import load_norm
from biomech_id.request.job import Job
from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.walkers import walkers
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.norm import read_norm

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's folder, but for the report of all pages."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "run_job", partial(run_job, report=False))
        outcome = demo.run_demo(folder)
    assert outcome.complaints == ()
    return folder


@pytest.fixture(scope="module")
def tables(out: Path) -> Tables:
    return read_tables(out / "results")


def test_it_names_the_norm_and_every_sentence_has_its_row(tables: Tables, tmp_path: Path) -> None:
    texts: list[str] = []
    draw_report(tables, tmp_path / "page.pdf", pages=["first"], printed=texts)
    assert "Norm: ten virtual walkers, n = 10" in texts
    assert any("below 20" in text and "orientation only" in text for text in texts)
    assert tables.deviations is not None
    rows = tables.deviations
    marked = rows[rows["marked"].astype(str) == "true"]
    crouch = marked[marked["pattern"] == "CRS"]
    assert list(crouch["side"]) == ["L", "R"]
    # The seeded pelvis height keeps both knees bent by 35.5 deg and more.
    assert crouch["value"].between(34.0, 38.0).all()
    assert set(crouch["norm_n"]) == {10}
    gps = tables.scores[(tables.scores["score"] == "GPS") & (tables.scores["side"] == "")].iloc[0]
    assert f"±{(gps['high'] - gps['low']) / 2:.1f}" in texts
    said = set(re.findall(r"size \d+\.\d · (\w+)", " ".join(texts)))
    assert "CRS" in said
    assert said <= set(marked["pattern"])


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_text_of_it_covers_another(tables: Tables, language: str) -> None:
    style = load_style(language=language)
    with mpl.rc_context(style.rc):
        (page,) = session_pages(tables, style, load_norm(tables.norm, tables), ["first"])
    for (one, a), (other, b) in itertools.combinations(boxes(page.figure), 2):
        across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 3 or up <= 3, (one, other)


def test_nothing_is_said_of_a_healthy_walker(out: Path, tmp_path: Path) -> None:
    (person,) = walkers(1, seed=2)
    for sample in (person.static(), person.walk()):
        write_c3d(sample, tmp_path / f"{sample.trial.name}.c3d")
    tables = session_tables(analyse_job(Job((tmp_path,), norm=out / "norm.csv")))
    assert tables.deviations is not None
    assert tables.deviations["norm_n"].max() == 10
    assert not (tables.deviations["marked"].astype(str) == "true").any()


def test_its_walkers_leave_the_floor_and_step_as_unequally_as_people_do(out: Path) -> None:
    """A norm without spread calls every difference a deviation."""
    norm = read_norm(out / "norm.csv").set_index("variable")["sd"]
    # % of the cycle, and % between left and right.
    assert 0.5 < float(norm["foot_off"]) < 2.0
    assert 0.5 < float(norm["asymmetry.step_length"]) < 4.0
    assert 0.5 < float(norm["asymmetry.single_support"]) < 4.0
