"""A sample of ``benchmarks.studies.left_out_subjects``, whose table lies beside it: healthy people and the norm of the others."""

from __future__ import annotations

import re

import pytest
from sessions import Sessions

from benchmarks.studies.left_out_subjects import SHALL, TABLE, VARIABLES, Count, counted, exact_interval, people_of

pytestmark = pytest.mark.real

CHILDREN = ("HC002D", "HC030A", "HC031A", "HC032A", "HC033A", "HC036A")


def rows() -> dict[str, tuple[Count, tuple[float, float]]]:
    """Variable -> count and interval of the committed table."""
    found = re.findall(
        r"^\| ([\w ]+?) \| (\d+) \| (\d+) \| [\d.]+ \| ([\d.]+) to ([\d.]+) \| (\d+) \|$", TABLE.read_text(encoding="utf-8"), re.M
    )
    return {
        name: (Count(int(inside), int(people), int(two_sd)), (float(low) / 100.0, float(high) / 100.0))
        for name, people, inside, low, high, two_sd in found
    }


def test_the_exact_interval_is_clopper_and_pearsons() -> None:
    # 0 of 10 and 10 of 10 end where 0.025 of such groups would have none, and all.
    assert exact_interval(0, 10) == (0.0, pytest.approx(1.0 - 0.025 ** (1 / 10), rel=1e-9))
    assert exact_interval(10, 10) == (pytest.approx(0.025 ** (1 / 10), rel=1e-9), 1.0)
    low, high = exact_interval(13, 14)
    assert (low, high) == (pytest.approx(0.6613, abs=1e-4), pytest.approx(0.9982, abs=1e-4))


def test_the_table_holds_every_variable_and_the_share_that_the_band_promises() -> None:
    committed = rows()
    assert list(committed) == [*(" ".join(name).strip() for name in VARIABLES), "all"]
    for name, (count, ends) in committed.items():
        assert ends == (pytest.approx(count.interval[0], abs=6e-4), pytest.approx(count.interval[1], abs=6e-4)), name
        # No variable says that the band holds another share than it shall.
        assert ends[0] <= SHALL <= ends[1] or name == "all", name
    whole, _ = committed["all"]
    assert whole.inside / whole.people > 0.9
    # The eye's band of 2 SD is left by far more than one in twenty.
    assert whole.inside_two_sd / whole.people < 0.8


def test_a_few_of_these_people_agree_with_the_table(sessions: Sessions) -> None:
    people = people_of([sessions[f"children/{who}"].tables for who in CHILDREN])
    assert len(people) == len(CHILDREN)
    counts = [counted(people, name) for name in VARIABLES]
    inside, all_of_them = sum(count.inside for count in counts), sum(count.people for count in counts)
    assert all_of_them > 100
    low, high = exact_interval(inside, all_of_them)
    whole, _ = rows()["all"]
    assert low - 0.03 <= whole.inside / whole.people <= high + 0.03
