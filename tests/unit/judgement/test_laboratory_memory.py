"""A laboratory's memory: what past results leave, what one session takes from it, and that nobody else is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.text import Text
from pypdf import PdfReader
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.conventions import SCHEMA
from biomech_id.errors import MissingInputError
from biomech_id.files.unfinished import unfinished_of
from biomech_id.judgement.diagnosis.spread import package_spread
from biomech_id.judgement.laboratory.left_behind import FREE_MOMENT, PLACED, SLOPE, SUPPORT
from biomech_id.judgement.laboratory.memory import (
    Memory,
    charted_lab,
    lab_document,
    lab_findings,
    memory_findings,
    placement_spread,
    read_lab,
    read_sessions,
    remembered,
)
from biomech_id.judgement.laboratory.values import SessionValues, session_values
from biomech_id.report.lab_chart import lab_pages
from biomech_id.report.layout.style import load_style

SOUND = {SLOPE: 0.77, FREE_MOMENT: 12.0}
TOUCHED = {SLOPE: 0.42, FREE_MOMENT: 30.0}


def summary(at: int = 0, x_mm: float = 0.0, plate_3: Mapping[str, float] | None = None, **more: Any) -> dict[str, Any]:
    """What a session leaves behind: plate 1 at a place, plate 3 sound or not."""
    rng = np.random.default_rng(at)
    residuals = {name: {"plate 1": SOUND[name], "plate 3": value} for name, value in (plate_3 or SOUND).items()}
    residuals[SUPPORT] = {plate: 2.4 + float(rng.normal(0.0, 1.0)) for plate in ("plate 1", "plate 3")}
    residuals[PLACED[0]] = {"L": float(rng.normal(3.0, 5.0)), "R": float(rng.normal(3.0, 5.0))}
    sd = {"x_mm": 3.5, "y_mm": 4.6, "turn_deg": 2.1}
    elsewhere = {name: float(rng.normal(0.0, each)) for name, each in sd.items()}
    places = [{"plate": "plate 1", "elsewhere": elsewhere | {"x_mm": elsewhere["x_mm"] + x_mm}, "sd": sd}]
    subject = {"code": f"P{at:03d}", "session_date": f"2026-{1 + at // 28:02d}-{1 + at % 28:02d}", "age_years": 30.0}
    return {
        "schema": SCHEMA, "subject": subject | more.pop("subject", {}), "plates": {"places": places, "silent": []},
        "trials": [{"name": "walk1", "residuals": residuals}], **more,
    }  # fmt: skip


def moved(n: int = 60, from_session: int = 45, x_mm: float = 12.0) -> list[dict[str, Any]]:
    return [summary(at, x_mm * (at >= from_session)) for at in range(n)]


def written(folder: Path, summaries: list[dict[str, Any]]) -> Path:
    for at, each in enumerate(summaries):
        out = folder / f"session{at:03d}"
        out.mkdir(parents=True)
        (out / "summary.json").write_text(json.dumps(each))
        (out / "manifest.json").write_text(json.dumps({"schema": SCHEMA, "inputs": {"walk1.c3d": f"{at:064d}"}}))
    return folder


def values_of(summaries: list[dict[str, Any]]) -> list[SessionValues]:
    return [session_values(each, f"s{at}", f"{at:064d}", {"walk1.c3d": f"{at:064d}"}) for at, each in enumerate(summaries)]


def test_a_moved_plate_is_named_by_session_size_and_chart() -> None:
    lab = charted_lab(values_of(moved()))
    ((at, key, size, sessions),) = lab.alarms()
    assert key == ("plate x", "plate 1")
    assert 45 <= at <= 50
    assert size == pytest.approx(12.0, abs=4.0)
    assert 1 <= sessions <= 6
    (finding,) = lab_findings(lab)
    assert finding.rule == "lab-changed"
    assert finding.message.startswith("The place of plate 1 in x changed by about +")
    assert f"up to s{at}" in finding.message
    assert list(charted_lab(values_of(moved(x_mm=0.0))).alarms()) == []


def test_a_plate_is_not_usable_where_shear_is_lost_and_it_turns() -> None:
    both, shear_alone, turn_alone = TOUCHED, TOUCHED | {FREE_MOMENT: 12.0}, TOUCHED | {SLOPE: 0.77}
    said = [session_values(summary(plate_3=each)).not_usable for each in (both, shear_alone, turn_alone)]
    assert said == [{"plate 3": ("walk1",)}, {}, {}]
    touched = session_values(summary(plate_3=TOUCHED))
    assert ("plate gain", "plate 3") not in touched.values
    assert ("plate gain", "plate 1") in touched.values
    assert touched.plates == ("plate 1", "plate 3")


def test_the_gain_of_a_plate_leaves_out_what_all_plates_say_of_the_weight() -> None:
    """All plates 10 % up is the mass; one plate up is its gain, known better the more plates there are."""
    spread = package_spread()
    mean, between, within = (getattr(spread, name)[spread.names.index(SUPPORT)] for name in ("mean", "between", "within"))

    def of(loads: Mapping[str, float]) -> Mapping[tuple[str, str], tuple[float, float]]:
        session = summary()
        session["trials"][0]["residuals"] = {SUPPORT: dict(loads)}
        return session_values(session).values

    alone = of({"plate 1": mean + 10.0})
    assert alone["plate gain", "plate 1"] == pytest.approx((mean + 10.0, np.sqrt(between + within)))
    plates = [f"plate {n}" for n in range(1, 5)]
    all_up = of(dict.fromkeys(plates, mean + 10.0))
    share = between / (between + within / 3)
    assert all_up["plate gain", "plate 1"][0] == pytest.approx(mean + 10.0 * (1.0 - share))
    assert all_up["plate gain", "plate 1"][1] == pytest.approx(np.sqrt(within + between * (1.0 - share)))
    assert all_up["mass", ""] == pytest.approx((mean + 10.0, np.sqrt(between + within / 4)))
    draws = np.random.default_rng(1).normal(size=(20000, 5)) * np.sqrt([between, *[within] * 4])
    four = mean + draws[:, :1] + draws[:, 1:]
    some = [of(dict(zip(plates, row.tolist(), strict=True)))["plate gain", "plate 1"] for row in four[:2000]]
    assert np.std([value for value, _ in some]) == pytest.approx(some[0][1], rel=0.06)


def test_untypical_feet_say_nothing_of_a_plate_s_place() -> None:
    session = summary()
    session["plates"]["silent"] = [{"plate": "plate 1", "rule": "plate-step-untypical"}]
    assert not [key for key in session_values(session).values if key[0] in ("plate x", "plate y", "plate turn")]


def test_a_session_takes_the_past_without_itself_and_without_later_days() -> None:
    past = values_of(moved(20, 99))
    own = session_values(summary(12), inputs={"walk1.c3d": f"{12:064d}"})
    memory = remembered(past, own)
    assert memory.sessions == tuple(each.sha256 for each in past[:12])
    assert memory.not_usable == {"plate 1": (0, 12), "plate 3": (0, 12)}
    undated = session_values(summary(12, subject={"session_date": None}), inputs={"walk1.c3d": f"{12:064d}"})
    assert len(remembered(past, undated).sessions) == 19


def test_a_session_is_the_one_that_names_the_change() -> None:
    """What the charts say of all sessions at once, the session in which it happens says of itself."""
    summaries = moved()
    every = values_of(summaries)
    ((at, key, size, sessions),) = charted_lab(every).alarms()
    rules = {}
    for place in (at - 1, at):
        found = list(memory_findings(remembered(every, every[place]), every[place]))
        rules[place] = [finding.rule for finding in found]
    assert rules == {at - 1: ["lab-remembers"], at: ["lab-remembers", "lab-changed"]}
    assert dict(found[1].values) == {
        "chart": key[0], "of": key[1], "size": pytest.approx(size), "unit": "mm", "sessions": sessions, "session": "",
    }  # fmt: skip


def test_what_was_taken_comes_back_from_the_manifest_and_names_nobody() -> None:
    every = values_of([*moved(45), summary(46, plate_3=TOUCHED, subject={"code": "P003", "leg_length_m": {"L": 0.9}})])
    own = session_values(summary(50, 12.0, TOUCHED, subject={"code": "P003", "leg_length_m": {"L": 0.8}}))
    memory = remembered(every, own)
    text = json.dumps(memory.to_dict())
    again = Memory.from_dict(json.loads(text))
    found = [(f.rule, dict(f.values)) for f in memory_findings(memory, own)]
    assert found == [(f.rule, dict(f.values)) for f in memory_findings(again, own)]
    assert {rule for rule, _ in found} == {"lab-remembers", "lab-plate-not-usable", "lab-bones-differ"}
    assert json.dumps(again.to_dict()) == text
    assert "P0" not in text
    assert "s1" not in text
    nothing = remembered([], own)
    assert Memory.from_dict(json.loads(json.dumps(nothing.to_dict()))).keys == ()
    assert [f.rule for f in memory_findings(nothing, own)] == ["lab-remembers", "lab-plate-not-usable"]


@pytest.mark.parametrize(
    ("age", "was_m", "now_m", "treated", "differs"),
    [
        (30.0, 0.90, 0.91, None, False), (30.0, 0.90, 0.92, None, True), (30.0, 0.90, 0.88, None, True),
        (8.0, 0.60, 0.63, None, False), (8.0, 0.60, 0.70, None, True), (8.0, 0.60, 0.58, None, True),
        (30.0, 0.90, 0.92, "2026-06-01", False), (30.0, 0.90, 0.92, "2025-06-01", True), (30.0, 0.90, 0.92, "", False),
        (None, 0.60, 0.70, None, False), (None, 0.60, 0.58, None, True),
    ],
)  # fmt: skip
def test_bones_of_one_person(age: float | None, was_m: float, now_m: float, treated: str | None, *, differs: bool) -> None:
    """Half a year apart: adults keep their bones, children grow, and nothing is compared over a treatment."""

    def of(day: str, leg_m: float) -> dict[str, Any]:
        subject = {"code": "anna", "session_date": day, "age_years": age, "leg_length_m": {"L": leg_m}}
        return {"subject": subject, "plates": None, "trials": []}

    clinic = {} if treated is None else {"treatment 1": {"kind": "osteotomy", "date": treated}}
    own = session_values(of("2026-08-01", now_m) | {"clinic": clinic})
    past = [session_values(of("2026-02-01", was_m), "first", "a"), session_values(summary(3), "other", "b")]
    found = [each for each in memory_findings(remembered(past, own), own) if each.rule == "lab-bones-differ"]
    assert bool(found) == differs
    if found:
        assert f"leg on the left {1000 * now_m:.0f} mm for {1000 * was_m:.0f}" in found[0].message
        assert f"Bein links {1000 * now_m:.0f} mm statt {1000 * was_m:.0f}" in found[0].text("de")


def test_spread_of_placement_by_examiner() -> None:
    """An examiner of few sessions has the laboratory's."""
    of = ["ann"] * 9 + ["bob"] * 4
    every = values_of([summary(at, clinic={"": {"examiner": name}}) for at, name in enumerate(of)])
    everybody, ann, bob = placement_spread(every)
    legs = [leg for session in every for leg in session.placement[PLACED[0]]]
    assert everybody["sd"][PLACED[0]] == pytest.approx(np.std(legs, ddof=1))
    assert ann["sd"][PLACED[0]] == pytest.approx(np.std(legs[:18], ddof=1))
    assert (bob["sessions"], bob["of"], bob["sd"]) == (4, "", everybody["sd"])


