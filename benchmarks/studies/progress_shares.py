"""Silence: how much of a command's time goes by between two Steps, and whether each stage that takes a tenth has a Step.

``python -m benchmarks.studies.progress_shares [C3D_DIR]`` runs the commands that show progress on the virtual subject, a child with
EMG and a recording of another laboratory, each in a process of its own. Each Step, and each beginning and end of what
``--timings`` names, is noted with the time that the process has computed so far, from the interpreter's start on; so the shares do
not depend on what else the machine does. What the reading process computes meanwhile is not in it: each file has its Step.

The table lies beside this module: the longest silence of each command; every row of ``--timings`` above a tenth, with its Steps;
and what begins before a silence of a twentieth, but for what is named after recordings and further pages.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biomech_id import __version__

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_suffix(".md")
SESSIONS = {
    "virtual subject": ROOT / "data",
    "HC036A": Path("children", "HC036A"),
    "sacrum_and_medials": Path("labs_abroad", "sacrum_and_medials"),
}
#: Above this share of a command's time a stage must have a Step; above the other one what begins before a silence is listed.
TENTH, TWENTIETH = 0.1, 0.05
COMMANDS = ("check", "run", "review", "norm", "compare", "report")
_RECORD = "from benchmarks.studies.progress_shares import record; record()"


def record() -> None:
    """Be the command whose words follow the file's name on the command line, and note every event in that file."""
    from biomech_id.cli import main, progress
    from biomech_id.session.values import step

    events: list[tuple[str, str, str, float]] = []
    plain = step._taken

    @contextmanager
    def taken(name: str) -> Iterator[None]:
        events.append(("begins", name, "", time.process_time()))
        with plain(name):
            yield
        events.append(("ends", name, "", time.process_time()))

    step._taken = taken
    progress._object = lambda told: events.append(("step", told.stage, told.part or told.trial, time.process_time()))
    file, sys.argv = Path(sys.argv[1]), ["biomech-id", *sys.argv[2:], "--progress", "json"]
    code: Any = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    file.write_text(json.dumps({"code": code, "events": events, "end_s": time.process_time()}), encoding="utf-8")


@dataclass(frozen=True)
class Told:
    """What one command told, in the order of its events.

    Attributes
    ----------
    code : int
        Exit code.
    events : Sequence[tuple[str, str, str, float]]
        "step", "begins" or "ends"; its stage or row of the timings; what the Step is about; time so far, s.
    end_s : float
        Time of the whole command, s.
    """

    code: int
    events: Sequence[tuple[str, str, str, float]]
    end_s: float

    @property
    def names(self) -> set[str]:
        """Every name that a Step has: its stage, and what it is about."""
        return {name for kind, stage, about, _ in self.events if kind == "step" for name in (stage, about) if name}

    def silences(self) -> Iterator[tuple[str, float]]:
        """What begins with a Step, and the share of the time until the next one; the first is before any."""
        known = [("interpreter", 0.0)] + [(about or stage, at) for kind, stage, about, at in self.events if kind == "step"]
        for (name, begins), (_, ends) in zip(known, [*known[1:], ("", self.end_s)], strict=True):
            yield name, (ends - begins) / self.end_s

    def rows(self) -> dict[str, tuple[float, int]]:
        """Row of ``--timings`` -> its share without what lies inside it, and how many Steps begin it or lie in it."""
        open_rows: list[str] = []
        found: dict[str, list[float]] = {}
        latest, before = 0.0, ""
        for kind, name, about, at in self.events:
            if open_rows:
                found[open_rows[-1]][0] += at - latest
            latest = at
            if kind == "begins":
                open_rows.append(name)
                found.setdefault(name, [0.0, 0.0])[1] += before == name
            elif kind == "ends":
                open_rows.pop()
            elif open_rows:
                found[open_rows[-1]][1] += 1
            before = (about or name) if kind == "step" else ""
        return {name: (taken / self.end_s, int(n)) for name, (taken, n) in found.items()}


