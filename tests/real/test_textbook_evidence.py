"""The evidence for the textbook mode: the page says what the study found, and the study finds it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.two_modes import MODES, TABLE, medians, of_children, of_two_walks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "textbook-evidence.md"
#: The last digit of the table.
DIGIT = 0.00051


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def of_study() -> tuple[dict[tuple[str, str], list[float]], list[list[str]]]:
    whole, _, middle = TABLE.read_text(encoding="utf-8").partition("## Medians")
    known = {(row[0], row[1]): [float(cell) for cell in row[2:]] for row in rows(whole) if row[2][0].isdigit()}
    return known, [row for row in rows(middle) if row[1].isdigit()]


def test_the_page_has_the_study_s_medians() -> None:
    _, middle = of_study()
    assert len(middle) == 12
    assert [row for row in rows(PAGE.read_text(encoding="utf-8")) if row[1].isdigit()] == middle


def test_what_the_page_concludes_is_in_the_medians() -> None:
    _, middle = of_study()
    n, of = {row[0]: int(row[1]) for row in middle}, {row[0]: dict(zip(MODES, map(float, row[2:5]), strict=True)) for row in middle}
    smaller = {row[0]: int(row[5]) for row in middle}
    shank, force, moment = "energy left open, shank, W/kg", "force left at the root, % of weight", "moment left at the root, N m/kg"
    assert abs(of[shank]["textbook"] - of[shank]["vicon"]) < 0.01
    assert smaller[force] == n[force]
    assert of[moment]["textbook"] < 0.5 * of[moment]["vicon"]
    for joint in ("Hip", "Knee"):
        steps = of[f"{joint}Moment X between steps, N m/kg"]
        assert steps["textbook"] < steps["vicon"] < steps["textbook, not smoothed"]


@pytest.mark.real
@pytest.mark.slow
def test_the_study_finds_it_again(shared_dir: Path) -> None:
    known, _ = of_study()
    found = [*of_children(shared_dir, ("HC030A", "HC036A")), *of_two_walks(shared_dir, ("NP1022",))]
    assert len(found) == 3 * (2 * 6 + 6)
    for figure in found:
        expected = known[figure.what, figure.whose][list(MODES).index(figure.mode)]
        assert figure.value == pytest.approx(expected, abs=DIGIT), figure
    assert set(medians(found)) == {what for what, _ in known}