def test_the_command_prints_every_number_and_names_sessions(tmp_path: Path) -> None:
    summaries = [*moved(59), summary(59, 12.0, TOUCHED)]
    folder = written(tmp_path / "results", summaries)
    shown = CliRunner().invoke(app, ["lab", str(folder), "--json"])
    assert shown.exit_code == 3
    document = json.loads(shown.stdout)
    assert document == json.loads(json.dumps(lab_document(charted_lab(read_sessions(folder)[0]))))
    x = next(each for each in document["charts"] if (each["chart"], each["of"]) == ("plate x", "plate 1"))
    assert x["value"][7] == pytest.approx(summaries[7]["plates"]["places"][0]["elsewhere"]["x_mm"])
    assert len(x["alarms"]) == 1
    assert document["sessions"][59]["not_usable"] == {"plate 3": ["walk1"]}
    drawn = CliRunner().invoke(app, ["lab", str(folder), "-o", str(tmp_path / "lab.pdf"), "--language", "de"])
    assert drawn.exit_code == 3
    assert "Der Ort von Platte 1 in x änderte sich um etwa" in drawn.output
    assert "Platte 3 ist in 1 von 60 Sitzungen, die sie belasten, nicht brauchbar: session059." in drawn.output
    assert (tmp_path / "lab.pdf").read_bytes().startswith(b"%PDF")


