"""A sample of ``benchmarks.studies.plate_repairs``, whose table lies beside it: right repairs are offered, wrong ones seldom."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.designed_faults import SEED
from benchmarks.studies.plate_repairs import NONE, RIGHT, TABLE, faults, judged, offered, sessions, turned

pytestmark = [pytest.mark.real, pytest.mark.slow]
#: Person of the sample, and faults of plates that no mirror is.
PERSON, OTHERS = "NP1006", ("Fx and Fy exchanged", "plates turned by 180 deg", "crosstalk of 10 %")


def table() -> dict[str, list[int]]:
    rows = re.findall(r"^\| (.+?) \| (\d+ \| \d+ \| \d+ \| \d+ \| \d+) \|$", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    return {fault: [int(n) for n in counts.split(" | ")] for fault, counts in rows}


def test_a_mirror_is_never_taken_for_another_and_seldom_something_else_for_a_mirror() -> None:
    counts = table()
    assert [fault for fault, (*_, wrong, _) in counts.items() if wrong and " mirrored along " in fault] == []
    # Of everything else at most one in a hundred is offered a repair that is not right.
    assert sum(wrong for *_, wrong, _ in counts.values()) <= 0.01 * sum(sum(each) for each in counts.values())
    right, part, none, *_ = counts["as recorded"]
    assert (right, part) == (0, 0)
    assert none >= 15


def test_a_sample_is_as_the_table_says(c3d_dir: Path) -> None:
    name, trials = next(each for each in sessions(c3d_dir) if each[0] == PERSON)
    outcomes = {}
    for part in ("", "force"):
        faulty = turned(trials, [1], "y", part)
        outcomes[f"{part or 'all'} mirrored along y, one plate"] = judged(trials, faulty, offered(faulty) or ())
    assert set(outcomes.values()) == {RIGHT}
    of_others = {fault: faulty for fault, faulty in faults(trials, np.random.default_rng(SEED)) if fault in OTHERS}
    assert {fault: judged(trials, faulty, offered(faulty) or ()) for fault, faulty in of_others.items()} == dict.fromkeys(
        OTHERS, NONE
    )
    assert all(table()[fault][0] > 0 for fault in outcomes)
    assert name == PERSON
