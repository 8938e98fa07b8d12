"""The page that replays a session, in a real browser: alone, with the tables' numbers, and with decisions that `run` follows."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pypdf
import pytest
from PIL import Image

from benchmarks.review_page import many_strides, middles
from biomech_id import analyse
from biomech_id.emg.timing import normal_bands
from biomech_id.movement.movement import Movement
from biomech_id.osim.skeletal_model import SkeletalModel
from biomech_id.pipeline import demo
from biomech_id.pipeline.norms import make_norm
from biomech_id.pipeline.review_page import write_review
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.review.document import own_script
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.folder.replay import Replay, read_replay, write_replays
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables
from docs.review_pictures import VIEWS
from docs.review_pictures import picture as picture_of
from tests.peers.browser import Page, another, browser, open_page

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
TRIALS = ("walk01", "walk02")
QUICK = Recipe(report=False, budget=False)
PICTURES = ROOT / "docs" / "gallery" / "review"
#: Frames of cycles with kinetics, of swing, of the ends.
FRAMES = (0, 61, 118, 150, 175, 190, 214, 260, 339)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("session") / "anna"
    run_job(Job(tuple(DATA / f"{name}.c3d" for name in ("static", *TRIALS)), QUICK), folder)
    return folder


@pytest.fixture(scope="module")
def tables(out: Path) -> Tables:
    return read_tables(out)


@pytest.fixture(scope="module")
def norm(out: Path) -> Path:
    """A norm of the subject alone, with a width that can be seen."""
    path = out.parent / "norm.csv"
    make_norm([out], path)
    table = pd.read_csv(path)
    # As an older version made it, which does not tell who is in it: nobody is compared with himself.
    older = table[~table["variable"].str.startswith("contributor.")].drop(columns="contributors")
    older.assign(sd=5.0).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def html(out: Path, norm: Path) -> Path:
    return write_review(out, out.parent / "anna.html", norm=norm)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture
def page(chromium: Any, html: Path) -> Iterator[Page]:
    opened = open_page(chromium, html)
    yield opened
    opened.page.context.close()


def test_it_opens_alone_and_says_nothing(page: Page, html: Path) -> None:
    page.page.wait_for_timeout(300)  # the other trials are unpacked behind the first picture
    for group in ("angles", "moments", "powers", "ground", "emg", "forces", "upper"):
        page.show(group, "percent")
        page.show(group, "time")
    page.page.click("#play")
    page.page.wait_for_timeout(200)
    assert page.console == []
    assert page.requests == [html.as_uri()]
    text = html.read_text(encoding="utf-8")
    assert not re.search(r"https?:", text)
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text


def test_it_cannot_reach_anything(page: Page) -> None:
    asked = "() => fetch('https://example.org/').then(() => 'reached', () => 'refused')"
    assert page.page.evaluate(asked) == "refused"
    assert any("Content Security Policy" in said for said in page.console)


def expected_in_time(tables: Tables, frame: int, key: str, side: str) -> tuple[float, float]:
    column = tables.frames["walk01"][side + key]
    return float(column[frame]), float(column.max() - column.min())


def test_scales_are_the_report_s_and_wider_only_where_a_curve_leaves_them(page: Page, tables: Tables) -> None:
    def ends(title: str) -> tuple[float, float]:
        plot = page.page.locator(f".plot[aria-label^='{title}']")
        return float(plot.get_attribute("data-low")), float(plot.get_attribute("data-high"))

    for frame in FRAMES[1:6]:  # the same in every stride
        page.scrub(frame)
        assert ends("Knee flexion") == (-20.0, 80.0)
        assert ends("Ankle dorsiflexion")[1] == 40.0
    page.show("ground", "time")
    vertical = tables.frames["walk01"][[name for name in tables.frames["walk01"] if name.endswith("GroundReactionForce.Z")]]
    assert ends("Ground reaction Z")[1] == pytest.approx(max(14.70998, float(vertical.max().max())), rel=0.1)
    assert ends("Ground reaction Z")[0] <= 0.0


def span(curve: np.ndarray[Any, Any]) -> float:
    return float(np.nanmax(curve) - np.nanmin(curve))


def current_cycle(tables: Tables, side: str, time_s: float) -> Any:
    cycles = tables.cycle_list
    mine = cycles[
        (cycles["trial"] == "walk01") & (cycles["side"] == side) & (cycles["start_s"] <= time_s) & (cycles["end_s"] > time_s)
    ]
    whole = mine[mine["kinetics_valid"] != "stance_only"]
    rows = whole if len(whole) else mine
    return rows.iloc[0] if len(rows) else None


def test_every_number_under_the_cursor_in_time_is_the_table_s(page: Page, tables: Tables) -> None:
    checked = 0
    for group in ("angles", "moments", "powers", "ground", "forces"):
        page.show(group, "time")
        for frame in FRAMES:
            page.scrub(frame)
            for key, side, value in page.numbers():
                expected, span = expected_in_time(tables, frame, key, side)
                assert (np.isnan(value) and np.isnan(expected)) or abs(value - expected) <= 1e-6 * span, (key, side, frame)
                checked += np.isfinite(expected)
    assert checked > 400


def test_every_number_under_the_cursor_in_percent_is_the_table_s(page: Page, tables: Tables) -> None:
    checked, times = 0, tables.frames["walk01"]["time"]
    cycles = tables.cycles[tables.cycles["trial"] == "walk01"]
    for group in ("angles", "moments", "powers", "ground", "forces"):
        page.show(group, "percent")
        for frame in FRAMES:
            page.scrub(frame)
            for key, side, value in page.numbers():
                cycle = current_cycle(tables, side, times[frame])
                variable, _, component = key.partition(".")
                rows = cycles[(cycles["side"] == side) & (cycles["variable"] == variable) & (cycles["component"] == component)]
                curve = rows[rows["cycle"] == (0 if cycle is None else cycle["cycle"])]["value"].to_numpy()
                percent = 0.0 if cycle is None else 100.0 * (times[frame] - cycle["start_s"]) / (cycle["end_s"] - cycle["start_s"])
                expected = curve[int(np.floor(percent + 0.5))] if len(curve) else np.nan
                assert (np.isnan(value) and np.isnan(expected)) or abs(value - expected) <= 1e-6 * span(curve), (key, side, frame)
                checked += np.isfinite(expected)
    assert checked > 400


#: Windows of a small notebook and of a laboratory's screen, which hold the page without scrolling.
WINDOWS = ({"width": 1280, "height": 720}, {"width": 1920, "height": 1080})


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("window", WINDOWS, ids=["1280x720", "1920x1080"])
def test_walker_curves_and_decisions_stand_on_one_screen(chromium: Any, html: Path, window: dict[str, int], language: str) -> None:
    page = open_page(chromium, html, viewport=window)
    page.page.select_option("#language", language)
    page.tab("events")

    def box(of: Any) -> dict[str, float]:
        found: dict[str, float] = of.bounding_box()
        return found

    for group, along in (("angles", "percent"), ("angles", "time"), ("emg", "time")):
        page.show(group, along)
        charts = page.page.locator(".chart").all()
        assert len(charts) >= (12 if group == "angles" else 8)
        least_px = {".stage": 300.0, ".strip": 60.0, "#panel-events": 180.0, "[data-decide='event 0 +1']": 20.0, "#reason": 20.0}
        shown = [*((box(chart), 90.0) for chart in charts), *((box(page.page.locator(name)), px) for name, px in least_px.items())]
        table = box(page.page.locator(".panels"))
        for place, px in shown:
            assert place["height"] >= px or place["y"] == table["y"]
            assert 0 <= place["x"] <= place["x"] + place["width"] <= window["width"] + 1
            assert 0 <= place["y"] < window["height"] - px
        assert max(box(chart)["y"] + box(chart)["height"] for chart in charts) <= box(page.page.locator("#tab-events"))["y"] + 1
        assert page.page.locator(".u-over").first.bounding_box()["height"] >= 50.0
    scrolled = "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
    assert page.page.evaluate(scrolled) == [window["height"], window["width"]]
    page.page.context.close()


def test_a_step_into_another_stride_draws_no_more_for_many_strides(chromium: Any, out: Path, html: Path, tmp_path: Path) -> None:
    many_strides(out, tmp_path / "many", 20)
    drawn = []
    for path in (html, write_review(tmp_path / "many", tmp_path / "many.html")):
        page = open_page(chromium, path)
        page.show("angles", "percent")
        first, second = middles(page)[:2]
        page.scrub(first)
        page.page.evaluate(
            """() => {
              document.querySelectorAll(".plot canvas").forEach((each) => { each.known = true; });
              for (const what of ["stroke", "fill", "drawImage"]) {
                const own = CanvasRenderingContext2D.prototype[what];
                window[what] = 0;
                CanvasRenderingContext2D.prototype[what] = function (...all) {
                  window[what] += 1;
                  return own.apply(this, all);
                };
              }
            }"""
        )
        before = page.numbers()
        page.scrub(second)
        assert page.numbers() != before
        charts = page.page.locator(".chart").count()
        assert (
            page.page.evaluate("() => [...document.querySelectorAll('.plot canvas')].filter((each) => each.known).length") == charts
        )
        drawn.append([page.page.evaluate(f"() => window.{what}") for what in ("stroke", "fill", "drawImage")])
        page.page.evaluate("() => { window.stroke = 0; }")
        page.scrub(second + 2)
        assert page.page.evaluate("() => window.stroke") == 0, "within a stride only the cursor moves"
        page.page.context.close()
    few, many = drawn
    assert few[2] == many[2] == charts, "the other strides are one picture a chart"
    assert few[0] == many[0]
    assert few[1] >= many[1] > 0


def test_muscles_under_the_cursor_are_the_tables(page: Page, tables: Tables) -> None:
    time_s = tables.frames["walk01"]["time"][175]
    assert tables.emg is not None
    assert tables.emg_raw is not None
    page.show("emg", "percent")
    page.scrub(175)
    mine = tables.emg[tables.emg["trial"] == "walk01"]
    found = page.numbers()
    assert len(found) == mine["label"].nunique() > 3
    for key, side, value in found:
        cycle = current_cycle(tables, side, time_s)
        curve = mine[(mine["label"] == key.removeprefix("emg:")) & (mine["cycle"] == cycle["cycle"])]["value"].to_numpy()
        percent = 100.0 * (time_s - cycle["start_s"]) / (cycle["end_s"] - cycle["start_s"])
        assert abs(value - curve[int(np.floor(percent + 0.5))]) <= 1e-6 * span(curve), key
    page.show("emg", "time")
    raw = tables.emg_raw[tables.emg_raw["trial"] == "walk01"]
    for key, side, value in page.numbers():
        rows = raw[raw["label"] == key.removeprefix("raw:")]
        now = rows[rows["time_s"] <= time_s + 1e-9].iloc[-1]
        assert abs(value - now[side]) <= 1e-6 * (rows["highest"].max() - rows["lowest"].min()), key


#: Shares of a plot's width that are dark just above its lower edge, and that are shaded just below its upper one.
SHARES = """(plot) => {
  const [canvas, over] = [plot.querySelector("canvas"), plot.querySelector(".u-over")];
  const [whole, inside] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
  const share = (y, is) => {
    const { data } = canvas.getContext("2d").getImageData(inside.x - whole.x, y - whole.y, inside.width, 1);
    const levels = Array.from({ length: data.length / 4 }, (_, i) => 255 - (data[4 * i + 3] * (255 - data[4 * i])) / 255);
    return (100 * levels.filter(is).length) / levels.length;
  };
  return [share(inside.bottom - 2, (level) => level < 80), share(inside.top + 3, (level) => level < 240)];
}"""


def test_a_muscle_is_shown_on_and_beside_its_usual_timing(page: Page, tables: Tables) -> None:
    assert tables.emg_activity is not None
    walk = tables.emg_activity[tables.emg_activity["trial"] == "walk01"]
    page.show("emg", "percent")
    for frame in (175, 214):
        page.scrub(frame)
        for label, muscle in (("L TA", "tibialis_anterior"), ("R HAMS", "hamstrings")):
            cycle = current_cycle(tables, label[0], tables.frames["walk01"]["time"][frame])
            rows = walk[(walk["label"] == label) & (walk["cycle"] == cycle["cycle"])]
            foot_off = 100.0 * (cycle["foot_off_s"] - cycle["start_s"]) / (cycle["end_s"] - cycle["start_s"])
            usual = sum(off - on for on, off in normal_bands(muscle, foot_off))
            dark, shaded = page.page.locator(f".plot[aria-label*='({label})']").evaluate(SHARES)
            assert dark == pytest.approx(float((rows["off_percent"] - rows["on_percent"]).sum()), abs=3.0), (label, frame)
            assert shaded == pytest.approx(usual, abs=5.0), (label, frame)
    page.show("emg", "time")
    rows = walk[(walk["label"] == "L TA") & (walk["cycle"] == 0)]
    time_s = tables.frames["walk01"]["time"]
    dark, _ = page.page.locator(".plot[aria-label*='(L TA)']").evaluate(SHARES)
    assert dark == pytest.approx(100.0 * float((rows["off_s"] - rows["on_s"]).sum()) / float(time_s.max() - time_s.min()), abs=3.0)
    # A channel that is none of a muscle has neither, and says in the page's language what it holds.
    assert page.page.locator(".plot[aria-label*='(R RF)']").evaluate(SHARES)[0] < 5.0
    page.page.select_option("#language", "de")
    page.settle()
    heads = page.page.locator(".chart h3").all_text_contents()
    assert {head.rpartition("· ")[2] for head in heads} == {"nutzbar", "Brumm", "kein Signal"}


def test_muscles_alone_are_shown_over_time_with_why_there_is_no_more(chromium: Any, tables: Tables, tmp_path: Path) -> None:
    assert tables.emg_raw is not None
    none = {name: getattr(tables, name).iloc[:0] for name in ("cycles", "budget", "spatiotemporal", "peaks", "stances", "gaps")}
    alone = dataclasses.replace(
        tables, frames={}, emg=None, emg_pairs=None, uncertainty=None, summary={**tables.summary, "trials": []}, **none
    )
    write_folder(alone, tmp_path / "muscles")
    page = open_page(chromium, write_review(tmp_path / "muscles", tmp_path / "muscles.html"))
    raw = tables.emg_raw[tables.emg_raw["trial"] == "walk01"]
    assert page.page.locator(".chart").count() == raw["label"].nunique()
    page.scrub(300)
    time_s = float(page.page.text_content("#clock").removesuffix(" s"))
    assert time_s == pytest.approx(raw["time_s"].min() + 300 * 0.005, abs=1e-3)
    for key, side, value in page.numbers():
        rows = raw[raw["label"] == key.removeprefix("raw:")]
        now = rows[side].iloc[(rows["time_s"] - time_s).abs().argmin()]
        assert value == pytest.approx(now, abs=1e-6 * (rows["highest"].max() - rows["lowest"].min())), key
    for language, why in (("en", "No movement could be computed"), ("de", "keine Bewegung")):
        page.page.select_option("#language", language)
        assert why in page.page.inner_text(".stage")
        page.show("angles", "percent")
        assert why in page.page.inner_text("#charts")
    # There is nothing to decide: `run` would follow none of it.
    page.page.keyboard.press("e")
    assert page.page.locator("[data-decide], #add-event, #add-comment, #author").count() == 0
    assert page.page.locator("[role=tab][id^=tab-]").count() == 2
    assert page.console == []


def test_curves_and_picture_follow_a_click_in_a_curve_and_a_finding_leads_to_its_frame(page: Page, tables: Tables) -> None:
    page.show("angles", "time")
    box = page.page.locator(".u-over").first.bounding_box()
    page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    page.settle()
    time_s = tables.frames["walk01"]["time"].to_numpy()
    middle = int(page.page.input_value("#scrub"))
    assert abs(time_s[middle] - (time_s[0] + time_s[-1]) / 2.0) < 0.05
    page.page.select_option("#marker", label="LHEE")
    page.settle()
    shown = [float(word) for word in page.page.text_content("#marker-place").replace("mm", "").split()]
    replay = marker_place("LHEE", middle)
    np.testing.assert_allclose(shown, replay, atol=0.1)


def test_the_time_line_is_zoomed_around_the_cursor_and_no_name_stands_under_an_event(page: Page, tables: Tables) -> None:
    time_s = tables.frames["walk01"]["time"].to_numpy()
    strip = page.page.locator(".strip").bounding_box()
    for name in page.page.locator(".lane-names span").all():
        box = name.bounding_box()
        assert box["x"] + box["width"] <= strip["x"], "a triangle at the left end hides no name"
    page.show("angles", "time")
    page.page.click("#zoom-in")
    for frame in (0, 170, 250, len(time_s) - 1):
        page.scrub(frame)
        cursor = page.page.locator(".now").bounding_box()
        assert strip["x"] - 2 <= cursor["x"] <= strip["x"] + strip["width"] + 2, "the stretch follows the cursor"
        drawn = page.page.locator(".cursor.side-M").first.bounding_box()
        plot = page.page.locator(".u-over").first.bounding_box()
        share = (cursor["x"] - strip["x"]) / strip["width"]
        assert (drawn["x"] - plot["x"]) / plot["width"] == pytest.approx(share, abs=0.02), "curves show the same stretch"
    page.scrub(100)
    page.page.mouse.click(strip["x"] + 3, strip["y"] + strip["height"] - 3)
    page.settle()
    left_end = time_s[int(page.page.input_value("#scrub"))]
    assert time_s[100] - left_end == pytest.approx((time_s[-1] - time_s[0]) / 4.0, abs=0.06)
    page.page.keyboard.press("-")
    page.settle()
    page.page.mouse.click(strip["x"] + 3, strip["y"] + strip["height"] - 3)
    page.settle()
    assert int(page.page.input_value("#scrub")) <= 3


def marker_place(name: str, frame: int) -> np.ndarray[Any, Any]:
    from biomech_id import read_c3d

    markers = read_c3d(DATA / "walk01.c3d").markers
    return 1000.0 * markers.position_m[frame, markers.names.index(name)]


#: What is decided in both ways: rows of the two trials (see the fixture `tables`).
def by_clicks(page: Page) -> None:
    page.page.fill("#author", "AB")
    page.page.fill("#reason", "stumbled")
    page.decide("cycle L 1").click()
    page.page.fill("#reason", "")
    page.decide("stance 3").click()
    page.decide("verdict 4").select_option("none")
    page.tab("comment")
    page.page.fill("#comment-text", 'looks "down"\\ at the floor')
    page.page.click("#add-comment")
    page.page.select_option("#trial", label=page.page.locator("#trial option").nth(1).text_content())
    page.page.wait_for_selector('[data-decide="event 4 +1"]', state="attached")
    for _ in range(5):
        page.decide("event 4 +1").click()
    page.decide("event 1 ×").click()
    page.page.fill("#scrub", "300")
    page.settle()
    page.tab("events")
    page.page.select_option("#add-kind", "Foot Off")
    page.page.click("#add-event")


def by_keys(page: Page) -> None:
    keys = page.page.keyboard
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("r")
    assert page.page.evaluate("() => document.activeElement.id") == "reason"
    keys.press("Shift+Tab")
    keys.type("AB")
    keys.press("Tab")
    keys.type("stumbled")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("c")
    page.tab_to("cycle L 1")
    keys.press("Space")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("r")
    keys.press("Control+a")
    keys.press("Delete")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("s")
    page.tab_to("stance 3")
    keys.press("Space")
    page.tab_to("verdict 4")
    keys.press("ArrowDown")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("k")
    keys.type('looks "down"\\ at the floor')
    keys.press("Enter")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("PageDown")
    page.page.wait_for_selector('[data-decide="event 4 +1"]', state="attached")
    page.settle()
    keys.press("e")
    page.tab_to("event 4 +1")
    for _ in range(5):
        keys.press("Enter")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("e")
    page.tab_to("event 1 ×")
    keys.press("Enter")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("Home")
    for _ in range(30):
        keys.press("Shift+ArrowRight")
    keys.press("e")
    page.tab_to("add-kind")
    keys.press("ArrowDown")
    page.tab_to("add-event")
    keys.press("Enter")
    page.page.evaluate("() => document.activeElement.blur()")
    keys.press("d")
    page.tab_to("download")


@pytest.mark.parametrize(("way", "press"), [(by_clicks, "click"), (by_keys, "Enter")], ids=["clicks", "keys"])
def test_each_kind_of_decision_is_downloaded_and_followed_by_run(
    page: Page, tables: Tables, tmp_path: Path, way: Callable[[Page], None], press: str
) -> None:
    way(page)
    with page.page.expect_download() as expected:
        if press == "click":
            page.tab("decided")
            page.page.click("#download")
        else:
            page.page.keyboard.press(press)
    review = tmp_path / "review.toml"
    expected.value.save_as(review)
    assert expected.value.suggested_filename == "review.toml"
    said = tomllib.loads(review.read_text(encoding="utf-8"))
    assert {name: len(rows) for name, rows in said.items() if name != "schema"} == {
        "cycle": 1, "stance": 1, "verdict": 1, "comment": 1, "event": 3,
    }  # fmt: skip
    assert (said["cycle"][0]["author"], said["cycle"][0]["reason"]) == ("AB", "stumbled")
    assert "reason" not in said["event"][0]
    recordings = tuple(DATA / f"{name}.c3d" for name in ("static", *TRIALS))
    run_job(Job(recordings, QUICK, review=review), tmp_path / "out")
    after = read_tables(tmp_path / "out")
    assert_followed(tables, after)
    assert page.console == []


def test_decisions_stay_over_a_reload_until_they_are_forgotten(
    page: Page, html: Path, chromium: Any, out: Path, tmp_path: Path
) -> None:
    page.page.on("dialog", lambda asked: asked.accept())

    def reloaded() -> dict[str, Any]:
        page.page.reload()
        page.page.wait_for_selector("html[data-whole]", state="attached")
        return tomllib.loads(page.page.text_content("#toml"))

    page.page.fill("#author", "AB")
    page.page.fill("#reason", "stumbled")
    page.decide("cycle L 1").click()
    (cycle,) = reloaded()["cycle"]
    assert (cycle["author"], cycle["reason"], cycle["use"]) == ("AB", "stumbled", False)
    assert not page.decide("cycle L 1").is_checked()
    assert [page.page.input_value(f"#{name}") for name in ("author", "reason")] == ["AB", "stumbled"]
    assert page.page.text_content("#live").startswith("1 decision")
    # Another session in the same browser has decisions of its own.
    many_strides(out, tmp_path / "many", 4)
    page.page.goto(write_review(tmp_path / "many", tmp_path / "many.html").as_uri())
    assert "cycle" not in tomllib.loads(page.page.text_content("#toml"))
    page.page.goto(html.as_uri())
    page.tab("comment")
    page.page.click("#forget")
    assert "cycle" not in tomllib.loads(page.page.text_content("#toml"))
    assert "cycle" not in reloaded()
    assert page.page.input_value("#author") == ""
    assert page.console == []


def assert_followed(before: Tables, after: Tables) -> None:
    """All six kinds, in the tables of the run that followed them."""
    first, second = (trial["name"] for trial in after.summary["trials"])
    cycle = after.cycle_list.set_index(["trial", "side", "cycle"])["used"]
    assert not cycle[first, "L", 1]
    assert before.cycle_list.set_index(["trial", "side", "cycle"])["used"][first, "L", 1]
    stances = [tables.stances[tables.stances["trial"] == first].reset_index(drop=True) for tables in (before, after)]
    for number in (3, 4):
        assert [stance["plate"][number] != "" for stance in stances] == [True, False]
    comments = [found["values"]["text"] for found in after.summary["trials"][0]["findings"] if found["rule"] == "comment-by-hand"]
    assert comments == ['looks "down"\\ at the floor']
    rate_hz = after.summary["trials"][1]["rate_hz"]
    old, new = (tables.summary["trials"][1]["events"] for tables in (before, after))
    moved, deleted = old[4], old[1]
    assert moved["kind"] == "Foot Strike"
    times = {(event["side"], event["kind"], round(event["time_s"], 4)): event["source_kind"] for event in new}
    assert times[moved["side"], moved["kind"], round(moved["time_s"] + 5 / rate_hz, 4)] == "hand"
    assert (deleted["side"], deleted["kind"], round(deleted["time_s"], 4)) not in times
    assert len(new) == len(old)
    added_s = before.frames[second]["time"][300]
    assert times["L", "Foot Off", round(added_s, 4)] == "hand"
    # An event moved by five frames moves the cycle by five frames.
    starts = [
        tables.cycle_list[(tables.cycle_list["trial"] == second) & (tables.cycle_list["side"] == moved["side"])]["start_s"]
        for tables in (before, after)
    ]
    assert moved["time_s"] in list(starts[0])
    assert any(abs(start - moved["time_s"] - 5 / rate_hz) < 1e-9 for start in starts[1])


def test_what_an_earlier_review_said_is_kept_and_can_be_taken_back(chromium: Any, tmp_path: Path) -> None:
    review = tmp_path / "review.toml"
    strike = 1.64
    review.write_text(
        'schema = 1\n[[cycle]]\ntrial = "walk01"\nside = "L"\nstart_s = 0.6\nuse = false\nauthor = "AB"\n'
        f'[[event]]\ntrial = "walk01"\nside = "L"\nkind = "Foot Strike"\ntime_s = {strike}\nnew_time_s = {strike + 0.03}\n'
        '[[stance]]\ntrial = "walk01"\nside = "R"\nstart_s = 1.12\nuse = false\n', encoding="utf-8",
    )  # fmt: skip
    run_job(
        Job(tuple(DATA / f"{name}.c3d" for name in ("static", "walk01")), QUICK.replaced(uncertainty=False), review=review),
        tmp_path / "out",
    )
    page = open_page(chromium, write_review(tmp_path / "out", tmp_path / "page.html"))
    said = tomllib.loads(page.page.text_content("#toml"))
    assert [(cycle["use"], cycle["author"]) for cycle in said["cycle"]] == [(False, "AB")]
    assert [(event["time_s"], event["new_time_s"]) for event in said["event"]] == [(strike, strike + 0.03)]
    assert len(said["verdict"]) == 1
    assert not page.decide("cycle L 1").is_checked()
    # One frame further: the decision is still about the event as it was found.
    page.tab("events")
    numbers = page.page.locator('[data-decide$="+1"]')
    shown = [row.text_content() for row in page.page.locator("#panel-events tbody tr").all()]
    number = next(i for i, text in enumerate(shown) if "by hand" in text)
    numbers.nth(number).click()
    again = tomllib.loads(page.page.text_content("#toml"))["event"]
    assert [(event["time_s"], round(event["new_time_s"], 6)) for event in again] == [(strike, round(strike + 0.04, 6))]
    page.decide("cycle L 1").click()
    assert "cycle" not in tomllib.loads(page.page.text_content("#toml"))
    assert page.console == []


def test_an_event_is_not_added_beside_another_and_an_unsaved_review_is_not_lost_by_chance(page: Page, tables: Tables) -> None:
    strike = next(
        event for event in tables.summary["trials"][0]["events"] if (event["side"], event["kind"]) == ("L", "Foot Strike")
    )
    page.scrub(round((strike["time_s"] - tables.frames["walk01"]["time"][0]) * 100.0) + 2)
    page.tab("events")
    page.page.click("#add-event")
    assert "There is one at" in page.page.text_content("#live")
    assert page.page.text_content("#toml").strip() == "schema = 1"
    page.decide("cycle L 1").click()
    asked: list[str] = []
    page.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.page.close(run_before_unload=True)
    page.page.wait_for_timeout(300)
    assert asked == ["beforeunload"]


def test_it_says_what_would_change(page: Page) -> None:
    page.decide("cycle L 1").click()
    decided = page.page.text_content("#panel-decided")
    assert "left cycle from 0.60 s out of the means (4 → 3 cycles)" in decided
    assert "biomech-id report anna --review review.toml" in decided
    page.decide("event 2 +1").click()
    decided = page.page.text_content("#panel-decided")
    assert "(+1 frames): the cycle that begins there" in decided
    assert "biomech-id run SUBJECT_DIR -o anna --review review.toml" in decided
    page.decide("remove 0").click()
    assert page.decide("cycle L 1").is_checked()


def test_two_sessions_stand_side_by_side_and_over_one_another(chromium: Any, out: Path, tmp_path: Path) -> None:
    page = open_page(chromium, write_review([out, out], tmp_path / "two.html"))
    alone = picture(page.page.locator(".stage canvas"))
    page.page.select_option("#beside", "1:1")
    page.settle()
    page.page.wait_for_timeout(200)
    beside = picture(page.page.locator(".stage canvas"))
    page.page.check("#overlay")
    page.settle()
    over = picture(page.page.locator(".stage canvas"))
    orange = [
        int(((image[..., 0] > 180) & (image[..., 1] > 60) & (image[..., 1] < 140) & (image[..., 2] < 80)).sum())
        for image in (alone, beside, over)
    ]
    assert orange[0] < 20
    assert min(orange[1:]) > 100
    page.page.select_option("#session", "1")
    page.settle()
    assert page.console == []
    # Equal arrays stand in the page once.
    assert (tmp_path / "two.html").stat().st_size < 1.15 * write_review(out, tmp_path / "one.html").stat().st_size


def picture(where: Any) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(io.BytesIO(where.screenshot())).convert("RGB"), dtype=int)


def test_it_speaks_german_and_every_control_has_a_name(page: Page) -> None:
    page.page.select_option("#language", "de")
    page.settle()
    text = page.page.text_content("main")
    for word in ("Befunde", "Standphasen", "Hüftflexion", "Entschieden", "review.toml speichern"):
        assert word in text, word
    for word in ("Findings", "Stances", "Hip flexion", "Decided"):
        assert word not in text, word
    assert page.page.get_attribute("html", "lang") == "de"
    unnamed = page.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select")].filter((each) => !(each.getAttribute("aria-label") ||
          each.labels?.length || each.tagName === "BUTTON" && each.textContent.trim())).map((each) => each.outerHTML)"""
    )
    assert unnamed == []


