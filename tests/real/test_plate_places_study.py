"""Where plates stand by the steps on them: a sample of the study says what its table says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.plate_places import MOVES, TABLE, Session, sessions

pytestmark = pytest.mark.real

#: One child, as recorded and with its plates moved in three ways.
PERSON, SAMPLE = "HC032A", ("as recorded", "+20 mm y", "-20 mm x", "+8 degrees")


def tabled() -> dict[tuple[str, str], tuple[np.ndarray, str, str]]:
    """Person and move -> errors of each plate, plates called elsewhere, plates that may be the person."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").split("Every session:")[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[1] in MOVES:
            errors = np.array([[float(value) for value in plate.split(",")] for plate in cells[2].split(";")])
            found[cells[0], cells[1]] = (errors, cells[3], cells[4])
    return found


@pytest.fixture(scope="module")
def sampled(shared_dir: Path) -> list[Session]:
    return list(sessions(shared_dir, SAMPLE, persons=(PERSON,)))


def test_the_sample_is_as_the_table_says(sampled: list[Session]) -> None:
    assert [each.move for each in sampled] == list(SAMPLE)
    rows = tabled()
    for each in sampled:
        errors, elsewhere, unsure = rows[each.person, each.move]
        assert np.abs(each.error - errors).max() < 0.3, each.move
        assert ("; ".join(each.beyond) or "-", "; ".join(each.open) or "-") == (elsewhere, unsure), each.move


def test_the_table_s_verdicts_follow_from_its_rows() -> None:
    """Six children, eleven ways: what the gates say of all is what the rows of each say."""
    text, rows = TABLE.read_text(encoding="utf-8"), tabled()
    children = {person for person, _ in rows if person.startswith("HC")}
    assert len(rows) == 14 * len(MOVES)
    assert len(children) == 6
    flagged = {move: sum(rows[person, move][1] != "-" for person in children) for move in MOVES}
    found = {gate: holds == "yes" for gate, holds in re.findall(r"^- (.*): (yes|NO)$", text, re.MULTILINE)}
    assert found["20 mm and 8 degrees flagged in 90 %"] == all(flagged[move] >= 0.9 * 6 for move in MOVES if move[1] in "28")
    assert found["30 mm always flagged"] == all(flagged[move] == 6 for move in MOVES if move[1] == "3")
    assert found["at most one false alarm"] == (flagged["as recorded"] <= 1)
    errors = np.concatenate([rows[person, move][0] for person in children for move in MOVES])
    within = (np.abs(errors) <= [10.05, 10.05, 4.05]).mean(axis=0)
    assert found["within 10 mm and 4 degrees in 90 %"] == bool((within >= 0.9).all())
