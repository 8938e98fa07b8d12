"""``run`` and ``batch`` ended at any instant: nothing half-written, and the same folder afterwards, to the byte.

``python -m benchmarks.studies.killed_runs [N [LOG [COMMAND]]]`` starts each command on two virtual subjects until it was ended N
(100) times by each of SIGKILL, SIGTERM and SIGINT, at an instant drawn from the time that it needs; one that was done before is
drawn again. After SIGTERM and SIGINT no hidden file may be left and the exit code is 130. Then ``batch`` is started with
``--resume`` and ``run`` again: every file, the verdicts and the exit code have to be those of an uninterrupted run, and nothing
hidden may be left. Every fifth command is a program as a person starts it; the others are copies of a process that has imported
the library, so that the instants fall on the work and not on the start of Python. Workers of ``batch`` are programs of their own
in either case.

What was found is appended to LOG, from which an unfinished study goes on; two processes may work on one LOG, one on each COMMAND.
The table lies beside this module.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.studies.pseudonyms import run_here, virtual_session
from biomech_id import __version__

SEED = 20260403
TABLE = Path(__file__).with_suffix(".md")
SIGNALS = ("KILL", "TERM", "INT")
COMMANDS = ("run", "batch")
#: Who starts from a shell in the background hears no SIGINT.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from biomech_id.cli import main; main()"
#: Exit code, files and time of a command that nobody ends.
Known = tuple[int, dict[str, bytes], float]


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
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.modules["__main__"] = ModuleType("__main__")  # its workers are not to import this study
            os._exit(run_here(words) % 256)
        except KeyboardInterrupt:  # before it listens, or when it has done
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            os._exit(70)

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


def started(command: str, study: Path, out: Path, *more: str, program: bool = False) -> Forked | subprocess.Popen[bytes]:
    """The command, in a group of processes of its own, as a copy of this process or as a program of its own."""
    place = study if command == "batch" else study / "anna"
    words = [command, str(place), "-o", str(out), "--recipe", str(study.parent / "quick.toml"), *more]
    words += ["--workers", "1"] if command == "batch" else []
    if not program:
        return Forked(words)
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


def undisturbed(command: str, study: Path, out: Path, *, program: bool = False) -> Known:
    """Exit code, files and time of a command that nobody ends."""
    since = time.monotonic()
    code = started(command, study, out, program=program).wait()
    return code, files_of(out), time.monotonic() - since


def ended(
    command: str, study: Path, place: Path, known: Known, name: str, part: float, *, program: bool = False
) -> list[str] | None:
    """What is wrong after a command was ended and made good; None where it was done before it could be ended."""
    code, files, takes_s = known
    out, wrong = place / "results" / "out", []
    process = started(command, study, out, program=program)
    time.sleep(part * takes_s)
    number = getattr(signal, f"SIG{name}")
    if process.poll() is not None:
        return None
    os.killpg(process.pid, number) if name == "INT" else process.send_signal(number)
    left = process.wait()
    if name != "KILL":
        wrong += ["left behind"] * bool(hidden(place)) + [f"exit {left}"] * (left not in (130, code, -number))
        # Before it had begun to listen, or when it had done its work.
        wrong += ["not cleaned"] * (left == -number and out.exists() and files_of(out) != files)
    elif command == "batch":
        time.sleep(1.5)  # workers end within a second of their parent
    again = started(command, study, out, *(["--resume"] if command == "batch" else [])).wait()
    wrong += [f"exit {again} instead of {code}"] * (again != code)
    wrong += ["other files"] * (files_of(out) != files) + ["hidden files"] * bool(hidden(place))
    return wrong


_KNOWN: dict[tuple[str, bool], Known] = {}
_USED: Counter[tuple[str, bool]] = Counter()


def strike(command: str, name: str, number: int, study: Path, place: Path, log: Path) -> None:
    """End one command at instants drawn for it until one hits it, and append what became of it to the log."""
    rng = np.random.default_rng([SEED, COMMANDS.index(command), SIGNALS.index(name), number])
    kind, missed = (command, number % 5 == 4), 0
    while True:
        part = float(rng.uniform(0.02, 1.0))
        _USED[kind] += 1
        if _USED[kind] % 10 == 1:  # other work on the machine comes and goes
            _KNOWN[kind] = undisturbed(command, study, place / "known", program=kind[1])
        shutil.rmtree(place, ignore_errors=True)
        wrong = ended(command, study, place, _KNOWN[kind], name, part, program=kind[1])
        if wrong is not None:
            break
        missed += 1
    shutil.rmtree(place, ignore_errors=True)
    row = {"command": command, "signal": name, "number": number, "percent": round(100 * part), "program": kind[1], "missed": missed}
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row | {"wrong": wrong}) + "\n")


def write_table(log: Path) -> None:
    """Write the table of what a log holds."""
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    lines, total = [], Counter[str]()
    for command in COMMANDS:
        for name in SIGNALS:
            rows = [row for row in found if (row["command"], row["signal"]) == (command, name)]
            wrong = sum(bool(row["wrong"]) for row in rows)
            counts = {"ended": len(rows), "programs": sum(row["program"] for row in rows), "wrong": wrong}
            lines.append(f"| {command} | {name} | {' | '.join(map(str, counts.values()))} |")
            total.update(counts)
    said = [f"- {r['command']}, SIG{r['signal']} at {r['percent']} %: {', '.join(r['wrong'])}" for r in found if r["wrong"]]
    missed = sum(row["missed"] for row in found)
    text = [
        f"biomech_id {__version__}, {len(found)} commands ended, seed {SEED}; {missed} more were done before they could be", "",
        "| command | signal | ended | of which programs | wrong afterwards |", "|---|---|---|---|---|",
        *lines, f"| all | | {total['ended']} | {total['programs']} | {total['wrong']} |", "", *said,
    ]  # fmt: skip
    TABLE.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")


def main(n: int = 100, log: str = "", only: str = "") -> int:
    """Write the table."""
    with tempfile.TemporaryDirectory() as temporary:
        kept = Path(log or Path(temporary) / "log.jsonl")
        done = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []
        ready = {(row["command"], row["signal"], row["number"]) for row in done}
        study = study_of_two(Path(temporary))
        # What is imported once is there in every copy.
        run_here(["batch", str(study), "-o", str(Path(temporary) / "first"), "--recipe", str(study.parent / "quick.toml")])
        run_here(["run", str(study / "ben"), "-o", str(Path(temporary) / "one")])
        for number in range(n):
            for command in (only,) if only else COMMANDS:
                for name in SIGNALS:
                    if (command, name, number) not in ready:
                        strike(command, name, number, study, Path(temporary) / "place", kept)
                        write_table(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 100, *sys.argv[2:4]))
