"""Film beside the walker in a real browser, in the desk and in the page alone: pictures, ties, play, and what does not play."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.studies.desk_morning import hashes_below, opened_desk
from biomech_id.pipeline.review_page import write_review
from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from tests.peers.browser import Page, browser, open_page
from tests.peers.make_films import BIT_WIDTH, FILMS, HEIGHT, RATE_HZ

DATA = Path(__file__).parents[2] / "data"
#: The number that the picture shown carries.
NUMBER = f"""() => {{
  const [video, canvas] = [document.getElementById("film-video"), document.createElement("canvas")];
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const drawn = canvas.getContext("2d", {{ willReadFrequently: true }});
  drawn.drawImage(video, 0, 0);
  const bit = (each) => drawn.getImageData(each * {BIT_WIDTH} + {BIT_WIDTH // 2}, {HEIGHT // 2}, 1, 1).data[0] > 127;
  return [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, each) => 2 * sum + Number(bit(each)), 0);
}}"""
#: A seek of this many seconds, once its picture is there.
SEEK = """async (time_s) => {
  const slider = document.getElementById("film-scrub");
  slider.value = String(time_s);
  slider.dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 400));
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("session") / "anna"
    recipe = Recipe(report=False, budget=False)
    run_job(Job(tuple(DATA / f"{name}.c3d" for name in ("static", "walk01", "walk02")), recipe), out)
    return write_review(out, out.parent / "anna.html")


@pytest.fixture
def page(chromium: Any, html: Path) -> Iterator[Page]:
    opened = open_page(chromium, html)
    yield opened
    opened.page.context.close()


def choose(page: Any, film: Path) -> None:
    page.set_input_files("#film-file", film)


def number_of(page: Any) -> int:
    page.wait_for_timeout(400)
    return int(page.evaluate(NUMBER))


def moment(page: Any) -> float:
    """The cursor's moment (s), of a recording of 100 Hz."""
    return (int(page.locator("#clock").inner_text().split("frame ")[1].split()[0]) - 1) / 100.0


@pytest.mark.parametrize("name", ["numbered.webm", "numbered.mp4"])
def test_a_tied_film_shows_the_walker_s_moment(page: Page, name: str, tmp_path: Path) -> None:
    film, window = tmp_path / f"walk01.{name}", page.page
    shutil.copy(FILMS / name, film)
    choose(window, film)
    window.locator("#film-tie:enabled").wait_for()
    window.evaluate(SEEK, 1.0)
    assert number_of(window) == 50
    # Picture by picture, at whatever rate.
    for control, expected in (("on", 51), ("on", 52), ("back", 51), ("back", 50), ("back", 49)):
        window.click(f"#film-{control}")
        assert number_of(window) == expected
    # Picture 49 is frame 61 (0.61 s): the film is 0.37 s ahead.
    page.scrub(61)
    assert moment(window) == 0.61
    window.click("#film-tie")
    state = window.locator("#film-state")
    assert float(state.get_attribute("data-offset")) == pytest.approx(49 / RATE_HZ - 0.61, abs=2e-3)
    for frame in (0, 61, 118, 119, 150, 214, 333, 20):
        page.scrub(frame)
        # A frame of 100 Hz lies at the border of two pictures of 50 Hz or in the middle of one.
        assert abs(number_of(window) - (frame / 100.0 + 0.37) * RATE_HZ) <= 1.0, frame
    # A quick scrub ends on the last picture.
    for frame in range(100, 200):
        window.evaluate(
            "(each) => { const s = document.getElementById('scrub'); s.value = each; s.dispatchEvent(new Event('input')); }", frame
        )
    assert abs(number_of(window) - (1.99 + 0.37) * RATE_HZ) <= 1.0
    assert page.console == []
    assert {url.partition(":")[0] for url in page.requests} <= {"file", "blob"}