def test_it_prints_on_white_paper_with_its_name(page: Page) -> None:
    page.page.click("#theme")
    page.settle()
    assert page.page.get_attribute("html", "data-theme") == "dark"
    printed = pypdf.PdfReader(io.BytesIO(page.page.pdf(print_background=True)))
    text = "".join(sheet.extract_text() for sheet in printed.pages)
    assert "VIRTUAL" in text
    assert "Pelvic tilt" in text
    assert "Download" not in text
    assert 1 <= len(printed.pages) <= 6


def test_it_works_without_three_dimensions_and_with_folders_of_before(chromium: Any, out: Path, html: Path, tmp_path: Path) -> None:
    flat = another(chromium, "--disable-3d-apis", "--disable-gpu")
    page = open_page(flat, html)
    assert "no three-dimensional pictures" in page.page.inner_text(".stage")
    page.scrub(175)
    assert any(np.isfinite(value) for *_, value in page.numbers())
    flat.close()
    tables = read_tables(out)
    write_folder(tables, tmp_path / "old")
    page = open_page(chromium, write_review(tmp_path / "old", tmp_path / "old.html"))
    assert "run the session again" in page.page.inner_text(".stage")
    assert page.console == []


HOSTILE = "</script><script>window.hacked=1</script>"
NAMES = (HOSTILE, "<img src=x onerror=window.hacked=1>", "\u202eRIGHT\u202c", "מרקר\"'&", "']]>--><!--", "a\u2028b\x7f", "${7*7}`")