def test_charts_read_in_grey_and_name_what_is_on_the_page() -> None:
    """Both sums were told apart by colours, red as an alarm is; sixty names were cut before the one that mattered."""
    lab, style = charted_lab(values_of([*moved(59), summary(59, 12.0, TOUCHED)])), load_style(language="de")
    ((at, *_),) = lab.alarms()
    with mpl.rc_context(style.rc):
        pages = {page.title: page.figure for page in lab_pages(lab, style)}
    assert set(pages) == {f"{what}, Sitzung für Sitzung" for what in ("Maße, Marker und Ereignisse", "Platte 1", "Platte 3")}
    words = {title: [text.get_text() for text in figure.findobj(Text)] for title, figure in pages.items()}
    assert f"1 s0, {at + 1} s{at}, 60 s59" in words["Platte 1, Sitzung für Sitzung"]
    assert "1 s0, 60 s59" in words["Platte 3, Sitzung für Sitzung"]
    first = charted_lab(values_of(moved(3)))
    with mpl.rc_context(style.rc):
        assert "1 s0, 2 s1, 3 s2" in [text.get_text() for text in next(lab_pages(first, style)).figure.findobj(Text)]
    sums = {
        line.get_gid(): (tuple(line.get_colors()[0]), str(line.get_linestyles()[0]))
        for line in pages["Platte 1, Sitzung für Sitzung"].findobj(LineCollection) if str(line.get_gid()).startswith("sum ")
    }  # fmt: skip
    (up, solid), (down, dashed) = sums["sum 0"], sums["sum 1"]
    assert up == down
    assert solid != dashed


