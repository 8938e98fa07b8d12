"""What will go still works, and says since when, until when and what to write instead, at the line that uses it."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from biomech_id.deprecation import BiomechDeprecationWarning, deprecated, goes_in
from biomech_id.errors import BiomechWarning, WrongTypeError


@deprecated("0.2", "walk()")
def stroll(steps: int) -> int:
    return steps


@deprecated("0.2", "nothing", arguments={"cutoff": "cutoff_Hz", "colour": None})
def smooth(values: float, *, cutoff_Hz: float = 6.0) -> tuple[float, float]:
    """Smooth."""
    return values, cutoff_Hz


class Walk:
    @property
    @deprecated("1.9", "Walk.speed_m_s")
    def speed(self) -> float:
        return 1.2

    @deprecated("0.2")
    def old(self) -> str:
        return "old"


def warned(call: object) -> BiomechDeprecationWarning:
    with pytest.warns(BiomechDeprecationWarning) as caught:
        call()  # type: ignore[operator]
    (one,) = caught
    assert Path(one.filename).name == Path(__file__).name
    assert isinstance(one.message, BiomechDeprecationWarning)
    return one.message


def test_a_function_a_method_and_an_attribute() -> None:
    message = warned(lambda: stroll(3))
    assert isinstance(message, DeprecationWarning)
    assert isinstance(message, BiomechWarning)
    assert str(message) == "stroll is deprecated since version 0.2 and goes in version 0.4: write walk() instead."
    assert (message.name, message.since, message.until, message.instead) == ("stroll", "0.2", "0.4", "walk()")
    assert str(warned(lambda: Walk().speed)).startswith(
        "Walk.speed is deprecated since version 1.9 and goes in version 1.11: write Walk."
    )
    assert str(warned(lambda: Walk().old())).endswith("goes in version 0.4: leave it out.")


def test_what_it_returns_is_what_it_returned() -> None:
    with pytest.warns(BiomechDeprecationWarning):
        assert stroll(3) == 3
    with pytest.warns(BiomechDeprecationWarning):
        assert Walk().speed == 1.2


def test_an_argument_that_has_another_name_or_none() -> None:
    assert smooth(1.0, cutoff_Hz=2.0) == (1.0, 2.0)  # a warning would be an error here
    with pytest.warns(BiomechDeprecationWarning, match=r"smooth\(cutoff\) .* write cutoff_Hz instead"):
        assert smooth(1.0, cutoff=4.0) == (1.0, 4.0)  # type: ignore[call-arg]
    with pytest.warns(BiomechDeprecationWarning, match=r"smooth\(colour\) .* write nothing instead"):
        assert smooth(1.0, colour="red") == (1.0, 6.0)  # type: ignore[call-arg]
    assert list(inspect.signature(smooth).parameters) == ["values", "cutoff_Hz"]
    assert smooth.__doc__ == "Smooth."


def test_both_names_of_one_argument_are_refused() -> None:
    with pytest.warns(BiomechDeprecationWarning), pytest.raises(WrongTypeError, match="leave cutoff out") as refused:
        smooth(1.0, cutoff=4.0, cutoff_Hz=5.0)  # type: ignore[call-arg]
    assert refused.value.value == 4.0


def test_two_minor_versions() -> None:
    assert [goes_in(version) for version in ("0.1.0", "0.2", "1.9.3")] == ["0.3", "0.4", "1.11"]
