"""Markers that a set leaves over: a sample of the study is as its table says, and the table holds its gates."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.leftover_labels import DRAWS, OUTCOMES, SEED, TABLE, person, recorded, row_of, taken_of, virtual

pytestmark = pytest.mark.real
RECORDINGS = (
    "children/HC033A/HC033A01.c3d", "drop_jump/FAILT01_static02.c3d", "knee_device/kad_medial/PiGKadMed_Calibration.c3d",
    "labs_abroad/examined_child/static.c3d", "labs_abroad/sacrum_and_medials/static.c3d", "leardini/static01.c3d",
    "motionmonitor/static_pose.c3d", "plug_in_gait/PiG_Calibration3_noFF.c3d",
)  # fmt: skip
MEDIAL = ("medial_epicondyle", "medial_malleolus")


def counts(part: str) -> dict[str, dict[str, int]]:
    """Role -> outcome -> number, of the first table below a heading."""
    below = TABLE.read_text(encoding="utf-8").partition(f"## {part}\n")[2].partition("Without")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in below.splitlines() if line.startswith("| ")]
    return {row[0]: dict(zip(OUTCOMES, map(int, row[1:]), strict=True)) for row in cells[1:]}


@pytest.mark.parametrize(("part", "true"), [("Virtual people", ("right",)), ("Recordings beside the project", ("right", "asked"))])
def test_the_table_holds_its_gates(part: str, true: tuple[str, ...]) -> None:
    told = counts(part)
    every = sum(sum(told[role].values()) for role in MEDIAL)
    assert sum(told[role][what] for role in MEDIAL for what in true) >= 0.95 * every
    assert every >= 600
    assert {role: row["wrong"] for role, row in told.items()} == dict.fromkeys(told, 0)


def test_an_analysis_takes_no_name_that_is_wrong() -> None:
    """Also of trials without medial markers, where a foot model's point or a patella is named, and not taken."""
    assert TABLE.read_text(encoding="utf-8").count("\nTaken wrongly by an analysis: 0 as they are, 0 without.\n") == 2


def test_recordings_are_as_the_table_says(shared_dir: Path) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    trials = [recorded(shared_dir, path) for path in RECORDINGS]
    assert [row for one in trials if (row := row_of(one.name, [one])) not in lines] == []
    assert sum(taken_of([each for one in trials for each in (one, one.bare())], 1)) == 0


@pytest.mark.parametrize("number", [0, 4, 19])
def test_people_are_as_the_table_says(number: int) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert row_of(person(number)[0].name, virtual([number], DRAWS, SEED)) in lines
