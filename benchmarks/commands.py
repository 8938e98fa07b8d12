"""What each command costs as a user types it: processor time of whole processes, beside other checkouts in interleaved pairs.

``BIOMECH_ID_BEFORE`` names other checkouts, separated as in ``PATH``; without any the table has this version alone.
``BIOMECH_ID_ROUNDS`` is the number of rounds (seven). ``python -m benchmarks.commands WORDS`` measures the rows whose name holds
one of the words; ``--page`` writes the table into ``docs/commands-cost.md``.

In each round every checkout runs the command once, one right after the other, and every other round goes backwards. Counted is
user and system time of the process and of all that it starts, because other programs on the machine disturb it least; of a pair its
ratio counts. A command or option that a version does not know (exit code 2, nothing was run) is "-".

People are virtual, every walk with noise and a speed of its own, so that none counts as recorded twice: what is measured can be
made anywhere. Rows of a recorded child need the recordings beside the project. Each checkout reads results that it wrote itself;
one that takes trials over finds what was kept before the decision, each time anew.
"""

from __future__ import annotations

import compileall
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.before import ROOT, program, timed_program

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
ROUNDS = int(os.environ.get("BIOMECH_ID_ROUNDS", "7"))
PAGE = ROOT / "docs" / "commands-cost.md"
#: The table stands between these two lines of the page.
BEGIN, END = "<!-- python -m benchmarks.commands --page -->", "<!-- end -->"
TRIALS, ARCHIVE, FEW = 30, 12, 3
#: Successive walks differ by this share of a comfortable speed: walks of one speed and other noise count as one, recorded twice.
SPEEDS_APART = 0.018
_WRONG_COMMAND_LINE, _FINISHED = 2, (0, 3)
#: Row -> words after ``biomech-id``. In braces: files made beforehand, results of the same checkout, and ``{out}``, new every time.
COMMANDS: Mapping[str, str] = {
    "`--help`": "--help",
    "`check`, a child": "check {one}",
    f"`check`, an archive of {ARCHIVE}": "check {archive}",
    "`run`, one trial": "run {one} -o {out}",
    "`run`, one trial, `--no-report`": "run {one} -o {out} --no-report",
    "`run`, one trial, recipe without report": "run {one} -o {out} --recipe {tables}",
    "`run`, one trial, recipe without report and bands": "run {one} -o {out} --recipe {no_bands}",
    f"`run`, {TRIALS} trials": "run {many} -o {out}",
    f"`run`, {TRIALS} trials, `--no-report`": "run {many} -o {out} --no-report",
    f"`run`, {TRIALS} trials, `--no-report`, one decision": "run {many} -o {out} --no-report --review {own_decision}",
    f"`run`, {TRIALS} trials, `--no-report`, one decision, `--reuse`":
        "run {many} -o {out} --no-report --review {own_decision} --reuse {out}",
    f"`run`, {TRIALS} trials, recipe without report": "run {many} -o {out} --recipe {tables}",
    f"`run`, {TRIALS} trials, recipe without report and bands": "run {many} -o {out} --recipe {no_bands}",
    "`report`": "report {own_one}",
    "`compare`, two sessions": "compare {own_one} {own_few} -o {out}.pdf",
    f"`norm`, {ARCHIVE} sessions": "norm {own_archive} -o {out}.csv",
    "`review`": "review {own_one} -o {out}.html",
    f"`batch`, an archive of {ARCHIVE}, recipe without report": "batch {archive} -o {out} --workers 2 --recipe {tables}",
    "`check`, a recorded child": "check {recorded}",
    "`run`, a recorded child": "run {recorded} -o {out}",
    "`run`, a recorded child, recipe without report": "run {recorded} -o {out} --recipe {tables}",
}  # fmt: skip
#: What a checkout runs once, unmeasured: results that its other commands read.
_OWN = {
    "own_one": "run {one} -o {out}",
    "own_few": "run {few} -o {out}",
    "own_archive": "batch {archive} -o {out} --recipe {tables}",
    "own_many": "run {many} -o {out} --no-report --reuse {out}",
}
#: One cycle of one trial that somebody leaves out.
_DECISION = 'schema = 2\n[[cycle]]\ntrial = "{name}"\nside = "{side}"\nstart_s = {start_s}\nuse = false\n'


