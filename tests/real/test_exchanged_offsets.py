"""A sample of ``benchmarks.studies.exchanged_offsets``, whose table lies beside it: offsets of another person in a walk."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from benchmarks.studies.exchanged_offsets import LEAST_DEG, TABLE, THIGH, WALKS, judged, offsets_of, turned, walk
from biomech_id import Trial

pytestmark = pytest.mark.real


def said() -> dict[str, tuple[int, int]]:
    """Row of the committed table -> how often something was said, of how many."""
    rows = re.findall(r"^\| (.+) \| (\d+) of (\d+) \(", TABLE.read_text(encoding="utf-8"), re.M)
    return {words: (int(found), int(cases)) for words, found, cases in rows}


def test_the_study_meets_its_gates() -> None:
    table = said()
    for words in ("exchanged, any 1 degree off (abduction 2)", "sign turned, 1 degree off (abduction 2)"):
        found, cases = table[f"{words}, outputs stored"]
        assert cases > 50
        assert found == cases
    for words, least in (
        ("exchanged, any 10 degrees off", 0.85), ("thigh rotation alone 10 degrees off", 0.25),
        ("thigh rotation alone 20 degrees off", 0.9),
    ):  # fmt: skip
        found, cases = table[f"{words}, stripped"]
        assert found >= least * cases
    assert max(table["as recorded, outputs stored"][0], table["as recorded, stripped"][0]) <= 1


@pytest.fixture(scope="module")
def walks(c3d_dir: Path) -> list[Trial]:
    return [walk(c3d_dir / f"{name}.c3d") for name in WALKS[8:17:2]]


def test_a_sample_is_as_the_table_says(walks: list[Trial]) -> None:
    own = [judged(trial, offsets_of(trial)) for trial in walks]
    assert [case.stored | case.stripped for case in own] == [frozenset()] * len(walks)
    pairs = [judged(one, offsets_of(other)) for one, other in list(permutations(walks, 2))[::2]]
    apart = [case for case in pairs if any(case.off_deg[field] >= least for field, least in LEAST_DEG.items())]
    assert len(apart) > 5
    assert all(case.stored for case in apart)
    far = [case for case in pairs if max(case.off_deg.values()) >= 10.0]
    assert sum(bool(case.stripped) for case in far) >= 0.7 * len(far)
    thigh = [judged(trial, turned(offsets_of(trial), THIGH, 20.0), stored=False) for trial in walks]
    assert sum(bool(case.stripped) for case in thigh) >= len(walks) - 1
