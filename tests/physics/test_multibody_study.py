"""A sample of ``benchmarks.studies.multibody_energy``, whose table lies beside it: energy over 10 s, motion given back."""

from __future__ import annotations

import pytest

from benchmarks.studies.multibody_energy import TABLE, run_of


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 5, 9])
def test_energy_and_motion_of_random_systems(number: int) -> None:
    """A tree, a rod, and a slider whose outputs, found from a guess half a second away, once lay on another branch."""
    kind, bodies, lasted, energy, motion = run_of(number)
    assert kind == {2: "tree", 5: "rod", 9: "slider"}[number]
    assert bodies > 1
    assert lasted == 10.0
    assert energy <= 1e-8
    assert motion <= 1e-8


def test_the_table_holds_what_the_study_promises() -> None:
    rows = [line.split("|")[1:-1] for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    assert {row[0].strip() for row in rows} == {"tree", "gears", "coupler", "rod", "four-bar", "slider"}
    assert sum(int(row[1]) for row in rows) == 200
    assert all(float(row[5]) <= 1e-8 and float(row[6]) <= 1e-8 for row in rows)
