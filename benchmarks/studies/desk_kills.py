"""The desk ended by SIGKILL while a technician clicks: nothing that it answered for is lost, and nothing is half written.

``python -m benchmarks.studies.desk_kills [N [PLACE]]`` opens the desk N (30) times on one visit of the virtual subject and ends it
at a seeded random moment of a stream of clicks, every second time together with the commands that it started: choices and decisions
one after the other, a run, signatures. A click is a request as the pages make it; what is answered with success has to stand when
the desk is opened again, and the one click without an answer may have been done or not, but not in part. What was found is appended
to PLACE/kills.jsonl, from which an unfinished study goes on. The table lies beside this module.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from benchmarks.studies.desk_folders import Folder, two_statics_and_a_cut_file, virtual
from biomech_id import __version__
from biomech_id.desk.record import VisitRecord
from biomech_id.desk.results import is_whole
from biomech_id.desk.versions import flaws_of, signatures_of

SEED = 20261130
TABLE = Path(__file__).with_suffix(".md")
VISIT = Folder("virtual/1", "", virtual("static", "walk01", fault=two_statics_and_a_cut_file))
#: What is clicked when the desk is ended -> the latest moment (s) after the first click.
STREAMS = {"choices and decisions": 1.5, "run": 25.0, "signature": 4.0}
#: How long (s) a run may take, and a request.
PATIENCE_S, ANSWER_S = 300.0, 60.0
#: A run that was asked for is at one of these stages, or decided about again since.
_RUN_STAGES = ("waiting", "running", "review", "signed")
#: What went wrong with a request when nobody is there any more.
_GONE = (OSError, HTTPException)


class Client:
    """The desk over HTTP, as its pages ask it."""

    def __init__(self, link: str) -> None:
        self.base, _, ticket = link.partition("/#")
        self.key = ""
        self.key = str(self.ask("POST", "/api/session", {"ticket": ticket})["key"])

    def ask(self, method: str, path: str, body: Any = None, seen: str | None = None) -> Any:
        """The answer of one request; an error of `urllib` where it is refused or nobody answers."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if seen is not None:
            headers["If-Match"] = seen
        content = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self.base}{path}", content, headers, method=method), timeout=ANSWER_S) as answer:
            return json.loads(answer.read())


@dataclass
class Known:
    """What the desk answered for, and the click that it did not answer.

    Attributes
    ----------
    choices : dict[str, Any]
        In force.
    review : str
        ``review.toml`` in force.
    codes : list[str]
        Of signatures.
    asked_run : bool
        Whether a run was accepted since somebody last decided, and not cancelled.
    job : int
        Number of the last run; 0 where none was accepted, or it was cancelled.
    clicks : Counter[str]
        Answered, by kind.
    open_click : tuple[str, Any] | None
        Kind and what it would have left.
    """

    choices: dict[str, Any] = field(default_factory=dict)
    review: str = ""
    codes: list[str] = field(default_factory=list)
    asked_run: bool = False
    job: int = 0
    clicks: Counter[str] = field(default_factory=Counter)
    open_click: tuple[str, Any] | None = None