def test_a_folder_that_is_not_there_is_refused_and_an_empty_one_is_a_first_day(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no folder"):
        read_sessions(tmp_path / "nowhere")
    assert read_sessions(tmp_path) == ((), ())
    assert list(lab_findings(charted_lab(()))) == []
    drawn = CliRunner().invoke(app, ["lab", str(tmp_path), "-o", str(tmp_path / "lab.pdf")])
    assert (drawn.exit_code, f"{tmp_path} holds no results of run or batch;" in drawn.output) == (1, True)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("summary.json", b'{"schema": 3, "subj'), ("summary.json", b""), ("summary.json", b"[1]"), ("summary.json", b"\xff\xfe"),
        ("summary.json", b'{"name": "another program"}'), ("summary.json", b'{"schema": 3}'), ("summary.json", b'{"schema": 99}'),
        ("summary.json", b'{"schema": 3, "subject": 4, "trials": "x"}'), ("summary.json", None),
        ("manifest.json", b'{"schema": 3'), ("manifest.json", None),
    ],
)  # fmt: skip
def test_one_damaged_result_stops_no_other_and_is_named(tmp_path: Path, file: str, content: bytes | None) -> None:
    """None is a folder of that name."""
    folder = written(tmp_path / "results", moved(3))
    damaged = folder / "session001" / file
    damaged.unlink()
    damaged.mkdir() if content is None else damaged.write_bytes(content)
    sessions, unread = read_sessions(folder)
    assert ([each.name for each in sessions], unread) == (["session000", "session002"], ("session001",))
    shown = CliRunner().invoke(app, ["lab", str(folder)])
    assert shown.exit_code == 3
    assert "1 past result of the laboratory cannot be read as a session's and is left out: session001." in shown.output
    memory = remembered(sessions, session_values(summary(9)), len(unread))
    again = Memory.from_dict(json.loads(json.dumps(memory.to_dict())))
    (_, said) = memory_findings(again, session_values(summary(9)))
    assert said.rule == "lab-unread"
    assert "session001" not in said.message
    assert said.text("de").endswith("Sitzung zu lesen und ist weggelassen; `biomech-id lab` mit dem Ordner nennt sie.")


