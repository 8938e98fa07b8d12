"""The laboratory's screen: charts, norms and chains as the command lines have them, in the page's language."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.desk.office import Office
from biomech_id.desk.refusals import Refusal
from biomech_id.desk.versions import sign
from tests.unit.desk.test_office import ran, visit_of

Write = Callable[..., None]
CHART = {"chart": "plate x", "of": "plate 2", "unit": "mm", "limit": 5.1, "up": [], "down": []}


def told_charts(office: Office) -> None:
    """As if `lab --json` had just ended: the second session cannot use the plate, the last says nothing of it."""
    values = {"value": [1.0, 30.0, None], "sd": [2.0, 3.0, None], "mean": [None, 1.0, 15.0]}
    changed = {"chart": "plate x", "of": "plate 2", "size": 27.0, "unit": "mm", "sessions": 3, "session": "anna/2026-02/results"}
    sessions = [{"name": name, "not_usable": {}} for name in ("a", "b", "c")]
    sessions[1]["not_usable"] = {"plate 2": ["walk01"]}  # type: ignore[assignment]
    alarms = [{"session": "anna/2026-02/results", "size": 27.0, "sessions": 3}]
    found = [{"rule": "lab-changed", "values": changed, "severity": "warning", "message": "?"}]
    office.survey_logs.mkdir(parents=True)
    told = {"sessions": sessions, "charts": [{**CHART, **values, "alarms": alarms}], "findings": found}
    (office.survey_logs / "lab.out").write_text(json.dumps(told))


def test_charts_are_shown_in_the_pages_language(client: TestClient, office: Office) -> None:
    told_charts(office)
    lab = client.get("/api/laboratory", headers={"accept-language": "de"}).json()["surveys"]["lab"]
    assert lab["told"]["charts"][0]["value"] == [1.0, 30.0, None]
    assert lab["told"]["findings"][0]["text"].startswith("Der Ort von Platte 2 in x änderte sich um etwa +27 mm")


def test_what_was_not_asked_or_is_not_whole_is_not_shown(client: TestClient, office: Office) -> None:
    assert client.get("/api/laboratory").json()["surveys"]["lab"]["made"] is None
    told_charts(office)
    output = office.survey_logs / "lab.out"
    output.write_text(output.read_text()[:-9])
    assert client.get("/api/laboratory").json()["surveys"]["lab"]["made"] is None
    output.write_text('[{"rule": "lab-changed"}]')
    assert client.get("/api/laboratory").json()["surveys"]["lab"]["made"] is None


def test_a_survey_is_one_command_line_once_at_a_time(client: TestClient, office: Office) -> None:
    first = client.post("/api/laboratory/lab", json={}, headers={"accept-language": "de"})
    again = client.post("/api/laboratory/lab", json={})
    assert (first.status_code, again.json()["number"]) == (202, first.json()["number"])
    words = ["lab", str(office.folder / "visits"), "--json", "-o", str(office.folder / "laboratory.pdf"), "--language", "de"]
    assert list(office.queue.tasks[first.json()["number"]].words) == words
    assert client.post("/api/laboratory/nothing", json={}).status_code == 422
    office.lock.release()
    assert client.post("/api/laboratory/verify", json={}).status_code == 202  # reads only


def test_a_version_that_does_not_verify_is_named_with_its_visit(client: TestClient, office: Office, results: Write) -> None:
    for path in ("anna/2026-01", "ben/one"):
        visit = visit_of(office, path)
        ran(office, visit, results)
        sign(office.record(visit).folder, name="Dr. A", role="physician", statement="seen", seen=["all"])
    office.survey_logs.mkdir(parents=True)

    def verified() -> tuple[int, int, list[str]]:
        told = CliRunner().invoke(app, ["verify", str(office.folder), "--json"])
        (office.survey_logs / "verify.out").write_text(told.output)
        verify = client.get("/api/laboratory", headers={"accept-language": "de"}).json()["surveys"]["verify"]
        flaws = [f"{chain['versions']}: {flaw['text']}" for chain in verify["told"] for flaw in chain["flaws"]]
        return told.exit_code, len(verify["told"]), flaws

    assert verified() == (0, 2, [])
    spoilt = office.record(visit_of(office, "ben/one")).folder / "versions" / "1" / "report.pdf"
    os.chmod(spoilt, 0o600)
    spoilt.write_bytes(b"another")
    code, visits, flaws = verified()
    assert (code, visits, len(flaws)) == (1, 2, 1)
    assert flaws[0].startswith("visits/ben/one/versions: report.pdf der Fassung 1")


def test_a_norm_is_one_command_line_and_never_overwritten(client: TestClient, office: Office, results: Write) -> None:
    first, second = visit_of(office), visit_of(office, "ben/one")
    ran(office, first, results)
    body = {"ids": [first.id, first.id], "name": "Adults 2026", "who": "a"}
    assert client.post("/api/norm", json={**body, "ids": []}).status_code == 422
    assert client.post("/api/norm", json={**body, "ids": [second.id]}).status_code == 422  # was not run
    shown = client.get("/api/norm", params={"id": first.id, "name": "Adults 2026"}).json()["command"]
    task = client.post("/api/norm", json=body)
    assert task.status_code == 202
    path = office.folder / "norms" / "Adults 2026.csv"
    words = office.queue.tasks[task.json()["number"]].words
    assert words[:-1] == ("norm", str(office.results(first).folder), "-o", str(path), "--name", "Adults 2026", "--date")
    noted = json.loads((office.folder / "journal.jsonl").read_text())
    assert (noted["what"], noted["who"], noted["command"]) == ("norm", "a", shown)
    path.write_text("variable,mean\nx,1\n")
    again = client.post("/api/norm", json=body)
    assert (again.status_code, again.json()["rule"]) == (409, "desk-norm-there")
    assert office.norms == (str(path),)
    (row,) = client.get("/api/laboratory").json()["norms"]
    assert row["file"] == "Adults 2026.csv"
    assert row["error"]
    office.choose(first, {"norm": str(path)}, "a", None)
    with pytest.raises(Refusal, match="is no file"):
        office.choose(first, {"norm": str(path.with_name("other.csv"))}, "a", None)


def test_a_style_that_the_desk_names_is_shown_and_draws_comparisons(client: TestClient, office: Office, results: Write) -> None:
    assert client.get("/api/laboratory").json()["style"] == {"file": None, "said": {}}
    (office.folder / "desk.toml").write_text('style = "style.toml"\n')
    assert client.get("/api/laboratory").json()["style"]["said"] == {}
    path = office.folder / "style.toml"
    path.write_text('language = "de"\n\n[laboratory]\nname = "Ganglabor"\n')
    own = {"file": str(path), "said": {"language": "de", "laboratory": {"name": "Ganglabor"}}}
    assert client.get("/api/laboratory").json()["style"] == own
    visits = [visit_of(office), visit_of(office, "ben/one")]
    for visit in visits:
        ran(office, visit, results)
    assert office.compare(visits).words[-2:] == ("--style", str(path))
    path.write_text("language =")
    assert client.get("/api/laboratory").json()["style"]["error"]


def test_visits_to_tick_are_those_that_were_run_and_searched_for(client: TestClient, office: Office, results: Write) -> None:
    for path in ("anna/2026-01", "ben/one"):
        ran(office, visit_of(office, path), results)
    about = client.get("/api/laboratory", params={"search": "ben"}).json()
    assert ([each["visit"] for each in about["visits"]], about["runs"]) == (["ben/one"], 2)


def test_a_desks_older_runs_and_signed_copies_count_no_session_twice(tmp_path: Path) -> None:
    from biomech_id.judgement.laboratory.memory import read_sessions

    visit = tmp_path / "visits" / "anna" / "one"
    for folder in ("results", "results.before", "versions/1", "export/pseudonym"):
        (visit / folder).mkdir(parents=True)
        (visit / folder / "summary.json").write_text("{}")
    (visit / "versions" / "signatures.toml").touch()
    assert read_sessions(tmp_path) == ((), ("visits/anna/one/results",))
    assert read_sessions(visit / "versions" / "1") == ((), ("1",))


@pytest.mark.parametrize("text", ["{not json", "{}", '{"inputs": 3}', "null"])
def test_damaged_results_of_one_visit_leave_the_rest_of_the_screen(
    text: str, client: TestClient, office: Office, results: Write
) -> None:
    for path in ("anna/2026-01", "ben/one"):
        ran(office, visit_of(office, path), results)
    (office.folder / "norms").mkdir(exist_ok=True)
    (office.folder / "norms" / "a.csv").write_text("variable,mean\nx,1\n")
    (office.results(visit_of(office, "ben/one")).folder / "manifest.json").write_text(text)
    told = client.get("/api/laboratory")
    assert told.status_code == 200
    assert told.json()["runs"] == 2


WRITTEN = [("norms =", []), ("norms = 3", []), ('norms = "a.csv"', ["a.csv"]), ('norms = ["b.csv"]', ["b.csv"])]


@pytest.mark.parametrize(("text", "norms"), WRITTEN)
def test_a_desk_s_own_file_that_is_wrong_closes_no_visit(text: str, norms: list[str], client: TestClient, office: Office) -> None:
    (office.folder / "desk.toml").write_text(text)
    assert [Path(path).name for path in office.norms] == norms
    assert client.get("/api/laboratory").status_code == 200
    about = client.get(f"/api/visits/{visit_of(office).id}")
    assert about.status_code == 200, about.text