@dataclass(frozen=True)
class Checkout:
    """A version beside others: its name in the table, its folder, and the paths that stand in braces."""

    name: str
    source: Path
    paths: Mapping[str, Path]

    def words(self, command: str, out: Path) -> list[str]:
        """A command with the paths of this checkout."""
        return command.format(**self.paths, out=out).split(" ")


class CommandFailedError(Exception):
    """A command that should have been measured did not finish."""


def seconds(checkout: Checkout, command: str) -> float | None:
    """Processor time of one run of a command, seconds; None where the version does not know it.

    Raises
    ------
    CommandFailedError
        It ended with another exit code than done, or done with warnings.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        if "--reuse" in command and (kept := kept_beside(checkout.paths["own_many"])).is_dir():
            shutil.copytree(kept, kept_beside(out))
        done, spent = timed_program(checkout.source, checkout.words(command, out))
    if done.returncode == _WRONG_COMMAND_LINE:
        return None
    if done.returncode not in _FINISHED:
        raise CommandFailedError(f"{checkout.name}: {command} ended with {done.returncode}: {done.stderr[-2000:]}")
    return spent


def kept_beside(out: Path) -> Path:
    """Where a run that takes trials over looks for them."""
    return out.with_name(f".{out.name}.reuse")


def measured(
    checkouts: Sequence[Checkout], command: str, rounds: int, measure: Callable[[Checkout, str], float | None] = seconds
) -> dict[str, list[float]]:
    """Name of a checkout -> seconds, round by round, every other round backwards; none where it does not know the command."""
    taken: dict[str, list[float]] = {checkout.name: [] for checkout in checkouts}
    known = list(checkouts)
    for number in range(rounds):
        for checkout in known[:: -1 if number % 2 else 1]:
            spent = measure(checkout, command)
            if spent is None:
                known.remove(checkout)
            else:
                taken[checkout.name].append(spent)
    return taken


def ratios(taken: Mapping[str, Sequence[float]], name: str, other: str) -> list[float]:
    """One checkout over another, round by round; none where either does not know the command."""
    if not taken[name] or not taken[other]:
        return []
    return [mine / theirs for mine, theirs in zip(taken[name], taken[other], strict=True)]


def table(rows: Mapping[str, Mapping[str, Sequence[float]]], names: Sequence[str]) -> list[str]:
    """Lines of a Markdown table: medians in seconds, and this version over each other, pair by pair (smallest to largest)."""
    this, *others = names
    head = ["", *(f"{name}, CPU s" for name in names), *(f"{this} / {other}" for other in others)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row, taken in rows.items():
        cells = [f"{statistics.median(taken[name]):.2f}" if taken[name] else "-" for name in names]
        cells += [_spread(ratios(taken, this, other)) for other in others]
        lines.append("| " + " | ".join([row, *cells]) + " |")
    return lines


def _spread(found: Sequence[float]) -> str:
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})" if found else "-"


def write_people(folder: Path) -> dict[str, Path]:
    """Write everybody's recordings and the recipes; return what stands in braces -> path."""
    from biomech_id.judgement.recorded_twice import recorded_twice
    from biomech_id.sample import virtual_subject, write_c3d

    def write_session(name: str, walks: int, number: int = 0) -> Path:
        there = folder / name
        there.mkdir(parents=True)
        size = {"height_m": 1.35 + 0.02 * number, "mass_kg": 30.0 + 1.5 * number, "age_years": 10.0, "code": there.name}
        person = virtual_subject(**size, noise_m=0.0003, muscles=True)
        write_c3d(person.static("static"), there / "static.c3d")
        speeds = [person.speed * (1.0 + SPEEDS_APART * (walk - (walks - 1) / 2)) for walk in range(walks)]
        written = [person.walk(f"walk{w:02d}", seed=1000 * number + w, speed_m_s=speed) for w, speed in enumerate(speeds)]
        for each in written:
            write_c3d(each, there / f"{each.trial.name}.c3d")
        assert not recorded_twice([each.trial for each in written])
        return there

    paths = {"one": write_session("one", 1), "few": write_session("few", FEW, 1), "many": write_session("many", TRIALS, 2)}
    for number in range(ARCHIVE):
        write_session(f"archive/P{number:02d}", 1, number)
    paths |= {"archive": folder / "archive", "tables": folder / "tables.toml", "no_bands": folder / "no_bands.toml"}
    paths["tables"].write_text("[output]\nreport = false\n", encoding="utf-8")
    paths["no_bands"].write_text("[output]\nreport = false\nuncertainty = false\n", encoding="utf-8")
    recorded = sorted((SHARED / "c3d" / "children").glob("*/"))
    return paths | ({"recorded": recorded[0]} if recorded else {})