def hostile(tables: Tables, replay: Replay, out: Path) -> Path:
    """The session with names that are markup, three thousand labels, and nothing measured anywhere."""
    labels = (*NAMES, *(f"{name}{i}" for i in range(430) for name in NAMES))[:3000]
    nothing = {
        name: frame.assign(**{column: np.nan for column in frame.columns if column not in ("frame", "time")})
        for name, frame in tables.frames.items()
    }
    summary = json.loads(json.dumps(tables.summary))
    summary["subject"]["code"] = HOSTILE
    for trial in summary["trials"]:
        trial["condition"] = NAMES[1]
        trial["findings"].append(
            {
                "rule": "made-up",
                "severity": "warning",
                "message": HOSTILE,
                "hint": NAMES[1],
                "where": "",
                "values": {"text": HOSTILE, "time_s": 1.0},
            }
        )
    channels = None if tables.emg is None else tables.emg.assign(label=HOSTILE, value=np.nan)
    write_folder(
        dataclasses.replace(tables, frames=nothing, cycles=tables.cycles.assign(value=np.nan), summary=summary, emg=channels),
        out, extras=[lambda folder: empty_replays(folder, replay, labels, tuple(nothing))],
    )  # fmt: skip
    return out


def empty_replays(folder: Path, replay: Replay, labels: tuple[str, ...], trials: tuple[str, ...]) -> None:
    (folder / "replay").mkdir()
    values = {each.name: np.asarray(getattr(replay, each.name)) for each in dataclasses.fields(replay)}
    values |= {
        "marker_names": np.array(labels),
        "marker_lab_m": np.full((replay.n_frames, len(labels), 3), np.nan, dtype=np.float32),
    }
    values |= {
        name: np.full_like(value, np.nan)
        for name, value in values.items()
        if name.endswith(("_lab_m", "_lab_N", "segment")) and "corners" not in name
    }
    for trial in trials:
        np.savez_compressed(folder / "replay" / f"{trial}.npz", **values)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual patient beside a norm of virtual walkers: results of the demo, but for the report."""
    folder = tmp_path_factory.mktemp("patient") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "run_job", partial(run_job, report=False))
        demo.run_demo(folder)
    return folder / "results"


def test_what_is_said_of_the_walks_is_the_table_s(chromium: Any, patient: Path, tmp_path: Path) -> None:
    html = write_review(patient, tmp_path / "patient.html")
    page, written = open_page(chromium, html), read_tables(patient).deviations
    assert written is not None
    text = html.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0]
    (walks,) = json.loads(text)["sessions"][0]["walks"]
    pd.testing.assert_frame_equal(pd.DataFrame(walks["rows"])[list(written)].fillna(""), written.fillna(""), atol=1e-6)
    marked, alone = written["marked"] == "true", written["covered_by"].fillna("") == ""
    assert 5 < (marked & alone).sum() < len(written) - 5
    in_order = [*np.flatnonzero(marked & alone), *np.flatnonzero(~(marked & alone))]
    for language, mark in (("en", "."), ("de", ",")):
        page.page.select_option("#language", language)
        words = walks["words"][language]
        shown = page.page.eval_on_selector_all(
            "#panel-said tbody tr", "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
        assert [row[2] for row in shown] == [f"{written['size'][at]:.1f}".replace(".", mark) for at in in_order]
        for row, at in zip(shown, in_order, strict=True):
            said = words["rows"][at]
            assert row[3] == said["said"] + "".join(said["warns"]) + (f" {said['quiet']}" if said["quiet"] else "")
        panel = page.page.text_content("#panel-said")
        assert len(words["trust"]) == 7
        assert all(each in panel for each in (*words["openings"], words["unsayable"], *words["trust"]))
    assert {row[1] for row in shown} >= {"ja", "nein", "im Messfehler", "bei CRS"}
    assert page.console == []


def test_a_session_without_a_norm_says_why_nothing_is_said(chromium: Any, out: Path, tmp_path: Path) -> None:
    page = open_page(chromium, write_review(out, tmp_path / "alone.html"))
    assert page.page.locator("#panel-said tbody tr").count() == 1
    assert "without a norm of limbs" in page.page.text_content("#panel-said")


@pytest.fixture(scope="module")
def walked(shared_dir: Path) -> Session:
    """OpenSim's example of walking, analysed with its subject's own model."""
    folder = shared_dir / "opensim" / "gait10dof18musc"
    return analyse(folder / "ExperimentalData", recipe=QUICK.replaced(uncertainty=False), model=str(folder / "subject01.osim"))


def coloured(page: Page, name: str) -> int:
    """How many places of the walker's picture have a colour of the page."""
    colour = page.page.evaluate("(name) => getComputedStyle(document.documentElement).getPropertyValue(name)", name)
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    seen = np.asarray(Image.open(io.BytesIO(page.page.locator(".stage").screenshot())).convert("RGB"), dtype=int)
    return int((np.abs(seen - wanted).max(axis=2) < 8).sum())


