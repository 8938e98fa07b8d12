"""The page of the fit that a session's model comes of: when it is there and what it shows, of a folder as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest

from biomech_id.errors import Finding
from biomech_id.report import draw_report
from biomech_id.report.book import page_kinds, session_pages
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.page import Content
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.tables.session_tables import Tables

Build = Callable[..., Tables]
MISPLACED = Finding("fit-marker-misplaced", {"marker": "RKNE", "body": "femur_r", "moved_mm": 78.0, "times": 4.5}, "RKNE")


def size(factor: float, sd: float, *known: bool, above: str, at: tuple[float, float, float]) -> dict[str, Any]:
    return {"factors": [factor, 1.0, 1.0], "sd": [sd, 0.02, 0.02], "from_data": known, "above": above, "standing_m": at}


def marker(role: str, verdict: str, rms_m: float, moved: float) -> dict[str, Any]:
    return {
        "body": "femur_r", "role": role, "verdict": verdict, "rms_m": rms_m, "moved_m": [0.0, moved, 0.0],
        "sd_m": [0.004, 0.005, 0.003], "standing_m": [[0.0, 0.5, 0.1], [0.0, 0.5 + moved, 0.1]],
    }  # fmt: skip


FIT = {
    "converged": True, "lengths": {"thigh_r": {"m": 0.4356, "sd_m": 0.0077}},
    "hip_in_pelvis": {"r": {"m": [-0.082, -0.073, 0.102], "sd_m": [0.0038, 0.0029, 0.0036]}},
    "bodies": {
        "pelvis": size(1.15, 0.05, True, True, False, above="", at=(0.0, 0.95, 0.0)),
        "femur_r": size(0.70, 0.10, False, True, False, above="pelvis", at=(-0.08, 0.87, 0.10)),
    },
    "markers": {
        "RKNE": marker("landmark", "misplaced", 0.016, 0.078), "RASI": marker("landmark", "accept", 0.004, 0.01),
        "RTHI": marker("free", "accept", 0.005, 0.06),
    },
    "trials": {"walk1": {"frames": 121, "frames_without_markers": 1, "rms_m": 0.0031, "samples_out": 7}},
}  # fmt: skip


def fitted(tables: Tables, *findings: Finding, **changed: Any) -> Tables:
    noted = [
        {**f.to_dict(), "severity": f.severity.value, "message": f.message, "hint": f.hint, "where": f.where} for f in findings
    ]
    summary = {**tables.summary, "findings": [*tables.summary["findings"], *noted]}
    return replace(tables, summary=summary, calibration={**tables.calibration, "fit": FIT | changed})


def test_it_is_there_where_a_fit_is_and_in_no_other_report(build: Build) -> None:
    (kind,) = (kind for kind in page_kinds() if kind.name == "fitted_model")
    plain = build()
    released = replace(plain, calibration={"fit": FIT | {"markers": {}}})
    assert kind.spared is not None
    assert [kind.spared(Content(each, [], load_style(), None)) for each in (fitted(plain), plain, released)] == [False, True, True]


@pytest.mark.parametrize(
    ("language", "sentence", "place"), [("en", "with warnings", "misplaced"), ("de", "mit Warnungen", "falscher Ort")]
)
def test_a_folder_alone_draws_the_same_page(build: Build, tmp_path: Path, language: str, sentence: str, place: str) -> None:
    tables, style = fitted(build(), MISPLACED), load_style(language=language)
    write_folder(tables, tmp_path / "out")
    texts = []
    for number, each in enumerate((tables, read_tables(tmp_path / "out"))):
        path = draw_report(each, tmp_path / f"{number}.pdf", pages=["fitted_model"], style=style)
        texts.append([" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages])
    assert texts[0] == texts[1]
    first, second = texts[0]
    assert sentence in first
    # 95 %: 1.96 times 7.7 mm, and 1.96 times 3.8 mm; of six sizes three are known.
    mark = style.decimal_mark
    assert f"{style.label('segment.thigh')} – 436 ± 15" in first
    assert "– −82 ± 7" in first
    assert style.label("fitted_model.from_recordings", n=3, of=6) in first
    assert f"walk1 120 3{mark}1 7" in first
    assert MISPLACED.text(language) in first
    assert f"RKNE femur_r {style.label('fitted_model.landmark')} 78 ± 10 16{mark}0 {place}" in second
    assert f"RTHI femur_r {style.label('fitted_model.free')} 60 ± 10 5{mark}0 –" in second


def lines_of(tables: Tables) -> dict[str, list[np.ndarray]]:
    (figure, *_) = (page.figure for page in session_pages(tables, load_style(), None, ["fitted_model"]))
    drawn = [each for axes in figure.axes for each in axes.collections if each.get_gid()]
    return {str(each.get_gid()): [np.asarray(path.vertices) for path in each.get_paths()] for each in drawn}


def test_what_the_recordings_show_is_drawn_apart_from_people_s_mean(build: Build) -> None:
    lines = lines_of(fitted(build()))
    (pelvis,), (femur,) = lines["shown|forwards"], lines["mean|forwards"]
    np.testing.assert_allclose(pelvis[:, 0], 115.0 * np.exp([-1.96 * 0.05, 1.96 * 0.05]))
    np.testing.assert_allclose(femur[:, 0], 70.0 * np.exp([-1.96 * 0.10, 1.96 * 0.10]))
    assert pelvis[0, 1] > femur[0, 1]
    assert [len(lines[f"{name}|to_the_right"]) for name in ("shown", "mean")] == [0, 2]


def test_errors_and_ways_of_markers_are_three_times_as_large(build: Build) -> None:
    lines = lines_of(fitted(build()))
    circle, way = lines["marker|RKNE|front"]
    np.testing.assert_allclose(np.ptp(circle, axis=0), 3 * 2 * 0.016)
    # The person's right is on the left of who looks from the front.
    np.testing.assert_allclose(way, [[-0.1, 0.578 - 3 * 0.078], [-0.1, 0.578]])
    assert len(lines["marker|RTHI|right_side"]) == 1


def test_a_fit_that_had_not_arrived_and_one_without_fault_say_so(build: Build, tmp_path: Path) -> None:
    def text(**changed: Any) -> str:
        path = draw_report(fitted(build(), **changed), tmp_path / "a.pdf", pages=["fitted_model"])
        return " ".join(pypdf.PdfReader(path).pages[0].extract_text().split())

    assert "not to be used" in text(converged=False)
    left = {"rms_force_N": 40.0, "peak_force_share": 0.081, "rms_moment_Nm": 17.1, "peak_moment_share": 0.039}
    forces = text(forces={"before": left, "after": dict.fromkeys(left, 0.01), "dynamically_consistent": False})
    assert "nothing was found wrong" in forces
    assert "Force, peak, % 8.1 1.0" in forces
    assert "Dynamically consistent no" in forces


def test_asked_for_without_a_fit_it_says_so(build: Build, tmp_path: Path) -> None:
    path = draw_report(build(), tmp_path / "a.pdf", pages=["fitted_model"])
    assert "is not one that `biomech-id fit` made" in pypdf.PdfReader(path).pages[0].extract_text()
