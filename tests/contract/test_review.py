"""What somebody decides by hand goes through `run` and `report`, and is seen in tables, manifest and pages."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.pipeline.redraw import redraw
from biomech_id.pipeline.run import run_job
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.cover import by_hand
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.request.review_file import read_review
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.output.review import reviewed_tables
from biomech_id.session.tables.session_tables import Tables

DATA = Path(__file__).parents[2] / "data"
SUBJECT = next(DATA.rglob("walk01.c3d")).parent
WALK = "walk01"
QUICK = Recipe(report=False, uncertainty=False, budget=False)


@dataclass(frozen=True)
class Session:
    """One run with a review: its folder, tables and sentences."""

    out: Path
    tables: Tables
    complaints: tuple[str, ...]


def analysed(folder: Path, decisions: str = "") -> Session:
    recordings = tuple(SUBJECT / f"{name}.c3d" for name in ("static", WALK))
    review = folder / "review.toml"
    review.write_text("schema = 1\n" + decisions, encoding="utf-8")
    outcome = run_job(Job(recordings, QUICK, review=review), folder / "out")
    return Session(folder / "out", read_tables(folder / "out"), outcome.complaints)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return analysed(tmp_path_factory.mktemp("plain"))


def table(decision: str, **said: object) -> str:
    lines = [
        f"{name} = {str(value).lower() if isinstance(value, bool | float | int) else repr(value)}" for name, value in said.items()
    ]
    return "\n".join([f"[[{decision}]]", f'trial = "{WALK}"', *lines, ""])


def cycle(tables: Tables, side: str, number: int) -> pd.Series:
    rows = tables.cycle_list
    return rows[(rows["trial"] == WALK) & (rows["side"] == side) & (rows["cycle"] == number)].iloc[0]


def events(tables: Tables, side: str, kind: str) -> list[float]:
    (trial,) = (trial for trial in tables.summary["trials"] if trial["name"] == WALK)
    return [event["time_s"] for event in trial["events"] if (event["side"], event["kind"]) == (side, kind)]


def test_a_cycle_is_left_out_by_run_and_stays_in_the_tables(plain: Session, tmp_path: Path) -> None:
    before = cycle(plain.tables, "L", 1)
    assert before["used"]
    after = analysed(
        tmp_path, table("cycle", side="L", start_s=before["start_s"] + 0.03, use=False, reason="stumbled", author="AB")
    )
    mine = cycle(after.tables, "L", 1)
    assert (mine["used"], mine["used_by_rules"]) == (False, True)
    assert "left out by hand by AB (stumbled)" in mine["reason"]
    pd.testing.assert_frame_equal(after.tables.cycles, plain.tables.cycles)
    assert ("Decided by hand", "1 cycles left out (review.toml)") in list(by_hand(after.tables, load_style(None)))
    assert "review.toml" in after.tables.manifest["inputs"]


def test_two_words_on_one_cycle_are_refused(plain: Session, tmp_path: Path) -> None:
    start_s = cycle(plain.tables, "R", 1)["start_s"]
    contradiction = table("cycle", side="R", start_s=start_s, use=False) + table("cycle", side="R", start_s=start_s, use=True)
    with pytest.raises(OptionError, match="says both"):
        analysed(tmp_path, contradiction)


def test_an_event_moved_by_five_frames_moves_its_cycle_by_five_frames(plain: Session, tmp_path: Path) -> None:
    (trial,) = (trial for trial in plain.tables.summary["trials"] if trial["name"] == WALK)
    start_s = cycle(plain.tables, "L", 1)["start_s"]
    moved_s = start_s + 5 / trial["rate_hz"]
    said = table("event", side="L", kind="Foot Strike", time_s=start_s - 0.01, new_time_s=moved_s)
    after = analysed(tmp_path, said)
    assert cycle(after.tables, "L", 1)["start_s"] == pytest.approx(moved_s, abs=1e-12)
    (changed,) = (trial for trial in after.tables.summary["trials"] if trial["name"] == WALK)
    assert [e["source_kind"] for e in changed["events"] if abs(e["time_s"] - moved_s) < 1e-9] == ["hand"]
    assert [f["message"] for f in changed["findings"] if f["rule"] == "events-by-hand"] == [
        "Events changed by hand (review.toml): 1 moved, 0 added, 0 deleted."
    ]


def test_an_event_is_deleted_and_added(plain: Session, tmp_path: Path) -> None:
    strikes = events(plain.tables, "R", "Foot Strike")
    deleted = analysed(tmp_path, table("event", side="R", kind="Foot Strike", time_s=strikes[1], deleted=True))
    assert events(deleted.tables, "R", "Foot Strike") == [*strikes[:1], *strikes[2:]]
    again = table("event", side="R", kind="Foot Strike", time_s=strikes[1], deleted=True)
    again += table("event", side="R", kind="Foot Strike", time_s=strikes[1] + 0.06, new=True)
    added = analysed(tmp_path, again)
    assert events(added.tables, "R", "Foot Strike") == sorted([*strikes[:1], strikes[1] + 0.06, *strikes[2:]])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"time_s": 0.02, "deleted": True}, "but there is none; the nearest is at"),
        ({"time_s": 55.0, "new": True}, "which lies outside the recording"),
    ],
)
def test_a_change_of_nothing_refuses_the_trial_in_a_sentence(
    plain: Session, tmp_path: Path, said: dict[str, object], words: str
) -> None:

    with pytest.raises(MissingInputError, match="No trial could be analysed") as caught:
        analysed(tmp_path, table("event", side="L", kind="Foot Strike", **said))
    assert words in caught.value.message


def test_a_stance_is_taken_out_and_given_back(plain: Session, tmp_path: Path) -> None:
    stances = plain.tables.stances
    mine = stances[(stances["trial"] == WALK) & stances["verdict"].isin(["clean", "two_plates"])].iloc[0]
    after = analysed(tmp_path, table("stance", side=mine["side"], start_s=mine["start_s"], use=False, author="AB"))
    changed = after.tables.stances
    here = changed[(changed["side"] == mine["side"]) & (changed["start_s"] == mine["start_s"])].iloc[0]
    assert (here["verdict"], here["plate"]) == ("no_plate", "")
    given = analysed(tmp_path, table("stance", side=mine["side"], start_s=mine["start_s"], use=True))
    back = given.tables.stances
    here = back[(back["side"] == mine["side"]) & (back["start_s"] == mine["start_s"])].iloc[0]
    assert (here["verdict"], here["plate"]) == ("override", mine["plate"])


def test_report_alone_follows_cycles_and_comments_without_the_recordings(plain: Session, tmp_path: Path) -> None:
    out = shutil.copytree(plain.out, tmp_path / "out")
    start_s = float(cycle(plain.tables, "L", 1)["start_s"])
    review = tmp_path / "review.toml"
    decided = table("cycle", side="L", start_s=start_s, use=False) + table("comment", time_s=1.0, text="looks at the floor")
    review.write_text("schema = 1\n" + decided, encoding="utf-8")
    assert CliRunner().invoke(app, ["report", str(out), "--review", str(review), "--pages", "cover"]).exit_code == 0
    after = read_tables(out)
    assert after.manifest["drawn"]["review"]["name"] == "review.toml"
    pd.testing.assert_frame_equal(after.cycles, plain.tables.cycles)
    assert cycle(after, "L", 1)["used"], "the tables keep what the analysis said"


def test_means_follow_a_review_of_finished_tables_and_forget_it(plain: Session, tmp_path: Path) -> None:
    start_s = float(cycle(plain.tables, "L", 1)["start_s"])
    path = tmp_path / "review.toml"
    path.write_text("schema = 1\n" + table("cycle", side="L", start_s=start_s, use=False), encoding="utf-8")
    out = reviewed_tables(plain.tables, read_review(path))
    assert not cycle(out, "L", 1)["used"]
    path.write_text("schema = 1\n" + table("comment", time_s=1.0, text="<looks> at the floor"), encoding="utf-8")
    back = reviewed_tables(out, read_review(path))
    assert cycle(back, "L", 1)["used"]
    (trial,) = (trial for trial in back.summary["trials"] if trial["name"] == WALK)
    assert [f["message"] for f in trial["findings"] if f["rule"] == "comment-by-hand"] == ["1.00 s: <looks> at the floor"]


@pytest.mark.parametrize("kind", ["event", "stance", "verdict"])
def test_report_refuses_what_needs_the_recordings_with_the_command(plain: Session, tmp_path: Path, kind: str) -> None:
    said: dict[str, object] = {"side": "L"}
    said |= {
        "event": {"kind": "Foot Strike", "time_s": 1.0, "deleted": True},
        "stance": {"start_s": 1.0, "use": False},
        "verdict": {"start_s": 1.0, "plate": "none"},
    }[kind]
    path = tmp_path / "review.toml"
    path.write_text("schema = 1\n" + table(kind, **said), encoding="utf-8")
    with pytest.raises(OptionError, match=r"biomech-id run SUBJECT_DIR -o .* --review .*review\.toml"):
        redraw(plain.out, review=path)


def test_report_takes_a_review_whose_events_the_run_has_followed(plain: Session, tmp_path: Path) -> None:
    start_s = events(plain.tables, "L", "Foot Strike")[0]
    event = table("event", side="L", kind="Foot Strike", time_s=start_s, new_time_s=start_s + 0.02)
    run = analysed(tmp_path, event)
    (tmp_path / "review.toml").write_text("schema = 1\n" + event + table("comment", time_s=1.0, text="seen"), encoding="utf-8")
    assert redraw(run.out, review=tmp_path / "review.toml", pages=["cover"]).is_file()