def test_errors_of_a_model_s_markers_are_those_of_inverse_kinematics(chromium: Any, walked: Session, tmp_path: Path) -> None:
    write_replays(walked.write(tmp_path / "out"), trials=walked.movements)
    motion = walked.movements[0].motion
    assert isinstance(motion, Movement)
    model = motion.calibrated_model
    assert isinstance(model, SkeletalModel)
    pose = model.coordinates(motion.trial)
    off_mm = 1e3 * np.linalg.norm(pose.residual_m, axis=2)
    page = open_page(chromium, write_review(tmp_path / "out", tmp_path / "walk.html"))
    page.page.click("#group-markers")
    page.settle()
    # Both places are rounded to 0.1 mm along each axis, the largest errors of a distance are the diagonal of that.
    most_mm = 0.1 * np.sqrt(3.0) + 1e-3
    for frame in (0, 40, 86, 120):
        page.scrub(frame)
        shown = {(key, side): value for key, side, value in page.numbers()}
        for k, name in enumerate(pose.markers):
            assert shown[f"marker:{name}", ""] == pytest.approx(off_mm[frame, k], abs=most_mm)
        assert shown["markers", "rms"] == pytest.approx(np.sqrt(np.mean(off_mm[frame] ** 2)), abs=most_mm)
        assert shown["markers", "largest"] == pytest.approx(off_mm[frame].max(), abs=most_mm)
        assert len(shown) == len(pose.markers) + 2
        assert f"({pose.markers[off_mm[frame].argmax()]})" in page.page.text_content("#marker-error")
    assert off_mm.max() > 50.0
    titles = page.page.locator(".chart h3 bdi").all_text_contents()
    assert titles[1:] == [pose.markers[k] for k in np.argsort(-pose.residual_rms_m)]
    assert page.page.is_disabled("#along")
    assert coloured(page, "--model") > 100
    page.page.uncheck("#model")
    page.settle()
    assert coloured(page, "--model") == 0
    page.page.select_option("#language", "de")
    assert "Markerfehler: RMS" in page.page.text_content("#marker-error")
    assert page.console == []