def told_by(words: Sequence[str | Path]) -> Told:
    """Run a command in a process of its own.

    Parameters
    ----------
    words : Sequence[str | Path]
        The command and its words.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.json"
        done = subprocess.run(
            [sys.executable, "-c", _RECORD, str(file), *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False
        )  # fmt: skip
        if not file.exists():
            raise RuntimeError(done.stderr)
        told = json.loads(file.read_text(encoding="utf-8"))
    return Told(told["code"], [tuple(event) for event in told["events"]], told["end_s"])


def words_of(command: str, recordings: Path, out: Path) -> list[str | Path]:
    """The words of a command on one session, whose results ``run`` writes first.

    Parameters
    ----------
    command : str
        One of `COMMANDS`.
    recordings, out : Path
        The session, and a folder for its results.
    """
    beside = out.parent
    return {
        "check": ["check", recordings],
        "run": ["run", recordings, "-o", out],
        "review": ["review", out, "-o", beside / "review.html"],
        "norm": ["norm", out, "-o", beside / "norm.csv"],
        "compare": ["compare", out, out, "-o", beside / "both.pdf"],
        "report": ["report", out],
    }[command]


def silent(told: Told) -> list[str]:
    """Rows of ``--timings`` with more than a tenth of the time that go by without a Step."""
    return [name for name, (share, n) in told.rows().items() if share > TENTH and not n]


def measured(shared: Path, folder: Path) -> dict[tuple[str, str], Told]:
    """(Command, session) -> what it told."""
    found = {}
    for number, (name, place) in enumerate(SESSIONS.items()):
        out = folder / str(number) / "out"
        out.parent.mkdir()
        for command in COMMANDS:
            found[command, name] = told_by(words_of(command, shared / place, out))
            print(command, name, found[command, name].code, f"{found[command, name].end_s:.1f} s", file=sys.stderr)
    return found


def table(found: dict[tuple[str, str], Told]) -> str:
    """The table as it is committed."""
    lines = [
        f"biomech_id {__version__}, {len(found)} commands, {len(SESSIONS)} sessions; shares of the process's own time", "",
        "| command | session | seconds | Steps | longest silence | after |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for (command, session), told in found.items():
        name, share = max(told.silences(), key=lambda silence: silence[1])
        n = sum(kind == "step" for kind, *_ in told.events)
        lines.append(f"| {command} | {session} | {told.end_s:.1f} | {n} | {100 * share:.0f} % | {name} |")
    lines += ["", "| command | row of `--timings` above a tenth | largest share | Steps at least |", "|---|---|---|---|"]
    for command in COMMANDS:
        of_sessions = [told.rows() for (each, _), told in found.items() if each == command]
        for name in dict.fromkeys(name for rows in of_sessions for name in rows):
            shares = [rows[name] for rows in of_sessions if name in rows]
            if max(share for share, _ in shares) > TENTH:
                least = min(n for _, n in shares)
                lines.append(f"| {command} | {name} | {100 * max(share for share, _ in shares):.0f} % | {least} |")
    lines += ["", "| command | begins before a silence | largest share |", "|---|---|---|"]
    for command in COMMANDS:
        told_of = [told for (each, _), told in found.items() if each == command]
        common = set.intersection(*(told.names for told in told_of))
        most: dict[str, float] = {}
        for name, share in (silence for told in told_of for silence in told.silences()):
            most[name] = max(share, most.get(name, 0.0))
        lines += [
            f"| {command} | {name} | {100 * most[name]:.0f} % |" for name in most if name in common and most[name] > TWENTIETH
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "c3d"
    with tempfile.TemporaryDirectory() as folder:
        found = measured(shared, Path(folder))
    TABLE.write_text(table(found), encoding="utf-8", newline="\n")
    print(TABLE.read_text(encoding="utf-8"))
    return int(any(silent(told) for told in found.values()))


if __name__ == "__main__":
    sys.exit(main())