class Desk:
    """A desk's process and its client."""

    def __init__(self, archive: Path) -> None:
        command = [sys.executable, "-m", "biomech_id", "desk", str(archive), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.client = Client(self.process.stdout.readline().split()[1])
        (row,) = self.client.ask("GET", "/api/today")["rows"]
        self.url = f"/api/visits/{row['id']}"

    def visit(self) -> dict[str, Any]:
        """All of the visit."""
        return dict(self.client.ask("GET", self.url))

    def settled(self) -> dict[str, Any]:
        """The visit once nothing is run."""
        until = time.monotonic() + PATIENCE_S
        while (visit := self.visit())["stage"] in ("waiting", "running") and time.monotonic() < until:
            time.sleep(0.5)
        return visit

    def kill(self, *, children: bool) -> None:
        """End the process at once, and the commands that it started if these are meant too."""
        os.kill(self.process.pid, signal.SIGSTOP)
        for number in (self.process.pid, *(children_of(self.process.pid) if children else ())):
            os.kill(number, signal.SIGKILL)
        self.process.wait()


def children_of(process: int) -> list[int]:
    """Processes that a process started and that still live."""
    children = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            children.append(int(status.parent.name))
    return children


# Clicks


def clicks_of(stream: str, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Kinds of clicks and their values, without an end."""
    while True:
        number = int(rng.integers(1, 10**6))
        if stream == "signature":
            yield "sign", number
        elif stream == "run":
            yield "choose", {"subject": {"mass_kg": 60.0 + number / 1e5}}
            yield "run", None
            for _ in range(int(rng.integers(10, 100))):
                yield "look", None
            yield "cancel", None
        else:
            yield (
                ("choose", {"subject": {"mass_kg": number / 1e4 + 2.0}}),
                ("choose", {"conditions": {"walk01": f"word {number}"}}),
                ("choose", {"static": ("static", "standing")[number % 2]}),
                ("review", f'schema = 2\n\n[[comment]]\ntrial = "walk01"\ntime_s = 0.5\ntext = "{number}"\n'),
            )[int(rng.integers(4))]


def laid_over(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Choices after a change."""
    return base | {key: base.get(key, {}) | value if isinstance(value, dict) else value for key, value in change.items()}


def click(desk: Desk, known: Known, kind: str, value: Any) -> None:
    """Do one click, and note what the desk answered for."""
    client, who = desk.client, {"who": "M. Technician"}
    if kind == "choose":
        known.open_click = (kind, laid_over(known.choices, value))
        client.ask("PATCH", f"{desk.url}/choices", {"change": value, **who})
        known.choices, known.asked_run = known.open_click[1], False
    elif kind == "review":
        known.open_click = (kind, value)
        client.ask("PUT", f"{desk.url}/review.toml", {"toml": value, **who})
        known.review, known.asked_run = value, False
    elif kind == "run":
        known.open_click = (kind, None)
        known.job = client.ask("POST", f"{desk.url}/run", who)["number"]
        known.asked_run = True
    elif kind == "cancel":
        known.open_click = (kind, None)
        client.ask("DELETE", f"/api/jobs/{known.job}", {})
        known.asked_run, known.job = False, 0
        desk.settled()
    elif kind == "sign":
        known.open_click = (kind, None)
        must_see = client.ask("GET", f"{desk.url}/signature")["must_see"]
        body = {"name": "Dr. A. Example", "role": "physician", "statement": str(value), "seen": [*must_see, "all"]}
        known.codes.append(client.ask("POST", f"{desk.url}/signature", body)["code"])
    else:
        time.sleep(0.2)
        desk.visit()
        return
    known.open_click = None
    known.clicks[kind] += 1


# What stands afterwards


def wrong_after(visit: dict[str, Any], review: str, record: VisitRecord, known: Known) -> list[str]:
    """What was answered for and is not there, and what is there in part."""
    kind, left = known.open_click or ("", None)
    wrong = []
    if visit["choices"] != known.choices and not (kind == "choose" and visit["choices"] == left):
        wrong.append(f"choices lost: {visit['choices']} instead of {known.choices}")
    if review != known.review and not (kind == "review" and review == left):
        wrong.append("decisions lost")
    codes = [each.code for each in signatures_of(record.folder / "versions")]
    if codes[: len(known.codes)] != known.codes or len(codes) > len(known.codes) + (kind == "sign"):
        wrong.append("signature lost")
    wrong += [f"signature: {flaw}" for flaw in flaws_of(record.folder / "versions") if flaw.rule != "desk-version-unsigned"]
    if known.clicks["cancel"] and not known.job and kind != "run" and visit["stage"] in ("waiting", "running"):
        wrong.append("a cancelled run begins again")
    if known.asked_run and kind not in ("choose", "review", "cancel") and visit["stage"] not in _RUN_STAGES:
        wrong.append(f"run lost: {visit['stage']}")
    results = record.folder / "results"
    if results.exists() and not is_whole(results):
        wrong.append("results in part")
    subject = record.folder / "subject.toml"
    conditions = {"conditions": visit["choices"]["conditions"]} if "conditions" in visit["choices"] else {}
    derived = tomllib.loads(subject.read_text(encoding="utf-8")) if subject.exists() else {}
    if derived != visit["choices"].get("subject", {}) | conditions:
        wrong.append("subject.toml is not that of the choices")
    return wrong


def journal_counts(record: VisitRecord) -> Counter[str]:
    """Entries of the journal by what was done."""
    return Counter(each["what"] for each in record.journal(10**6))


def journal_lacks(now: Counter[str], known: Known, before: Counter[str]) -> list[str]:
    """Kinds of clicks that were answered for and are not in the journal."""
    return [f"not in the journal: {kind}" for kind, n in known.clicks.items() if kind != "cancel" and now[kind] - before[kind] < n]


@dataclass
class Ended:
    """One desk that was ended.

    Attributes
    ----------
    number : int
        Counted from 0.
    stream : str
        One of `STREAMS`.
    children : bool
        Whether its commands were ended too.
    answered : int
        Clicks that it had answered.
    unanswered : str
        Kind of the click that it had not.
    wrong : list[str]
        What was lost, or is there in part.
    """

    number: int
    stream: str
    children: bool
    answered: int
    unanswered: str
    wrong: list[str]


def ended(archive: Path, number: int) -> Ended:
    """Open a desk, end it at a random moment, open it again and look."""
    rng = np.random.default_rng([SEED, number])
    stream, children = list(STREAMS)[number % len(STREAMS)], number // len(STREAMS) % 2 == 0
    desk = Desk(archive)
    if stream != "choices and decisions":
        choose_static(desk)
    if stream == "signature":
        ready_to_sign(desk)
    visit = desk.settled()
    record = VisitRecord(archive.parent / f"{archive.name} desk" / "visits" / VISIT.visit, archive / VISIT.visit)
    codes = [each["code"] for each in visit["signed"]]
    known = Known(visit["choices"], desk.client.ask("GET", f"{desk.url}/review.toml")["toml"], codes)
    journal = journal_counts(record)
    timer = threading.Timer(float(rng.uniform(0.05, STREAMS[stream])), desk.kill, kwargs={"children": children})
    timer.start()
    try:
        for kind, value in clicks_of(stream, rng):
            click(desk, known, kind, value)
    except HTTPError:
        timer.cancel()
        desk.process.kill()
        raise
    except _GONE:
        timer.join()
    again = Desk(archive)
    try:
        visit, review = again.visit(), again.client.ask("GET", f"{again.url}/review.toml")["toml"]
        wrong = wrong_after(visit, review, record, known) + journal_lacks(journal_counts(record), known, journal)
        visit = again.settled()
        wrong += wrong_after(visit, review, record, known)
    finally:
        again.process.send_signal(signal.SIGTERM)
        again.process.wait(60)
    open_kind = known.open_click[0] if known.open_click else "none"
    return Ended(number, stream, children, sum(known.clicks.values()), open_kind, list(dict.fromkeys(wrong)))


def choose_static(desk: Desk) -> None:
    """Take the cures without which the visit cannot be run."""
    change = {"static": "standing", "exclude": ["walk02.c3d"]}
    if not change.items() <= desk.visit()["choices"].items():
        desk.client.ask("PATCH", f"{desk.url}/choices", {"change": change, "who": "M. Technician"})


def ready_to_sign(desk: Desk) -> None:
    """Have results that can be signed."""
    if desk.settled()["stage"] not in ("review", "signed"):
        desk.client.ask("POST", f"{desk.url}/run", {"who": "M. Technician"})
        stage = desk.settled()["stage"]
        assert stage == "review", stage


def table(rows: list[Ended]) -> str:
    """The committed page."""
    lost = sum(bool(each.wrong) for each in rows)
    head = (
        f"Version {__version__}, {len(rows)} desks ended by SIGKILL while somebody clicked, seed {SEED}; after {lost} of them "
        "something that had been answered for was lost, or something was there in part. Every second triple is ended with the "
        "commands that it had started."
    )
    columns = ("what was clicked", "ended", "with commands", "clicks answered", "ended within a click", "lost or in part")
    lines = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    for stream in (*STREAMS, "all"):
        own = [each for each in rows if stream in (each.stream, "all")]
        counts = (len(own), sum(each.children for each in own), sum(each.answered for each in own),
                  sum(each.unanswered != "none" for each in own), sum(bool(each.wrong) for each in own))  # fmt: skip
        lines.append(f"| {stream} | {' | '.join(map(str, counts))} |")
    wrong = [f"- {each.number}, {each.stream}: {text}" for each in rows for text in each.wrong]
    return "\n".join(["# A desk that is killed", "", head, "", *lines, *([""] if wrong else []), *wrong, ""])


def write_archive(home: Path) -> Path:
    """Write the recordings, if they are not there yet."""
    place = home / "archive" / VISIT.visit
    if not place.is_dir():
        place.mkdir(parents=True)
        VISIT.make(place)
    return home / "archive"


def main(n: int = 30, place: str = "") -> int:
    """Write the table; how many desks lost something."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(place or temporary)
        home.mkdir(parents=True, exist_ok=True)
        archive, log = write_archive(home), home / "kills.jsonl"
        rows = [Ended(**json.loads(text)) for text in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        for number in range(len(rows), n):
            rows.append(ended(archive, number))
            print(rows[-1], flush=True)
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(rows[-1])) + "\n")
    TABLE.write_text(table(rows), encoding="utf-8")
    return sum(bool(each.wrong) for each in rows)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 30, *sys.argv[2:3]))