def test_what_is_still_being_written_is_no_session(tmp_path: Path) -> None:
    folder = written(tmp_path / "results", moved(2))
    written(folder / unfinished_of(Path("session002")), moved(1))
    assert [each.name for each in read_sessions(folder)[0]] == ["session000", "session001"]
    assert [each.name for each in read_sessions(folder / "session001")[0]] == ["session001"]


def at_place(at: int, x_mm: float, plates: int = 2) -> dict[str, Any]:
    """A session whose plates stand in a row from there on."""
    corner = np.array([[0.0, 0.0, 0.0], [400.0, 0.0, 0.0], [400.0, 600.0, 0.0], [0.0, 600.0, 0.0]])
    session = summary(at)
    session["trials"][0]["plates"] = [
        {"name": f"plate {n}", "corners_mm": (corner + [x_mm + 500.0 * n, 0.0, 0.0]).tolist()} for n in range(plates)
    ]
    return session


def test_sessions_of_two_laboratories_are_not_one_past(tmp_path: Path) -> None:
    """Most sessions are the laboratory's; a session's own plates say which is its; nobody's plates belong to both."""
    every = [at_place(0, 0.0), at_place(1, 2000.0), at_place(2, 60.0), at_place(3, 0.0, plates=0)]
    lab = read_lab(written(tmp_path / "results", every))
    assert ([each.name for each in lab.sessions], lab.elsewhere) == (["session000", "session002", "session003"], ("session001",))
    (said,) = lab_findings(lab)
    assert said.message.startswith("1 past session of other plates is left out (session001): another laboratory's")
    past = values_of(every)
    for x_mm, own in ((0.0, (0, 2, 3)), (2000.0, (1, 3)), (900.0, (3,))):
        memory = remembered(past, session_values(at_place(9, x_mm)))
        assert memory.sessions == tuple(past[at].sha256 for at in own)
        assert memory.elsewhere == 4 - len(own)
        (_, told) = memory_findings(memory, session_values(at_place(9, x_mm)))
        assert told.rule == "lab-elsewhere"
        assert "(" not in told.message
    one_moved = at_place(9, 0.0)
    one_moved["trials"][0]["plates"][1] = at_place(9, 300.0)["trials"][0]["plates"][1]
    assert remembered(past, session_values(one_moved)).elsewhere == 1


def test_charts_are_written_where_the_user_says_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "results", moved(2))
    empty = tmp_path / "here"
    empty.mkdir()
    monkeypatch.chdir(empty)
    shown = CliRunner().invoke(app, ["lab", str(folder)])
    assert (shown.exit_code, shown.output, list(empty.iterdir())) == (0, "", [])
    for place in ("", str(empty)):
        refused = CliRunner().invoke(app, ["lab", str(folder), "-o", place])
        assert refused.exit_code == 1
        assert f"{Path(place)} is a folder; name a file in it." in refused.output
    drawn = CliRunner().invoke(app, ["lab", str(folder), "-o", "lab.pdf", "--language", "de"])
    assert drawn.exit_code == 0
    text = "".join(page.extract_text() for page in PdfReader(empty / "lab.pdf").pages)
    assert "Das Gedächtnis des Labors" in text or "Sitzung für Sitzung" in text