def test_a_session_without_such_a_model_says_nothing_of_one(page: Page) -> None:
    assert page.page.locator("#group-markers, #model, #marker-error").count() == 0
    page.page.keyboard.press("8")
    assert page.page.get_attribute("#group-angles", "aria-selected") == "true"


def test_a_hostile_session_is_shown_as_text(chromium: Any, tables: Tables, out: Path, tmp_path: Path) -> None:
    replay = read_replay(out, "walk01")
    assert replay is not None
    page = open_page(chromium, write_review(hostile(tables, replay, tmp_path / "hostile"), tmp_path / "hostile.html"))
    page.page.wait_for_timeout(200)
    assert page.page.evaluate("() => window.hacked") is None
    assert page.page.locator("h1 bdi").text_content() == HOSTILE
    assert HOSTILE in page.page.text_content("#panel-findings")
    options = page.page.locator("#marker option")
    assert options.count() == 3001
    shown = page.page.evaluate("() => [...document.querySelectorAll('#marker option')].map((each) => each.textContent)")
    assert shown[1:8] == list(NAMES)
    for group in ("angles", "moments", "ground", "emg"):
        page.show(group, "percent")
        page.show(group, "time")
    page.scrub(100)
    page.tab("comment")
    page.page.fill("#comment-text", NAMES[5] + HOSTILE)
    page.page.click("#add-comment")
    assert tomllib.loads(page.page.text_content("#toml"))["comment"][0]["text"] == NAMES[5] + HOSTILE
    assert page.page.evaluate("() => window.hacked") is None
    assert page.console == []


