"""The page that compares with stored outputs: what it counts, what it calls equal, and when it is there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pypdf
import pytest

from biomech_id.report import draw_report
from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.records import records
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.parity import most_left_out, pooled, verdict_of
from biomech_id.statistics.parity import ParityRow, parity_table, why_different

STYLE = load_style()


def row(variable: str, axis: str, rmse: float, *, side: str = "L", frames: int = 100, quantity: str = "angle", **more) -> ParityRow:
    known = {"correlation": 0.999, "worst_frame": 231, "left_out": {}}
    return ParityRow(
        trial="walk1", side=side, variable=variable, axis=axis, unit="deg", rmse=rmse, largest=2 * rmse, n_frames=frames,
        quantity=quantity, **{**known, **more},
    )  # fmt: skip


ANGLES = (row("HipAngles", "X", 1e-5), row("HipAngles", "X", 3e-5, side="R", frames=300))
MOMENTS = (row("HipMoment", "X", 0.05, quantity="moment"), row("HipMoment", "X", 0.06, side="R", quantity="moment"))


def last_page(path) -> str:
    return " ".join(pypdf.PdfReader(path).pages[-1].extract_text().split())


def words(*rows: ParityRow, kinetics: str = "vicon") -> tuple[str, str]:
    verdict, head, _ = verdict_of(list(records(parity_table(rows))), kinetics, STYLE)
    return verdict, head


def test_the_page_is_the_last_one_of_a_compared_session_and_of_no_other(build, drawing_only, tmp_path):
    drawing_only("cover", "parity")
    plain = build()
    compared = replace(plain, parity=parity_table(ANGLES))
    assert [page.name for page in session_pages(compared, STYLE, None, page_names())][-1] == "parity"
    assert "parity" not in [page.name for page in session_pages(plain, STYLE, None, page_names())]
    text = last_page(draw_report(compared, tmp_path / "a.pdf", pages=["cover", "parity"]))
    assert "Equal to the stored outputs 2 of 2 compared curves" in text
    # 100 frames at 1e-5 and 300 at 3e-5: sqrt((100 * 1e-10 + 300 * 9e-10) / 400) = 2.6e-5; the largest is the right side's 6e-5.
    assert "Hip flexion 2.6e−05 6e−05 0.9990 400 2 of 2 walk1 R 231" in text


def test_asked_for_by_name_it_says_how_to_compare(build, tmp_path):
    assert "biomech-id parity OUT SUBJECT_DIR --report" in last_page(draw_report(build(), tmp_path / "a.pdf", pages=["parity"]))


@pytest.mark.parametrize("language", ["en", "de"])
def test_verdict_names_what_differs_in_every_language(build, language, tmp_path):
    style = load_style(language=language)
    tables = replace(build(), parity=parity_table(ANGLES + MOMENTS))
    text = last_page(draw_report(tables, tmp_path / "a.pdf", pages=["parity"], style=style))
    assert style.label("parity.HipMoment") in text
    assert style.label("parity.HipAngles") not in text.split("Hip flexion")[0].split("Hüftflexion")[0]


def test_textbook_kinetics_may_differ_in_mechanics_and_in_nothing_else():
    assert words(*ANGLES) == ("accept", "Equal to the stored outputs")
    assert words(*ANGLES, *MOMENTS, kinetics="textbook") == ("accept", "Equal to the stored outputs, but for the mechanics")
    assert words(*ANGLES, *MOMENTS, kinetics="vicon") == ("warn", "Not equal to the stored outputs")
    wrong = row("KneeAngles", "X", 1.0)
    assert words(wrong, *MOMENTS, kinetics="textbook") == ("warn", "Not equal to the stored outputs")


def test_curves_that_were_not_compared_are_not_counted_as_equal():
    nothing = row("FootProgressAngles", "X", float("nan"), frames=0, left_out={"turning": 40})
    _, _, sentence = verdict_of(list(records(parity_table((*ANGLES, nothing)))), "vicon", STYLE)
    assert sentence.startswith("2 of 2 compared curves")


def test_pooled_rms_weighs_frames():
    rows = list(records(parity_table((row("HipAngles", "X", 1.0, frames=1), row("HipAngles", "X", 2.0, frames=3)))))
    assert pooled(rows)["rmse"] == pytest.approx(np.sqrt((1 + 3 * 4) / 4), rel=1e-12)


def test_frames_left_out_are_those_of_the_worst_line():
    rows = (
        row("HipAngles", "X", 0.0, left_out={"not_stored": 3, "in_swing": 5}),
        row("HipAngles", "X", 0.0, side="R", left_out={"not_stored": 4, "in_swing": 0}),
        row("HipAngles", "Y", 0.0, left_out={"not_stored": 1, "in_swing": 9}),
    )
    assert most_left_out(list(records(parity_table(rows)))) == {"not_stored": 7, "in_swing": 9}


def test_what_differs_is_blamed_on_what_it_comes_from():
    """Textbook kinetics are named for mechanics only, and never after vicon kinetics; stored offsets with side and size."""
    offset = row("StaticPlantFlex", "", 1.25, quantity="offset", frames=1)
    angle = row("AnkleAngles", "X", 1.0)
    assert str(why_different(MOMENTS, "textbook")).startswith("Textbook kinetics are meant to differ")
    assert "Textbook" not in str(why_different([*MOMENTS, angle], "vicon"))
    assert "3 of them are not what vicon kinetics" in str(why_different([*MOMENTS, angle], "vicon"))
    both = str(why_different([offset, angle, *MOMENTS], "textbook"))
    assert "not those of this static trial: L StaticPlantFlex by 2.5 deg." in both
    assert "1 of them are not what textbook kinetics are meant to differ in." in both
    _, _, sentence = verdict_of(list(records(parity_table([offset, angle]))), "vicon", STYLE)
    assert "L StaticPlantFlex by 2.5 deg" in sentence


def test_an_offset_of_the_head_is_blamed_on_no_foot():
    """Angles of the head follow from it, nothing of a foot does."""
    head = row("HeadOffset", "", 0.26, side="", quantity="offset", frames=1)
    alone = str(why_different([head], "vicon"))
    assert alone.startswith("This static trial differs from the stored HeadOffset by 0.52 deg")
    assert "foot" not in alone
    foot = row("StaticPlantFlex", "", 1.25, quantity="offset", frames=1)
    both = str(why_different([head, foot], "vicon"))
    assert "L StaticPlantFlex by 2.5 deg. Every angle and moment of that foot follows from them. This static trial" in both


def test_the_first_difference_from_the_joint_centres_outwards_is_explained_first():
    """A knee centre before the larger difference of the ankle's angle that follows from it, the larger one of two alike."""
    knees = [row("KJC", "X", 2.0, side="L", quantity="point"), row("KJC", "Y", 3.0, side="R", quantity="point")]
    ankle = row("AnkleAngles", "X", 9.0)
    assert str(why_different([ankle, *knees, *MOMENTS], "textbook")).startswith(
        "The first difference from the joint centres outwards is KJC R"
    )
    assert str(why_different([*MOMENTS, ankle], "textbook")).startswith(
        "The first difference from the joint centres outwards is AnkleAngles"
    )
    assert "first difference" not in str(why_different(MOMENTS, "textbook"))