def prepared(name: str, source: Path, paths: Mapping[str, Path], folder: Path) -> Checkout:
    """A checkout whose modules are compiled and whose own results are there.

    Raises
    ------
    CommandFailedError
        It cannot analyse what the others do.
    """
    compileall.compile_dir(source / "biomech_id", quiet=1)
    own = {key: folder / key for key in _OWN}
    checkout = Checkout(name, source, {**paths, **own})
    for key, command in _OWN.items():
        done = program(source, checkout.words(command, own[key]))
        if done.returncode not in _FINISHED and not ("--reuse" in command and done.returncode == _WRONG_COMMAND_LINE):
            raise CommandFailedError(f"{name}: {command} ended with {done.returncode}: {done.stderr[-2000:]}")
    return replace(checkout, paths={**checkout.paths, "own_decision": decision(own["own_many"], folder / "review.toml")})


def decision(out: Path, path: Path) -> Path:
    """A file that leaves one cycle of a session out; without a session, no file.

    Raises
    ------
    CommandFailedError
        Not every trial counts.
    """
    if (out / "summary.json").is_file():
        trials = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
        if len(trials) != TRIALS:
            raise CommandFailedError(f"{len(trials)} of {TRIALS} trials count")
        trial = trials[TRIALS // 2]
        path.write_text(_DECISION.format(**trial["cycles"][0] | {"name": trial["name"]}), encoding="utf-8")
    return path


def wanted(paths: Mapping[str, Path], words: Sequence[str]) -> dict[str, str]:
    """The rows whose name holds one of the words (all of them without any), and whose recordings are there."""
    there = {row: command for row, command in COMMANDS.items() if "recorded" in paths or "{recorded}" not in command}
    return {row: command for row, command in there.items() if not words or any(word in row for word in words)}


def heading(rounds: int) -> str:
    """What stands above the table."""
    from biomech_id import __version__

    return f"biomech_id {__version__}: processor time of whole commands, medians of {rounds} rounds."


def with_table(page: str, lines: Sequence[str]) -> str:
    """A page with other lines in the place of its table."""
    before, _, rest = page.partition(BEGIN)
    _, _, behind = rest.partition(END)
    return "\n".join([before + BEGIN, *lines, END]) + behind


def versions(before: str) -> dict[str, Path]:
    """Name -> folder of every checkout, this one first; others by the last part of their path, by all of it where two share that.

    Parameters
    ----------
    before : str
        Folders of other checkouts, separated as in ``PATH``.
    """
    folders = [Path(each).resolve() for each in before.split(os.pathsep) if each]
    short = [folder.name for folder in folders]
    return {"this": ROOT} | {folder.name if short.count(folder.name) == 1 else str(folder): folder for folder in folders}


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table, and write it into the page where asked to."""
    sources = versions(os.environ.get("BIOMECH_ID_BEFORE", ""))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        paths = write_people(folder / "people")
        chosen = wanted(paths, [word for word in arguments if word != "--page"])
        checkouts = [
            prepared(name, source, paths, folder / f"own{number}") for number, (name, source) in enumerate(sources.items())
        ]
        rows = {}
        for row, command in chosen.items():
            rows[row] = measured(checkouts, command, ROUNDS)
            print(f"measured {row}", file=sys.stderr, flush=True)
    lines = [heading(ROUNDS), "", *table(rows, list(sources))]
    print("\n".join(lines))
    if "--page" in arguments:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), ["", *lines, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
