"""The desk itself: archive, records, queue and versions joined; what a route asks, and what it answers, is plain data."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from biomech_id._version import __version__
from biomech_id.desk.archive import Archive, ArchiveVisit
from biomech_id.desk.command import check_words, command_line, decided_hash, run_words
from biomech_id.desk.index import LookCache
from biomech_id.desk.jobs import Queue, Task
from biomech_id.desk.lock import RENEWED_S, Lock
from biomech_id.desk.look import read_look
from biomech_id.desk.record import VisitRecord, read_toml, revision_of
from biomech_id.desk.refusals import Refusal
from biomech_id.desk.results import MANIFEST, UNDER_WAY, Hashes, Results, is_whole, process_start
from biomech_id.desk.versions import CHAIN_FILE, flaws_of, is_readable, signatures_of
from biomech_id.errors import BiomechError, OptionError
from biomech_id.languages import Sentence
from biomech_id.markersets import MARKER_SETS
from biomech_id.models.registry import AUTO, model_names
from biomech_id.values import dataclass, field

#: How often (s) folders that changed are looked for, and every file.
FOLDERS_S, FILES_S = 2.0, 60.0
#: Forms of an export -> file or folder below ``export`` of a visit.
EXPORTS = {"page": "review.html", "xlsx": "results.xlsx", "pseudonym": "pseudonym", "signed": "signed.pdf"}
MOST_COMPARED = 6
#: Commands over everything that the desk holds, which the laboratory's screen shows.
SURVEYS = ("lab", "verify")
#: What a norm may be called: it becomes a file's name.
_NORM_NAME = re.compile(r"\w[\w .,-]{0,58}\w")
#: Changes that list recordings.
_LISTS = ("exclude", "functional", "leave_out", "take_in")
VISIT_STAGES = ("new", "waiting", "running", "changed", "review", "signed", "failed")
TellEvent = Callable[[str, Mapping[str, Any]], None]


@dataclass
class Office:
    """One archive's desk.

    Attributes
    ----------
    archive : Archive
        Folder of recordings, which is only read.
    folder : Path
        Where the desk writes.
    tell : TellEvent
        Told of what happens: kind and values.
    workers : int
        How many commands at a time.
    cache : Path | None
        Folder of what may be deleted; None for the user's.
    """

    archive: Archive
    folder: Path
    tell: TellEvent = lambda kind, values: None
    workers: int = 1
    cache: Path | None = None
    hashes: Hashes = field(default_factory=Hashes)
    _kept: dict[str, tuple[float, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_folder(self.archive.root, self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = Lock(self.folder / "lock")
        self.lock.take()
        self.index = LookCache(self.archive.root, self.cache)
        self.guard = threading.RLock()
        self.queue = Queue(self._told, self._ended, self.workers)
        self._looking: dict[str, str] = {}
        self._awaited: set[str] = set()
        self.failed: dict[str, tuple[str, list[str]]] = {}
        self._closed = threading.Event()
        self.archive.refresh(thorough=True)
        if self.lock.held:
            self._pick_up()

    def watch(self) -> None:
        """Look at the archive again and again, and keep the lock, until the desk is closed."""
        last_s = renewed_s = time.monotonic()
        while not self._closed.wait(FOLDERS_S):
            now_s = time.monotonic()
            if now_s - renewed_s >= RENEWED_S:
                renewed_s = now_s
                with suppress(OSError):
                    self.lock.renew()
            self.look_around(thorough=now_s - last_s >= FILES_S)
            last_s = now_s if now_s - last_s >= FILES_S else last_s

    def look_around(self, *, thorough: bool = False) -> None:
        """Find what changed in the archive, and tell of it.

        Parameters
        ----------
        thorough : bool, optional
            Whether every file is looked at.
        """
        for name in self.archive.refresh(thorough=thorough):
            self.tell("visit", {"id": name})

    def close(self) -> None:
        """Stop watching and give the lock back; commands at work go on."""
        self._closed.set()
        self.queue.close()
        self.lock.release()
        self.index.close()

    # Visits and their records

    def visit(self, name: str) -> ArchiveVisit:
        """Return a visit by its identifier.

        Parameters
        ----------
        name : str
            Sixteen hexadecimal digits.

        Raises
        ------
        Refusal
            There is none (404).
        """
        visit = self.archive.visits.get(name)
        root = self.archive.root.resolve()
        if visit is None or not visit.folder.resolve().is_relative_to(root):
            raise Refusal.because("desk-no-visit", status=404)
        return visit

    def record(self, visit: ArchiveVisit) -> VisitRecord:
        """Return what was decided about a visit.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        return VisitRecord(self.folder / "visits" / visit.path, visit.folder)

    def results(self, visit: ArchiveVisit) -> Results:
        """Return a visit's results.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        return Results(self.record(visit))

    def stage(self, visit: ArchiveVisit) -> str:
        """Return how far a visit is: one of ``VISIT_STAGES``, computed from files.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        task = self.queue.at_work(visit.id)
        if task is not None:
            return "waiting" if task.state == "waits" else "running"
        if visit.id in self.failed:
            return "failed"
        # Of an archive most visits have no folder yet: asked by text, which costs a tenth of a path.
        if not os.path.isdir(f"{self.folder}/visits/{visit.path}"):
            return "new"
        results = self.results(visit)
        if self.is_run_under_way(visit):
            return "running"
        if not results.there:
            return "new"
        if results.changed_since(visit, self.hashes):
            return "changed"
        versions = results.record.folder / "versions"
        entries = signatures_of(versions) if is_readable(versions) else ()
        signed = bool(entries) and entries[-1].values.get("manifest_sha256") == revision_of(results.folder / MANIFEST)
        return "signed" if signed else "review"

    # Looks

    def look_key(self, visit: ArchiveVisit) -> str:
        """Return what a look depends on: files, and all that was decided.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        return hashlib.sha256(f"{visit.state} {decided_hash(self.record(visit))}".encode()).hexdigest()[:16]

    def look_of(self, visit: ArchiveVisit) -> dict[str, Any] | None:
        """Return what the doctor said of a visit as it is now; None where nobody asked yet.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        return self.index.get(visit.id, self.look_key(visit))

    def ask_looks(self, names: list[str]) -> None:
        """Put visits that nobody has looked at as they are now into the queue.

        Parameters
        ----------
        names : list[str]
            Their identifiers.
        """
        for name in names:
            visit = self.archive.visits.get(name)
            if visit is None:
                continue
            with self.guard:
                key = self.look_key(visit)
                asked = self.queue.of(name, "look")
                if self.index.get(name, key) or (self._looking.get(name) == key and asked is not None):
                    continue
                if asked is not None and asked.state == "waits":
                    self.queue.cancel(asked.number)
                self._looking[name] = key
                self.queue.add("look", name, check_words(self.record(visit)), self._logs(name))

    def _logs(self, name: str) -> Path:
        return self.index.path.with_suffix("") / name

    # Choices and decisions

    def choose(self, visit: ArchiveVisit, change: Mapping[str, Any], who: str, seen: str | None) -> None:
        """Lay a change over what was chosen for a visit, and look at it again.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        change : Mapping[str, Any]
            As of `VisitRecord.choose`; "repair" and "unrepair" go into ``review.toml``, "leave_out" and "take_in" name
            recordings of "exclude".
        who : str
            As somebody gave a name.
        seen : str | None
            Revision that the change was made on.
        """
        self.may_write()
        self._known_names(visit, change)
        record = self.record(visit)
        with self.guard:
            values = dict(change)
            repairs = [(values.pop(key), key == "repair") for key in ("repair", "unrepair") if values.get(key)]
            out, back = (list(values.pop(key, None) or ()) for key in ("leave_out", "take_in"))
            if out or back:
                kept = [name for name in record.choices.get("exclude", ()) if name not in (*out, *back)]
                values["exclude"] = [*kept, *out]
            if values:
                record.choose(values, seen)
            for repair, done in repairs:
                record.repair({**repair, **({"author": who} if who and done else {})}, done=done)
            record.note("choose", who, {"change": change, "command": command_line(run_words(record))})
            self.failed.pop(visit.id, None)
        self.ask_looks([visit.id])
        self.tell("visit", {"id": visit.id})

    def _known_names(self, visit: ArchiveVisit, change: Mapping[str, Any]) -> None:
        """Refuse names that are no recordings of the visit: no path comes from a page."""
        stems = {Path(name).stem for name in visit.names} | set(visit.names)
        conditions, films, *repairs = (change.get(key) or {} for key in ("conditions", "film", "repair", "unrepair"))
        lists = [change.get(key) or [] for key in _LISTS]
        for values, kind in (((conditions, films, *repairs), Mapping), (lists, list)):
            for value in values:
                if not isinstance(value, kind):
                    raise Refusal.because("desk-not-understood", status=422, why=type(value).__name__)
        trials = [tie.get("trial") for tie in films.values() if isinstance(tie, Mapping)]
        recordings = [change.get("static"), *conditions, *trials, *(name for names in lists for name in names)]
        for names, known in ((recordings, tuple(stems)), (films, visit.films)):
            for name in filter(None, names):
                if name not in known:
                    raise Refusal.because("desk-no-file", status=422, file=str(name))
        listed = {"marker_set": tuple(MARKER_SETS), "model": (AUTO, *model_names()), "norm": self.norms}
        for key, known in listed.items():
            if change.get(key) and change[key] not in known:
                raise Refusal.because("desk-no-file", status=422, file=str(change[key]))

    @property
    def norms(self) -> tuple[str, ...]:
        """Files of norms that ``desk.toml`` lists or the desk built: a page may choose among them, and name no other."""
        try:
            named = read_toml(self.folder / "desk.toml").get("norms", [])
        except BiomechError:  # the laboratory's screen says what is wrong with it
            named = []
        listed = [named] if isinstance(named, str) else named if isinstance(named, list) else []
        built = sorted((self.folder / "norms").glob("[!.]*.csv"))
        return tuple(str(self.folder / path) for path in map(str, (*listed, *built)))

    @property
    def style(self) -> Path | None:
        """The laboratory's style file that ``desk.toml`` names; None without one."""
        style = read_toml(self.folder / "desk.toml").get("style")
        return self.folder / str(style) if style else None

    def decide(self, visit: ArchiveVisit, text: str, who: str, seen: str | None) -> str:
        """Keep a visit's ``review.toml``, and return its revision.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        text : str
            The whole file.
        who : str
            As somebody gave a name.
        seen : str | None
            Revision that it was made on.
        """
        self.may_write()
        record = self.record(visit)
        with self.guard:
            revision = record.decide(text, seen)
            record.note("review", who, {"revision": revision})
        self.tell("visit", {"id": visit.id})
        return revision

    def may_write(self) -> None:
        """Refuse where another desk holds the lock."""
        if not self.lock.held:
            raise Refusal.because("desk-read-only", host=str(self.lock.holder.get("host", "?")))

    def take_lock(self) -> bool:
        """Take the lock over from a desk that was not heard of for long, and return whether it is held."""
        held = self.lock.take(over=True)
        if held:
            self._pick_up()
        return held

    # Runs

    def run(self, visit: ArchiveVisit, who: str) -> Task:
        """Put a visit's run into the queue.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        who : str
            As somebody gave a name.

        Raises
        ------
        Refusal
            One is under way already (409).
        """
        self.may_write()
        results = self.results(visit)
        with self.guard:
            if self.is_run_under_way(visit):
                raise Refusal.because("desk-runs-already", visit=visit.path)
            results.record.settle()
            results.record.note("run", who, {"command": command_line(run_words(results.record))})
            return self._begin(visit, results)

    def is_run_under_way(self, visit: ArchiveVisit) -> bool:
        """Return whether a run of a visit waits or is at work, also one that a desk before this one started.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        return self.queue.at_work(visit.id) is not None or visit.id in self._awaited or bool(self.results(visit).under_way)

    def _begin(self, visit: ArchiveVisit, results: Results) -> Task:
        results.begin(visit)
        self.failed.pop(visit.id, None)
        words = [*run_words(results.record), "-o", str(results.coming)]
        return self.queue.add("run", visit.id, words, results.record.folder / "log")

    def cancel(self, number: int) -> None:
        """Ask a command to end.

        Parameters
        ----------
        number : int
            Of its task.
        """
        self.may_write()
        task = self.queue.tasks.get(number)
        if task is None:
            raise Refusal.because("desk-no-job", status=404)
        visit = None if task.ended or task.kind != "run" else self.archive.visits.get(task.visit)
        self.queue.cancel(number)
        if visit is not None:
            # A desk that is killed before the process has ended does not begin this run again.
            self.results(visit).give_up()

    def dismiss(self, visit: ArchiveVisit) -> None:
        """Forget that a visit's run failed.

        Parameters
        ----------
        visit : ArchiveVisit
            Of the archive.
        """
        self.failed.pop(visit.id, None)
        self.tell("visit", {"id": visit.id})

    def _told(self, task: Task) -> None:
        if task.kind == "run" and task.state == "runs" and task.process:
            visit = self.archive.visits.get(task.visit)
            if visit is not None and self._kept.get(task.visit, (0.0, ""))[1] != str(task.process):
                self._kept[task.visit] = (0.0, str(task.process))
                self.results(visit).note_process(task.process)
        if task.kind != "look" or task.ended:
            self.tell("job", task.to_dict())
        if task.ended:
            self.tell("visit", {"id": task.visit})

    def _ended(self, task: Task, outcome: str) -> str:
        """What follows once a process is over, and the outcome then: results take their place, a look is kept."""
        visit = self.archive.visits.get(task.visit)
        if visit is None:
            return outcome
        if task.kind == "run":
            with self.guard:
                if outcome != "done":
                    self.results(visit).give_up()
                elif not self.results(visit).take_over():
                    outcome = "failed"
            if outcome == "failed":
                self.failed[visit.id] = (decided_hash(self.record(visit)), task.aside[-3:] or ["?"])
            elif outcome == "done":
                self.prepare_page(visit)
        elif task.kind == "look":
            return self._keep_look(task, visit, outcome)
        elif task.kind == "page" and outcome == "done":
            os.replace(task.logs / "page.json.part.json", task.logs / self._page_name(visit))
        return outcome

    def _keep_look(self, task: Task, visit: ArchiveVisit, outcome: str) -> str:
        key = self._looking.get(visit.id, "")
        look = read_look(task.output.read_text(encoding="utf-8", errors="replace"), self.record(visit).choices)
        if look is None or outcome != "done":
            return "failed"
        if key == self.look_key(visit):
            self.index.put(visit.id, key, look)
        else:
            self._looking.pop(visit.id, None)
        return outcome

    def _pick_up(self) -> None:
        """Go on where a desk that was killed stopped: runs that ended are taken over, those that live are waited for."""
        if self.lock.left_behind:
            for record in map(self.record, self.archive.visits.values()):
                record.settle()
        for noted in (self.folder / "visits").rglob(UNDER_WAY):
            visit = next((each for each in self.archive.visits.values() if self.record(each).folder == noted.parent), None)
            if visit is None:
                continue
            results = self.results(visit)
            if results.under_way:
                self._awaited.add(visit.id)
                threading.Thread(target=self._wait_for, args=(visit, results), daemon=True).start()
            else:
                self._take_or_begin(visit, results)

    def _take_or_begin(self, visit: ArchiveVisit, results: Results) -> None:
        """Take whole results over whose decisions are still those on disk; a run that did not come so far begins anew."""
        with self.guard:
            from_now = json.dumps(decided_hash(results.record))
            asked = (results.record.folder / UNDER_WAY).read_text(encoding="utf-8")
            if is_whole(results.coming) and from_now in asked:
                results.take_over()
            else:
                self._begin(visit, results)

    def _wait_for(self, visit: ArchiveVisit, results: Results) -> None:
        process = results.under_way
        began = process_start(process)
        while began and process_start(process) == began and not self._closed.wait(0.5):
            pass
        if not self._closed.is_set():
            try:
                self._take_or_begin(visit, results)
            finally:
                self._awaited.discard(visit.id)
                self.tell("visit", {"id": visit.id})

    # Comparisons and exports

    @property
    def comparison(self) -> Path:
        """Where the last comparison is drawn."""
        return self.folder / "compare.pdf"

    def compare(self, visits: list[ArchiveVisit]) -> Task:
        """Have the results of two to six visits overlaid in one document.

        Parameters
        ----------
        visits : list[ArchiveVisit]
            In their order, the first being what the others are compared with.
        """
        self.may_write()
        if not 2 <= len(visits) <= MOST_COMPARED or not all(self.results(visit).there for visit in visits):
            raise Refusal.because("desk-compare-which", status=422)
        folders = [str(self.results(visit).folder) for visit in visits]
        style = ["--style", str(self.style)] if self.style else []
        return self.queue.add("compare", "", ["compare", *folders, "-o", str(self.comparison), *style], self.folder / "log")

    # The laboratory

    @property
    def charts(self) -> Path:
        """Where the charts over all sessions are drawn."""
        return self.folder / "laboratory.pdf"

    @property
    def survey_logs(self) -> Path:
        """Where commands over everything leave what they say."""
        return self._logs("laboratory")

    def survey_words(self, kind: str, language: str) -> list[str]:
        """Return the words behind ``biomech-id`` of a command over everything that the desk holds.

        Parameters
        ----------
        kind : str
            One of `SURVEYS`.
        language : str
            Of what is drawn.
        """
        if kind == "verify":
            return ["verify", str(self.folder), "--json"]
        return ["lab", str(self.folder / "visits"), "--json", "-o", str(self.charts), "--language", language]

    def survey(self, kind: str, language: str) -> Task:
        """Have a command over everything that the desk holds run, once at a time.

        Parameters
        ----------
        kind : str
            One of `SURVEYS`.
        language : str
            Of what is drawn.
        """
        if kind not in SURVEYS:
            raise Refusal.because("desk-not-understood", status=422, why=kind)
        if kind != "verify":
            self.may_write()
        with self.guard:
            under_way = self.queue.at_work("", kind)
            return under_way or self.queue.add(kind, "", self.survey_words(kind, language), self.survey_logs)

    def norm_words(self, visits: list[ArchiveVisit], name: str) -> list[str]:
        """Return the words behind ``biomech-id`` that build a norm of some visits' results.

        Parameters
        ----------
        visits : list[ArchiveVisit]
            Of the archive.
        name : str
            What it is to be called.

        Raises
        ------
        Refusal
            No visit, one without results, or a name that no file can have (422); a norm of this name is there (409).
        """
        if not visits or not all(self.results(visit).there for visit in visits):
            raise Refusal.because("desk-norm-which", status=422)
        if not _NORM_NAME.fullmatch(name):
            raise Refusal.because("desk-norm-name", status=422)
        path = self.folder / "norms" / f"{name}.csv"
        if path.exists():
            raise Refusal.because("desk-norm-there", name=name)
        folders = [str(self.results(visit).folder) for visit in visits]
        return ["norm", *folders, "-o", str(path), "--name", name, "--date", date.today().isoformat()]

    def build_norm(self, visits: list[ArchiveVisit], name: str, who: str) -> Task:
        """Have a norm built of some visits' results.

        Parameters
        ----------
        visits : list[ArchiveVisit]
            Of the archive.
        name : str
            What it is to be called.
        who : str
            As somebody gave a name.
        """
        self.may_write()
        with self.guard:
            words = self.norm_words(visits, name)
            if self.queue.at_work("", "norm"):
                raise Refusal.because("desk-runs-already", visit=name)
            (self.folder / "norms").mkdir(exist_ok=True)
            VisitRecord(self.folder, self.archive.root).note("norm", who, {"command": command_line(words)})
            return self.queue.add("norm", "", words, self.folder / "log")

    def export(self, visit: ArchiveVisit, kind: str, who: str, code: str = "") -> Task:
        """Have a visit's results written in another form, into a folder of the desk.

        Parameters
        ----------
        visit : ArchiveVisit
            With results.
        kind : str
            One of `EXPORTS`.
        who : str
            As somebody gave a name.
        code : str, optional
            Of the pseudonym.
        """
        self.may_write()
        results = self.results(visit)
        if kind not in EXPORTS or not results.there or (kind == "pseudonym") != bool(code):
            raise Refusal.because("desk-export-what", status=422, kinds=list(EXPORTS))
        if kind == "signed" and self.stage(visit) != "signed":
            raise Refusal.because("desk-export-unsigned")
        target = results.record.folder / "export" / EXPORTS[kind]
        target.parent.mkdir(parents=True, exist_ok=True)
        words = [{"page": "review", "signed": "report"}.get(kind, "export"), str(results.folder), "-o", str(target)]
        if kind == "signed":
            words += ["--signature", str(results.record.folder / "versions" / CHAIN_FILE)]
        if kind == "pseudonym":
            words = [*run_words(results.record), "--code", code, "-o", str(target)]
        results.record.note("export", who, {"kind": kind, "command": command_line(words)})
        return self.queue.add("export", visit.id, words, results.record.folder / "log")

    # Review

    def prepare_page(self, visit: ArchiveVisit) -> None:
        """Have the review page's content made for results that have none yet.

        Parameters
        ----------
        visit : ArchiveVisit
            With results.
        """
        logs = self._logs(visit.id)
        if (logs / self._page_name(visit)).is_file() or self.queue.at_work(visit.id, "page"):
            return
        for old in logs.glob("*.json"):
            old.unlink(missing_ok=True)
        words = ["review", str(self.results(visit).folder), "-o", str(logs / "page.json.part.json")]
        self.queue.add("page", visit.id, words, logs)

    def _page_name(self, visit: ArchiveVisit) -> str:
        # A page's scripts are this version's, so its content has to be.
        return f"{revision_of(self.results(visit).folder / MANIFEST)[:16]}-{__version__}.json"

    def page(self, visit: ArchiveVisit) -> Path | None:
        """Return the file of the review page's content; None while it is being made.

        Parameters
        ----------
        visit : ArchiveVisit
            With results.

        Raises
        ------
        Refusal
            There are no results (404), or no page can be made of them (409).
        """
        if not self.results(visit).there:
            raise Refusal.because("desk-no-results", status=404)
        made = self._logs(visit.id) / self._page_name(visit)
        if made.is_file():
            return made
        failed = self.queue.of(visit.id, "page")
        if failed is not None and failed.state == "failed":
            self.queue.forget(failed.number)
            raise Refusal.because("desk-no-page", why=" ".join(failed.aside[-3:]))
        self.prepare_page(visit)
        return None


def refuse_folder(archive: Path, folder: Path) -> None:
    """Refuse to write where recordings lie.

    Parameters
    ----------
    archive : Path
        Of recordings.
    folder : Path
        Where the desk would write.

    Raises
    ------
    OptionError
        One lies in the other.
    """
    inside, around = folder.resolve(), archive.resolve()
    if inside == around or inside.is_relative_to(around) or around.is_relative_to(inside):
        raise OptionError(
            f"The desk's own folder {folder} and the archive {archive} lie in one another; recordings are only read. Name another "
            "folder with --desk.",
            value=str(folder), expected="a folder beside the archive", where="--desk",
        )  # fmt: skip


def every_flaw(chains: list[Path]) -> list[tuple[Path, list[Sentence]]]:
    """Return each chain with what is wrong with it.

    Parameters
    ----------
    chains : list[Path]
        ``versions`` folders.
    """
    return [(chain, list(flaws_of(chain))) for chain in chains if (chain / CHAIN_FILE).is_file()]
