"""What the desk keeps, and how far a visit is: by files alone, whoever was first wins, and a crash loses nothing that was told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from platform import node

import pytest
from starlette.testclient import TestClient

from biomech_id.desk.archive import Archive, ArchiveVisit
from biomech_id.desk.changes import result_changes
from biomech_id.desk.command import check_words, command_line, run_words
from biomech_id.desk.jobs import Queue, Task, read_progress
from biomech_id.desk.lock import LOST_S, Lock
from biomech_id.desk.look import read_look, sentences
from biomech_id.desk.office import Office
from biomech_id.desk.record import DECISION_FILES
from biomech_id.desk.refusals import Refusal
from biomech_id.desk.results import process_start
from biomech_id.desk.rows import patient_visits, patients, today, visit_row
from biomech_id.files.inputs import sha256_of

REVIEW = 'schema = 2\n\n[[cycle]]\ntrial = "walk01"\nside = "L"\nstart_s = 1.5\nuse = false\n'
Write = Callable[..., None]


def visit_of(office: Office, path: str = "anna/2026-01") -> ArchiveVisit:
    return next(visit for visit in office.archive.visits.values() if visit.path == path)


def hashes(visit: ArchiveVisit) -> dict[str, str]:
    return {name: sha256_of(visit.folder / name) for name in visit.names}


def ran(office: Office, visit: ArchiveVisit, write: Write, **more: object) -> None:
    """As if a run of the visit had just ended."""
    results = office.results(visit)
    results.begin(visit)
    write(results.coming, hashes(visit), **more)
    assert results.take_over()


def test_the_archive_is_followed(archive: Path) -> None:
    found = Archive(archive)
    assert len(found.refresh()) == 3
    assert found.refresh() == set()
    (archive / "ben" / "two").mkdir()
    (archive / "ben" / "two" / "walk.c3d").touch()
    assert [found.visits[name].path for name in found.refresh()] == ["ben/two"]
    (archive / "ben" / "one" / "walk01.c3d").write_bytes(b"written again in place")
    assert [found.visits[name].path for name in found.refresh()] == ["ben/one"]
    archive.rename(archive.parent / "away")
    assert found.refresh() == set()
    assert len(found.visits) == 4
    (archive.parent / "away").rename(archive)
    shutil.rmtree(archive / "ben")
    assert len(found.refresh()) == 2
    assert {visit.patient for visit in found.visits.values()} == {"anna"}


def test_two_people_do_not_overwrite_one_another(client: TestClient, office: Office) -> None:
    url = f"/api/visits/{visit_of(office).id}"
    first = client.patch(f"{url}/choices", json={"change": {"static": "static"}, "who": "a"}, headers={"if-match": ""}).json()
    again = client.patch(f"{url}/choices", json={"change": {"static": "walk01"}, "who": "b"}, headers={"if-match": ""})
    assert (again.status_code, tomllib.loads(again.json()["text"])) == (412, {"static": "static"})
    assert again.json()["revision"] == first["revision"]
    saved = client.put(f"{url}/review.toml", json={"toml": REVIEW, "who": "a"}, headers={"if-match": ""})
    other = client.put(f"{url}/review.toml", json={"toml": "schema = 2\n", "who": "b"}, headers={"if-match": ""})
    assert (saved.status_code, other.status_code, other.json()["text"]) == (200, 412, REVIEW)
    now = client.get(f"{url}/review.toml").json()
    assert (now["toml"], now["revision"]) == (REVIEW, saved.json()["revision"])
    assert [(each["decision"], each["trial"], each["use"]) for each in now["decisions"]] == [("cycle", "walk01", False)]


def test_a_text_that_is_no_review_leaves_the_good_one(client: TestClient, office: Office) -> None:
    url = f"/api/visits/{visit_of(office).id}/review.toml"
    client.put(url, json={"toml": REVIEW})
    refused = client.put(url, json={"toml": "schema = 2\n[[cycle]]\nside = 3\n"}, headers={"accept-language": "de"})
    assert refused.status_code == 422
    assert refused.json()["error"].startswith("Nicht gespeichert: review.toml")
    assert client.get(url).json()["toml"] == REVIEW


def test_choices_become_the_command_line(office: Office, archive: Path) -> None:
    visit = visit_of(office)
    (visit.folder / "subject.toml").write_text('code = "A1"\n\n[clinic]\nmas = 2\n')
    change = {"static": "static", "exclude": ["walk[1].c3d"], "subject": {"mass_kg": 31.5}, "channels": {"EMG 1": "L soleus"}}
    office.choose(visit, change, "a", None)
    record = office.record(visit)
    words = [str(visit.folder), "--static", "static", "--exclude", "walk[1].c3d", "--recipe", str(record.folder / "recipe.toml")]
    words += ["--subject", str(record.folder / "subject.toml")]
    assert run_words(record) == ["run", *words]
    assert check_words(record) == ["check", words[0], "--json", *words[1:]]
    assert command_line(run_words(record)).startswith("biomech-id run ")
    subject = tomllib.loads((record.folder / "subject.toml").read_text())
    assert subject == {"code": "A1", "mass_kg": 31.5, "clinic": {"mas": 2}}
    office.choose(visit, {"leave_out": ["walk01.c3d"]}, "a", None)
    assert record.choices["exclude"] == ["walk[1].c3d", "walk01.c3d"]
    office.choose(visit, {"take_in": ["walk01.c3d", "walk[1].c3d"]}, "a", None)
    office.choose(visit, {"subject": {"mass_kg": None}, "channels": {"EMG 1": None}}, "a", None)
    assert run_words(record) == ["run", words[0], "--static", "static"]
    assert [entry["what"] for entry in record.journal()] == ["choose"] * 4
    assert sorted(path.name for path in visit.folder.iterdir()) == ["static.c3d", "subject.toml", "walk01.c3d", "walk[1].c3d"]


def test_a_value_that_nobody_has_is_refused_with_its_sentence(office: Office) -> None:
    with pytest.raises(Refusal, match="mass_kg"):
        office.choose(visit_of(office), {"subject": {"mass_kg": 3000}}, "a", None)
    assert not office.record(visit_of(office)).choices


def test_repairs_go_into_the_review_and_out_again(office: Office) -> None:
    visit, record = visit_of(office), office.record(visit_of(office))
    record.decide(REVIEW, None)
    repair = {"kind": "labels", "what": ["LKNE", "LANK"], "trials": ["walk01"]}
    office.choose(visit, {"repair": repair}, "anna", None)
    now = tomllib.loads(record.review_text())
    assert now["repair"] == [{**repair, "author": "anna"}]
    assert now["cycle"] == tomllib.loads(REVIEW)["cycle"]
    office.choose(visit, {"unrepair": repair}, "anna", None)
    assert tomllib.loads(record.review_text()) == tomllib.loads(REVIEW)


def test_a_visit_is_as_far_as_its_files_say(office: Office, results: Write) -> None:
    visit = visit_of(office)
    assert office.stage(visit) == "new"
    task = office.run(visit, "a")
    assert office.stage(visit) == "waiting"
    with pytest.raises(Refusal, match="is being run"):
        office.run(visit, "b")
    office.cancel(task.number)
    assert office.stage(visit) == "new"
    assert not (office.record(visit).folder / "job.toml").exists()
    ran(office, visit, results)
    assert office.stage(visit) == "review"
    for decide in ({"static": "static"}, {"subject": {"mass_kg": 50}}):
        office.choose(visit, decide, "a", None)
        assert office.stage(visit) == "changed"
        office.choose(visit, dict.fromkeys(decide), "a", None)
        assert office.stage(visit) == "review"
    office.decide(visit, REVIEW, "a", None)
    assert office.stage(visit) == "changed"
    ran(office, visit, results)
    os.utime(visit.folder / "walk01.c3d", (0, 0))
    office.archive.refresh(thorough=True)
    assert office.stage(visit_of(office)) == "review"  # by hashes, never by clocks
    (visit.folder / "walk01.c3d").write_bytes(b"another movement")
    office.archive.refresh(thorough=True)
    assert office.stage(visit_of(office)) == "changed"


@pytest.mark.parametrize("torn", ["manifest.json", "summary.json", None])
def test_only_whole_results_take_the_old_ones_place(office: Office, results: Write, torn: str | None) -> None:
    visit = visit_of(office)
    ran(office, visit, results, report=b"old")
    own = office.results(visit)
    own.begin(visit)
    results(own.coming, hashes(visit), report=b"new")
    if torn:
        (own.coming / torn).write_text("{")
    assert own.take_over() is (torn is None)
    assert (own.folder / "report.pdf").read_bytes() == (b"old" if torn else b"new")
    assert own.before.exists() is (torn is None)
    assert not own.coming.exists()


def test_a_run_that_is_cancelled_as_its_process_begins_does_not_begin_again(open_office: Callable[[], Office]) -> None:
    office = open_office()
    own = office.results(visit_of(office))
    own.begin(visit_of(office))
    own.give_up()
    own.note_process(os.getpid())
    office.lock.release()
    assert open_office().stage(visit_of(office)) == "new"


def test_a_desk_that_was_killed_goes_on_where_it_was(open_office: Callable[[], Office], results: Write) -> None:
    office = open_office()
    visits = [visit_of(office, path) for path in ("anna/2026-01", "anna/2026-02", "ben/one")]
    finished, stale, alive = map(office.results, visits)
    for visit, own in zip(visits, (finished, stale, alive), strict=True):
        own.begin(visit)
        results(own.coming, hashes(visit))
    stale.record.choose({"static": "static"}, None)  # decided after the run began
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    alive.note_process(process.pid)
    office.lock.release()
    again = open_office()
    assert (finished.there, stale.there, stale.coming.exists(), alive.there) == (True, False, False, False)
    assert again.stage(visit_of(again, "ben/one")) == "running"
    # What somebody asked for and did not get is run, as it is decided now.
    assert again.stage(visits[1]) == "waiting"
    assert again.queue.of(visits[1].id).words[:4] == ("run", str(stale.record.recordings), "--static", "static")
    process.kill()
    process.wait()
    until, stages = time.monotonic() + 10, set[str]()
    while (stage := again.stage(visit_of(again, "ben/one"))) != "review" and time.monotonic() < until:
        stages.add(stage)
        time.sleep(0.05)
    # It is at work until its results are taken over.
    assert (stages, stage) == ({"running"}, "review")
    assert process_start(process.pid) == ""


def test_a_run_that_was_cancelled_does_not_begin_again(open_office: Callable[[], Office]) -> None:
    office = open_office()
    waiting, running = visit_of(office), visit_of(office, "ben/one")
    numbers = [office.run(visit, "a").number for visit in (waiting, running)]
    office.queue.tasks[numbers[1]].state = "runs"
    for number in numbers:
        office.cancel(number)
    assert office.stage(running) == "running"  # until its process has cleared up
    office.lock.release()
    again = open_office()
    assert [again.stage(visit) for visit in (waiting, running)] == ["new", "new"]


def test_files_that_follow_from_the_choices_are_written_after_a_crash(open_office: Callable[[], Office]) -> None:
    record = open_office().record(visit_of(open_office()))
    record.choose({"subject": {"mass_kg": 60.0}}, None)
    (record.folder / "subject.toml").unlink()  # killed between the two
    (record.folder.parents[2] / "lock").write_text(json.dumps({"host": node(), "process": 2**22 + 1, "time": time.time()}))
    open_office()
    assert tomllib.loads((record.folder / "subject.toml").read_text()) == {"mass_kg": 60.0}


def test_a_task_is_at_work_from_its_process_to_its_outcome(tmp_path: Path) -> None:
    noted: list[tuple[str, bool]] = []

    def ended(task: Task, outcome: str) -> str:
        # A run that is asked for now is refused, and nothing of it is taken for this one's.
        assert queue.at_work("", "export") is task
        return f"not {outcome}"

    queue = Queue(lambda task: noted.append((task.state, task.process > 0)), ended, 1)
    queue.add("export", "", ["--version"], tmp_path)
    until = time.monotonic() + 60
    while noted[-1] != ("not done", True) and time.monotonic() < until:
        time.sleep(0.01)
    queue.close()
    # The process is noted before it says anything, for a desk that is opened again finds it by that.
    assert noted == [("waits", False), ("runs", False), ("runs", True), ("not done", True)]


def test_one_desk_works_and_the_other_reads(open_office: Callable[[], Office], tmp_path: Path) -> None:
    first, second = open_office(), open_office()
    assert (first.lock.held, second.lock.held) == (True, False)
    with pytest.raises(Refusal, match="Read only"):
        second.choose(visit_of(second), {"static": "static"}, "b", None)
    assert today(second)["read_only"]
    away = Lock(tmp_path / "lock")
    away.path.write_text(json.dumps({"host": "elsewhere", "process": 1, "time": time.time()}))
    assert not away.take(over=True)
    away.path.write_text(json.dumps({"host": "elsewhere", "process": 1, "time": time.time() - LOST_S - 1}))
    assert away.take(over=True)
    away.path.write_text(json.dumps({"host": "elsewhere", "process": 1, "time": time.time()}))
    away.renew()
    assert not away.held


CHECKED = [
    {"path": "/x/static.c3d", "readable": True, "error": None, "frames": 100, "rate_hz": 100.0, "points": 16, "analog_channels": 0,
     "plates": [], "findings": []},
    {"path": "/x/walk01.c3d", "readable": False, "error": "walk01.c3d is empty.", "frames": None, "rate_hz": None, "points": None,
     "analog_channels": None, "plates": [], "findings": [
         {"rule": "leg-labels-exchanged", "severity": "warning", "message": "English", "hint": "",
          "values": {"first": "LKNE", "second": "LANK", "trial": "walk01", "first_mm": 85.0, "second_mm": 364.0}},
         {"rule": "data-cut", "severity": "warning", "message": "cut", "hint": "",
          "values": {"file": "w", "promised": 2, "held": 1}}]},
    {"folder": "/x", "verdict": "lacks", "model": None, "static": "static", "lacks": ["No mass."],
     "cures": [{"lack": "mass", "names": [], "options": ["--mass KG"], "keys": ["mass_kg"], "command": None},
               {"lack": "static", "names": [], "options": ["--static static", "--static 'stand up'"], "keys": [], "command": None}],
     "cycles": {"L": {"with_kinetics": 1, "without_kinetics": 4}, "R": {"with_kinetics": 2, "without_kinetics": 2}},
     "layers": {"kinematics": {"L": "accept", "R": "reject"}, "kinetics": {"L": "accept", "R": "accept"}, "emg": {}},
     "findings": [
         {"rule": "recorded-twice", "severity": "warning", "message": "twice", "hint": "", "values": {"pairs": [["b", "a"]]}}]},
]  # fmt: skip


def test_a_row_says_what_the_doctor_says(office: Office) -> None:
    look = read_look("\n".join(map(json.dumps, CHECKED)), {})
    assert look is not None
    assert look["layers"] == {"kinematics": "warn", "kinetics": "accept", "emg": "not judged"}
    assert (look["cycles"], look["kinetics"]) == ({"L": 5, "R": 4}, {"L": 1, "R": 2})
    cures = {cure["kind"]: cure for cure in look["cures"]}
    assert list(cures) == ["mass", "static", "unreadable", "copies", "exchange"]
    assert cures["static"]["options"] == [["static"], ["stand up"]]
    assert cures["exchange"]["pairs"] == [{"what": ["LKNE", "LANK"], "trials": ["walk01"]}]
    assert "vertauscht" in " ".join(sentences(look, "de"))
    assert read_look("", {}) is read_look('{"path": ', {}) is read_look("[1]", {}) is None
    visit = visit_of(office)
    assert visit_row(office, visit)["look"] == "looking"
    office.index.put(visit.id, office.look_key(visit), look)
    row = visit_row(office, visit)
    assert (row["look"], row["ready"], row["source"], row["cures"]) == ("looked", False, "expected", list(cures))
    office.choose(visit, {"static": "static"}, "a", None)
    assert visit_row(office, visit)["look"] == "looking"  # what was chosen is looked at anew


def test_labels_that_were_exchanged_back_are_nothing_to_do(office: Office) -> None:
    visit = visit_of(office)
    look = read_look("\n".join(map(json.dumps, CHECKED)), {})
    repair = {"kind": "labels", "what": ["LKNE", "LANK"], "trials": ["walk01"]}
    open_cures = []
    for done in (False, True):
        if done:
            office.choose(visit, {"repair": repair}, "a", None)
        assert look is not None
        office.index.put(visit.id, office.look_key(visit), look)
        open_cures.append("exchange" in visit_row(office, visit)["cures"])
    assert open_cures == [True, False]


def test_what_is_said_of_a_recording_is_said_once_in_the_page_s_language() -> None:
    cut = {"rule": "data-cut", "message": "cut", "values": {"file": "w", "promised": 2, "held": 1}}
    look = {"lacks": ["No mass.", "walk01: cut", "walk02: cut"], "said": [cut]}
    english, german = (sentences(look, language) for language in ("en", "de"))
    assert [line.partition(":")[0] for line in english] == ["No mass.", "walk01", "walk02"]
    assert [line.partition(":")[0] for line in german] == ["No mass.", "walk01", "walk02"]
    assert english[1] != german[1] != "walk01: cut"


def test_after_a_run_only_what_it_found_is_shown(office: Office, results: Write) -> None:
    visit = visit_of(office)
    ran(office, visit, results, verdict="reject")
    row = visit_row(office, visit)
    assert (row["source"], set(row["layers"].values()), row["cycles"]) == ("found", {"reject"}, {"L": 3, "R": 3})


def test_lists_are_paged_searched_and_counted(office: Office, results: Write) -> None:
    ran(office, visit_of(office), results)
    assert dict(today(office)["counts"]) == {"new": 2, "review": 1}
    assert [row["visit"] for row in today(office, state="review")["rows"]] == ["anna/2026-01"]
    assert {row["visit"] for row in today(office, search="AN -02")["rows"]} == {"anna/2026-02"}
    assert len(today(office, limit=1, after=2)["rows"]) == 1
    assert patients(office, "be") == [{"name": "ben", "visits": 1}]
    assert [row["visit"] for row in patient_visits(office, "anna")] == ["anna/2026-01", "anna/2026-02"]


def test_changes_are_means_over_cycles_in_use(tmp_path: Path) -> None:
    for name, value, used in (("before", 3.0, True), ("after", 9.0, False)):
        folder = tmp_path / name
        folder.mkdir()
        cycles = [{"side": "L", "cycle": 1, "used": True}, {"side": "L", "cycle": 2, "used": used}]
        (folder / "summary.json").write_text(json.dumps({"schema": 3, "trials": [{"name": "walk", "cycles": cycles}]}))
        rows = [
            "trial,side,cycle,parameter,value,unit,sd",
            "walk,L,1,speed,1,m/s,0.1",
            f"walk,L,2,speed,{value},m/s,0.1",
            "walk,L,1,time,1,s,",
        ]
        (folder / "spatiotemporal.csv").write_text("\n".join(rows))
        peaks = ["trial,side,cycle,name,variable,component,value,unit,sd", f"walk,L,2,max_stance,KneeAngles,X,{10 * value},deg,9"]
        (folder / "peaks.csv").write_text("\n".join([*peaks, f"walk,L,1,max_stance,KneeAngles,X,{value},deg,9"]))
    row, peak = result_changes(tmp_path / "before", tmp_path / "after")
    german = [each["what"] for each in result_changes(tmp_path / "before", tmp_path / "after", "de")]
    assert (peak["what"], german) == ("Knee flexion: Max stance", ["Ganggeschwindigkeit", "Knieflexion: Max Stand"])
    assert row == {"what": "Walking speed", "side": "L", "old": "2", "new": "1", "unit": "m/s", "beyond": True}


def test_compare_and_export_are_command_lines_too(client: TestClient, office: Office, results: Write) -> None:
    first, second = visit_of(office), visit_of(office, "ben/one")
    ids = {"ids": [first.id, second.id]}
    assert client.post("/api/compare", json=ids).status_code == 422  # nothing was run
    for visit in (first, second):
        ran(office, visit, results)
    assert client.post("/api/compare", json=ids).status_code == 202
    assert client.get("/api/compare").json() == {"url": None}
    url = f"/api/visits/{first.id}/export"
    for body in ({"kind": "pdf"}, {"kind": "pseudonym"}, {"kind": "xlsx", "code": "X"}):
        assert client.post(url, json=body).status_code == 422
    assert client.post(url, json={"kind": "pseudonym", "code": "X1"}).status_code == 202
    words = [task.words for task in office.queue.tasks.values()]
    own = [str(office.results(visit).folder) for visit in (first, second)]
    assert words[0] == ("compare", *own, "-o", str(office.folder / "compare.pdf"))
    assert words[1][-4:] == ("--code", "X1", "-o", str(office.record(first).folder / "export" / "pseudonym"))


def test_a_command_tells_how_far_it_is_and_can_be_ended(tmp_path: Path) -> None:
    told: list[str] = []
    queue = Queue(lambda task: told.append(task.state), lambda task, outcome: outcome, workers=1)
    done = queue.add("export", "v", ["run", "--no-such-option"], tmp_path)
    other = queue.add("look", "w", ["--version"], tmp_path)
    queue.cancel(other.number)
    until = time.monotonic() + 60
    while not done.ended and time.monotonic() < until:
        time.sleep(0.05)
    queue.close()
    assert (other.state, done.state, done.code) == ("cancelled", "failed", 2)
    assert done.aside
    step = Task(1, "run", "v", (), tmp_path)
    read_progress(step, '{"stage": "read", "trial": "walk01", "done": 1, "total": 2, "share": 0.25}')
    read_progress(step, "biomech-id: a sentence")
    read_progress(step, '{"stage": 1}')
    assert (step.stage, step.trial, step.share, step.aside) == ("read", "walk01", 0.25, ["a sentence", '{"stage": 1}'])


def test_decision_files_are_those_of_the_command_line() -> None:
    assert DECISION_FILES == ("subject.toml", "recipe.toml", "review.toml", "markers.toml")