def test_in_play_the_film_leads_and_a_cycle_is_looped(page: Page, tmp_path: Path) -> None:
    film, window = tmp_path / "walk01.webm", page.page
    shutil.copy(FILMS / "numbered.webm", film)
    choose(window, film)
    window.locator("#film-tie:enabled").wait_for()
    window.evaluate(SEEK, 0.5)
    strike = window.locator("#film-event option").nth(1).get_attribute("value")
    window.select_option("#film-event", strike)
    window.click("#film-tie")
    window.locator("#film-loosen").wait_for()
    assert window.evaluate("() => document.activeElement.id") == "film-loosen"
    offset = float(window.locator("#film-state").get_attribute("data-offset"))
    assert offset == pytest.approx(0.5 - float(strike), abs=0.03)
    window.select_option("#speed", "0.25")
    window.check("#loop")
    cycle = window.evaluate("() => JSON.parse(document.getElementById('data').textContent).sessions[0].trials[0].cycles[0]")
    page.scrub(round((cycle["start_s"] + cycle["end_s"]) * 50))
    window.select_option("#reference", cycle["side"])
    window.click("#play")
    seen = []
    for _ in range(40):
        window.wait_for_timeout(100)
        number, at_s = window.evaluate(f"() => [({NUMBER})(), document.getElementById('clock').textContent]")
        at_s = float(at_s.split(" s")[0])
        assert cycle["start_s"] - 0.02 <= at_s <= cycle["end_s"] + 0.02
        seen.append(abs(number - (at_s + offset) * RATE_HZ))
    window.click("#play")
    # The screen may be one picture ahead of the walker, which follows it.
    assert sorted(seen)[len(seen) // 2] <= 1.5
    assert window.locator("#film-video").evaluate("(video) => video.paused && video.playbackRate === 0.25")


def test_two_places_tell_how_fast_the_film_s_clock_runs(page: Page, tmp_path: Path) -> None:
    film, window = tmp_path / "walk01.webm", page.page
    shutil.copy(FILMS / "numbered.webm", film)
    choose(window, film)
    window.locator("#film-tie:enabled").wait_for()
    for tied, (frame, film_s) in (("#film-tie", (0, 1.0)), ("#film-tie-too", (50, 1.25)), ("#film-tie-too", (200, 2.0))):
        page.scrub(frame)
        window.evaluate(SEEK, film_s)
        window.click(tied)
        if frame == 50:  # half a second is too near
            assert window.locator("#film-tie-too").is_visible()
        elif frame == 0:
            window.click("#film-loosen")
    state = window.locator("#film-state")
    assert float(state.get_attribute("data-rate")) == pytest.approx(0.5, abs=0.01)
    page.scrub(100)
    assert abs(number_of(window) - 75) <= 1
    assert "0.50" in state.inner_text().partition("=")[2]
    # Tied anew by one place, it runs as fast as before.
    window.click("#film-loosen")
    window.evaluate(SEEK, 3.0)
    window.click("#film-tie")
    window.locator("#film-loosen").wait_for()
    assert float(state.get_attribute("data-rate")) == pytest.approx(0.5, abs=0.01)
    page.scrub(200)
    assert abs(number_of(window) - 175) <= 1


def tied(page: Page, film: Path, frame: int, film_s: float) -> Any:
    """The page's window, with a film tied by one place."""
    window = page.page
    if not film.exists():
        shutil.copy(FILMS / "numbered.webm", film)
    choose(window, film)
    window.locator("#film-tie:enabled").wait_for()
    page.scrub(frame)
    window.evaluate(SEEK, film_s)
    window.click("#film-tie")
    window.locator("#film-loosen").wait_for()
    return window


def test_behind_the_film_s_end_the_clock_carries_play_on(page: Page, tmp_path: Path) -> None:
    window = tied(page, tmp_path / "walk01.webm", 100, 3.0)  # the film ends at 2.0 s, the recording later
    page.scrub(150)
    window.click("#play")
    window.wait_for_function("() => Number(document.getElementById('scrub').value) > 230")
    assert window.locator("#film-outside").is_visible()
    window.click("#play")


def test_where_the_film_shows_nothing_no_picture_stands(page: Page, tmp_path: Path) -> None:
    window = tied(page, tmp_path / "walk01.webm", 100, 0.5)  # the film begins at 0.5 s
    outside = window.locator("#film-outside")
    assert outside.is_hidden()
    for language, words in (("en", "does not show this moment"), ("de", "zeigt diesen Augenblick nicht")):
        window.select_option("#language", language)
        page.scrub(20)
        assert outside.is_visible()
        assert words in outside.inner_text()
        page.scrub(60)
        assert outside.is_hidden()
    # Play goes on from before the film into it.
    page.scrub(40)
    window.click("#play")
    window.wait_for_function("() => !document.getElementById('film-video').paused")
    # A film put away while it plays is silent.
    window.select_option("#film-name", "")
    assert window.locator("#film-video").evaluate("(video) => video.paused && !video.readyState")


def test_a_tie_is_one_of_a_session_s_own_trial(chromium: Any, html: Path, tmp_path: Path) -> None:
    sessions = (html.parent / "anna", shutil.copytree(html.parent / "anna", tmp_path / "second"))
    page = open_page(chromium, write_review(sessions, tmp_path / "both.html"))
    window = tied(page, tmp_path / "walk01.webm", 100, 0.5)
    window.select_option("#session", "1")
    window.wait_for_function("() => document.getElementById('film').hidden")
    assert window.locator("#film-loosen").count() == 0
    window.select_option("#session", "0")
    window.locator("#film-loosen").wait_for()
    window.context.close()


def test_another_file_of_the_same_name_is_not_tied(page: Page, tmp_path: Path) -> None:
    window = tied(page, tmp_path / "walk01.webm", 100, 0.5)
    choose(window, tmp_path / "walk01.webm")
    window.locator("#film-loosen").wait_for()
    (tmp_path / "other").mkdir()
    choose(window, shutil.copy(FILMS / "numbered.mp4", tmp_path / "other" / "walk01.webm"))
    window.locator("#film-tie:enabled").wait_for()


def test_a_film_picked_by_hand_stays_while_the_trial_does(page: Page, tmp_path: Path) -> None:
    window = tied(page, tmp_path / "walk01.webm", 100, 0.5)
    choose(window, shutil.copy(FILMS / "numbered.webm", tmp_path / "Walk02.side.webm"))
    window.select_option("#film-name", "Walk02.side.webm")
    window.click("#theme")
    assert window.locator("#film-name").input_value() == "Walk02.side.webm"
    window.select_option("#trial", "1")
    window.wait_for_function("() => document.getElementById('trial').value === '1'")
    assert window.locator("#film-name").input_value() == "Walk02.side.webm"
    window.select_option("#trial", "0")
    window.locator("#film-loosen").wait_for()
    assert window.locator("#film-name").input_value() == "walk01.webm"


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_does_not_play_is_said_with_what_helps(page: Page, tmp_path: Path, language: str) -> None:
    film, window = tmp_path / "walk01 <b>.avi", page.page
    shutil.copy(FILMS / "numbered.avi", film)
    window.select_option("#language", language)
    choose(window, film)
    problem = window.locator("#film-problem")
    problem.wait_for()
    assert {"en": "does not play", "de": "spielt"}[language] in problem.inner_text()
    assert "walk01 <b>.avi" in problem.inner_text()
    assert "ffmpeg -i FILM" in problem.locator("code").inner_text()
    assert window.locator("#film-video").is_hidden()
    # The walker goes on without it.
    page.scrub(118)
    assert "119" in window.locator("#clock").inner_text()


def test_a_film_of_the_archive_is_tied_in_the_desk(tmp_path: Path, chromium: Any) -> None:
    visit = tmp_path / "archive" / "P1" / "v1"
    visit.mkdir(parents=True)
    name = "walk01%2F<img src=x onerror=alert(1)>#.mp4"
    for each in ("static.c3d", "walk01.c3d"):
        shutil.copy(DATA / each, visit)
    shutil.copy(FILMS / "numbered.mp4", visit / name)
    before, complained, row = hashes_below(tmp_path / "archive"), list[str](), "[data-testid=visit-row][data-visit='P1/v1']"
    with opened_desk(tmp_path / "archive", chromium, complained) as (page, _):
        page.get_by_test_id("who").fill("M. Technician")
        page.locator(f"{row} [data-testid=action-run]:enabled").click()
        page.locator(f"{row}[data-stage=review] [data-testid=action-review]").click()
        page.wait_for_selector("html[data-shown]", state="attached")
        # The film that begins with the trial's name is there by itself.
        page.locator("#film-tie:enabled").wait_for()
        assert page.locator("#film-name").input_value() == name
        page.evaluate(SEEK, 2.0)
        assert number_of(page) == 100
        at_s = moment(page)
        page.click("#film-tie")
        page.locator("#film-loosen").wait_for()
        choices = tomllib.loads((tmp_path / "archive desk" / "visits" / "P1" / "v1" / "choices.toml").read_text())
        assert choices["film"][name] == {
            "trial": "walk01", "offset_s": pytest.approx(2.0 - at_s, abs=2e-3), "tied_s": pytest.approx(at_s, abs=1e-3)
        }  # fmt: skip
        # It stands after the page is opened anew, and the visit needs no new run.
        page.reload()
        page.locator("#film-loosen").wait_for()
        assert number_of(page) == 100
        # Once the film's address is too old, it is opened anew at the same place; and where it is gone, that is said.
        break_film = "(video) => { video.src = '/file/old/ticket/film.mp4'; }"
        page.locator("#film-video").evaluate(break_film)
        page.wait_for_function(
            "() => { const video = document.getElementById('film-video'); return video.readyState && !video.error; }"
        )
        assert number_of(page) == 100
        (visit / name).rename(tmp_path / "away.mp4")
        page.locator("#film-video").evaluate(break_film)
        problem = page.locator("#film-problem")
        problem.wait_for()
        assert problem.locator("code").count() == 0
        (tmp_path / "away.mp4").rename(visit / name)
        page.get_by_test_id("back").click()
        page.locator(f"{row}[data-stage=review]").wait_for()
    assert hashes_below(tmp_path / "archive") == before
    assert complained == []