def differing(one: Image.Image, other: Image.Image) -> float:
    """Share of a picture's places that look different, coarsely: fonts may be a pixel off on another machine, pictures may not."""
    small = [np.asarray(image.convert("RGB").resize((350, 250), Image.Resampling.BOX), dtype=float) for image in (one, other)]
    return float((np.abs(small[0] - small[1]).max(axis=2) > 40.0).mean())


@pytest.mark.parametrize("view", ["angles", "muscles", "dark"])
def test_three_views_look_as_they_did(chromium: Any, view: str, out: Path) -> None:
    path = out.parent / "gallery.html"
    if not path.is_file():
        write_review(out, path)
    page = open_page(chromium, path)
    VIEWS[view](page)
    shown, kept = picture_of(page), Image.open(PICTURES / f"{view}.png").convert("RGB")
    assert differing(shown, kept) < 0.02
    others = [differing(shown, Image.open(PICTURES / f"{name}.png")) for name in VIEWS if name != view]
    assert min(others) > 0.03, "the comparison tells views apart"
    # The walker is a small part of the window: looked at alone.
    box = page.page.locator(".stage canvas").bounding_box()
    stage = tuple(round(edge) for edge in (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]))
    walkers = [image.crop(stage) for image in (shown, kept)]
    empty = Image.new("RGB", walkers[0].size, walkers[0].getpixel((3, 3)))
    assert differing(*walkers) < 0.005
    assert differing(walkers[0], empty) > 0.01, "the comparison sees a walker that is not there"


def test_the_gallery_s_page_is_that_of_this_version(chromium: Any) -> None:
    page = open_page(chromium, PICTURES / "virtual-subject.html")
    assert page.console == []
    committed = (PICTURES / "virtual-subject.html").read_text(encoding="utf-8").rpartition("<script>")[2]
    assert committed.partition("</script>")[0] == own_script(), "write it again: python -m docs.review_pictures"
