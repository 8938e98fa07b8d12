"""The benchmark of the commands: its bookkeeping, that its commands exist, and that its page holds its rows. Nothing is timed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from benchmarks import commands
from benchmarks.commands import COMMANDS, PAGE, Checkout, measured, ratios, seconds, table, versions, wanted, with_table
from biomech_id.cli.app import app

KNOWN: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
TWO = (Checkout("this", Path("a"), {}), Checkout("before", Path("b"), {}))


def test_checkouts_take_turns_and_the_order_turns_round() -> None:
    order: list[str] = []

    def measure(checkout: Checkout, command: str) -> float:
        order.append(checkout.name)
        return float(len(order))

    taken = measured(TWO, "check", 3, measure)
    assert order == ["this", "before", "before", "this", "this", "before"]
    assert taken == {"this": [1.0, 4.0, 5.0], "before": [2.0, 3.0, 6.0]}
    assert ratios(taken, "this", "before") == [1 / 2, 4 / 3, 5 / 6]


def test_a_command_that_a_version_lacks_is_asked_once_and_shown_as_a_dash() -> None:
    asked: list[str] = []

    def measure(checkout: Checkout, command: str) -> float | None:
        asked.append(checkout.name)
        return None if checkout.name == "before" else 2.0

    taken = measured(TWO, "lab", 3, measure)
    assert asked.count("before") == 1
    assert table({"`lab`": taken}, ["this", "before"])[-1] == "| `lab` | 2.00 | - | - |"


def test_medians_stand_beside_the_median_of_the_ratios_of_pairs() -> None:
    taken = {"this": [1.0, 2.0, 9.0], "before": [2.0, 2.0, 3.0]}
    assert table({"`check`": taken}, ["this", "before"]) == [
        "|  | this, CPU s | before, CPU s | this / before |",
        "|---|---|---|---|",
        "| `check` | 2.00 | 2.00 | 1.00 (0.50 to 3.00) |",
    ]


@pytest.mark.parametrize(("code", "spent"), [(0, 1.5), (3, 1.5), (2, None)])
def test_only_a_wrong_command_line_means_that_a_version_lacks_it(
    code: int, spent: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Done:
        returncode, stderr = code, ""

    monkeypatch.setattr(commands, "timed_program", lambda *_: (Done, 1.5))
    assert seconds(TWO[0], "check a") == spent
    monkeypatch.setattr(Done, "returncode", 1)
    with pytest.raises(commands.CommandFailedError, match="check a ended with 1"):
        seconds(TWO[0], "check a")


def test_other_checkouts_are_named_by_their_folder() -> None:
    one, other = Path("/x/first").resolve(), Path("/y/first").resolve()
    assert list(versions("")) == ["this"]
    assert versions(str(one)) == {"this": commands.ROOT, "first": one}
    assert versions(os.pathsep.join([str(one), str(other)])) == {"this": commands.ROOT, str(one): one, str(other): other}


def test_rows_of_a_recorded_child_need_the_recordings() -> None:
    without, with_child = wanted({}, []), wanted({"recorded": Path("a")}, [])
    assert set(with_child) == set(COMMANDS)
    assert set(with_child) - set(without) == {row for row in COMMANDS if "recorded" in row}
    assert list(wanted({}, ["norm"])) == [row for row in COMMANDS if "`norm`" in row]


def unknown(command: str) -> set[str]:
    """The command, or those of its options, that this version does not have."""
    name, *words = command.split(" ")
    if name.startswith("-"):
        return {name} - {"--help"}
    if name not in KNOWN:
        return {name}
    options = {spelling for parameter in KNOWN[name].params for spelling in parameter.opts}
    return {word for word in words if word.startswith("-")} - options


def test_every_command_and_option_is_there() -> None:
    assert set().union(*map(unknown, COMMANDS.values())) == set()
    assert unknown("runs a") == {"runs"}
    assert unknown("run a --noreport -o b") == {"--noreport"}


def test_the_page_holds_the_rows_of_the_benchmark_and_no_others() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| `")]
    assert rows == list(COMMANDS)
    assert with_table("a\n" + commands.BEGIN + "\nold\n" + commands.END + "\nb\n", ["new"]) == (
        "a\n" + commands.BEGIN + "\nnew\n" + commands.END + "\nb\n"
    )
