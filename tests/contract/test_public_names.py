"""Every name the package promises can be had, and having one does not load what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

import biomech_id
from biomech_id.deprecation import BiomechDeprecationWarning


@pytest.mark.parametrize("name", biomech_id.__all__)
def test_public_name_is_there(name: str) -> None:
    assert getattr(biomech_id, name) is not None
    assert name in dir(biomech_id)


def test_public_names_and_their_places_are_one_list() -> None:
    assert set(biomech_id._PUBLIC) | {"__version__"} == set(biomech_id.__all__)


def test_tab_completion_offers_the_public_names_and_nothing_else() -> None:
    assert {name for name in dir(biomech_id) if not name.startswith("__")} == set(biomech_id.__all__) - {"__version__"}


def test_at_most_forty_five_names() -> None:
    # The two doors have names of their own behind them.
    assert len(set(biomech_id.__all__) - {"__version__", "mechanics", "osim"}) <= 45


@pytest.mark.parametrize("name", biomech_id._GOES)
def test_a_name_that_goes_still_works_and_warns(name: str) -> None:
    with pytest.warns(BiomechDeprecationWarning, match=f"biomech_id.{name} is deprecated .* write from biomech_id"):
        assert getattr(biomech_id, name) is not None
    assert name not in dir(biomech_id)


@pytest.mark.parametrize("door", ["mechanics", "osim"])
def test_every_name_of_a_door_is_there(door: str) -> None:
    room = getattr(biomech_id, door)
    assert set(dir(room)) == set(room.__all__)
    assert all(getattr(room, name) is not None for name in room.__all__)


def test_a_name_that_does_not_exist_says_so() -> None:
    with pytest.raises(AttributeError, match="solv3"):
        biomech_id.solv3  # noqa: B018


@pytest.mark.parametrize(
    ("name", "unneeded"),
    [("solve", {"pandas", "matplotlib", "ezc3d", "scipy.signal"}), ("read_c3d", {"pandas", "matplotlib", "scipy.signal"})],
)
def test_a_name_loads_only_what_it_needs(name: str, unneeded: set[str]) -> None:
    code = f"import sys, biomech_id; biomech_id.{name}; found = {unneeded!r} & set(sys.modules); assert not found, found"
    subprocess.run([sys.executable, "-c", code], check=True)
