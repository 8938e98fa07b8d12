"""``run`` and ``batch`` ended at any instant: nothing half-written, and the same folder afterwards, to the byte.

``python -m benchmarks.studies.killed_runs [N]`` starts a command on two virtual subjects N (100) times and ends it after a random
part of the time it needs, by SIGKILL, SIGTERM or SIGINT. After SIGTERM and SIGINT no hidden file may be left and the exit code is
130 (or the command was done). Then ``batch`` is started with ``--resume`` and ``run`` again: every file, the verdicts and the exit
code have to be those of an uninterrupted run, and nothing hidden may be left. The table lies beside this module.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.studies.pseudonyms import run_here, virtual_session
from biomech_id import __version__

SEED = 20260403
TABLE = Path(__file__).with_suffix(".md")
SIGNALS = ("KILL", "TERM", "INT")
COMMANDS = ("run", "batch")
#: Who starts from a shell in the background hears no SIGINT.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from biomech_id.cli import main; main()"


def study_of_two(root: Path) -> Path:
    """Two subjects, one of whom has a file that is refused."""
    for name in ("anna", "ben"):
        (root / "study" / name).mkdir(parents=True)
        virtual_session(root / "study" / name)
    (root / "study" / "anna" / "cut.c3d").write_bytes(b"\x02\x50" + bytes(2000))
    (root / "quick.toml").write_text("[output]\nreport = false\nbudget = false\nuncertainty = false\n", encoding="utf-8")
    return root / "study"


class Forked:
    """A command in a copy of this process: what is ended is the work, not the start of Python."""

    def __init__(self, words: list[str]) -> None:
        self.code: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os._exit(run_here(words) % 256)

    def poll(self) -> int | None:
        """Exit code, minus the signal that ended it; None while it runs."""
        if self.code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if done else None
        return self.code

    def wait(self) -> int:
        """Wait for the exit code."""
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def send_signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)


def started(command: str, study: Path, out: Path, *more: str) -> Forked | subprocess.Popen[bytes]:
    """The command, in a group of processes of its own; a batch, which starts processes, as a program of its own."""
    place = study if command == "batch" else study / "anna"
    words = [command, str(place), "-o", str(out), "--recipe", str(study.parent / "quick.toml"), *more]
    if command == "run":
        return Forked(words)
    words += ["--workers", "1"]
    return subprocess.Popen(
        [sys.executable, "-c", START, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def files_of(out: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def hidden(place: Path) -> list[str]:
    """Names of hidden files and folders below a folder."""
    return [path.name for path in place.rglob(".*")]


def undisturbed(command: str, study: Path, out: Path) -> tuple[int, dict[str, bytes], float]:
    """Exit code, files and time of a command that nobody ends."""
    since = time.monotonic()
    code = started(command, study, out).wait()
    return code, files_of(out), time.monotonic() - since


def ended(command: str, study: Path, place: Path, known: tuple[int, dict[str, bytes], float], name: str, part: float) -> list[str]:
    """What is wrong after a command was ended and made good."""
    code, files, takes_s = known
    out, wrong = place / "results" / "out", []
    process = started(command, study, out)
    time.sleep(part * takes_s)
    number = getattr(signal, f"SIG{name}")
    if process.poll() is None:
        os.killpg(process.pid, number) if name == "INT" else process.send_signal(number)
    left = process.wait()
    if name != "KILL":
        wrong += ["left behind"] * bool(hidden(place)) + [f"exit {left}"] * (left not in (130, code, -number))
        # Before it had begun to listen, or when it had done its work.
        wrong += ["not cleaned"] * (left == -number and out.exists() and files_of(out) != files)
    else:
        time.sleep(1.5)  # workers end within a second of their parent
    again = started(command, study, out, *(["--resume"] if command == "batch" else [])).wait()
    wrong += [f"exit {again} instead of {code}"] * (again != code)
    wrong += ["other files"] * (files_of(out) != files) + ["hidden files"] * bool(hidden(place))
    return wrong


def main(n: int = 100) -> int:
    """Write the table."""
    rng = np.random.default_rng(SEED)
    counts: Counter[tuple[str, str, str]] = Counter()
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        study = study_of_two(Path(temporary))
        run_here(["run", str(study / "ben"), "-o", str(Path(temporary) / "first")])  # what is imported once is there in every copy
        known = {command: undisturbed(command, study, Path(temporary) / command) for command in COMMANDS}
        for number in range(n):
            # Every fifth is a batch, which takes ten times as long.
            command, name, part = COMMANDS[number % 5 == 4], SIGNALS[number % 3], float(rng.uniform(0.05, 1.0))
            place = Path(temporary) / "place"
            wrong = ended(command, study, place, known[command], name, part)
            shutil.rmtree(place)
            counts[command, name, "n"] += 1
            counts[command, name, "wrong"] += bool(wrong)
            notes += [f"- {command}, SIG{name} at {100 * part:.0f} %: {', '.join(wrong)}"] if wrong else []
            rows = [(command, name) for command in COMMANDS for name in SIGNALS]
            total = [sum(counts[*row, what] for row in rows) for what in ("n", "wrong")]
            lines = [
                f"biomech_id {__version__}, {number + 1} commands ended, seed {SEED}", "",
                "| command | signal | ended | wrong afterwards |", "|---|---|---|---|",
                *(f"| {c} | {s} | {counts[c, s, 'n']} | {counts[c, s, 'wrong']} |" for c, s in rows),
                f"| all | | {total[0]} | {total[1]} |", "", *notes,
            ]  # fmt: skip
            TABLE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
