"""Signed versions: every change of a file, of an entry or of the chain is found and named."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.desk.office import Office
from biomech_id.desk.signing import to_sign
from biomech_id.desk.versions import CHAIN_FILE, LINES, flaws_of, signatures_of
from tests.unit.desk.test_office import REVIEW, ran, visit_of

WHO = {"name": "Dr. A. Example", "role": "physician", "statement": "seen", "seen": ["all"]}
Write = Callable[..., None]


@pytest.fixture
def signed(client: TestClient, office: Office, results: Write) -> Path:
    """Two versions of one visit."""
    visit = visit_of(office)
    for text in (REVIEW, REVIEW.replace("1.5", "1.75")):
        office.decide(visit, text, "a", None)
        ran(office, visit, results, report=text.encode())
        assert client.post(f"/api/visits/{visit.id}/signature", json=WHO).status_code == 200
    return office.record(visit).folder / "versions"


def test_a_version_holds_what_was_signed(signed: Path, office: Office, client: TestClient) -> None:
    entries = signatures_of(signed)
    assert [entry.values["version"] for entry in entries] == [1, 2]
    assert entries[1].values["previous_sha256"] == entries[0].sha256
    assert list(flaws_of(signed)) == []
    assert office.stage(visit_of(office)) == "signed"
    assert (signed / "1" / "review.toml").read_text() == REVIEW
    assert client.get(f"/api/visits/{visit_of(office).id}/signature").json()["versions"][1]["code"] == entries[1].code


def test_a_signature_needs_a_name_a_role_and_every_tick(client: TestClient, office: Office, results: Write) -> None:
    visit = visit_of(office)
    url = f"/api/visits/{visit.id}/signature"
    assert client.post(url, json=WHO).status_code == 409  # nothing was run
    ran(office, visit, results, verdict="reject")
    assert client.get(url).json()["must_see"] == ["layer:kinematics", "layer:kinetics", "layer:emg"]
    for change in ({"name": " "}, {"role": ""}, {"role": "nobody"}, {"seen": []}, {"seen": ["all", "layer:emg"]}):
        assert client.post(url, json={**WHO, **change}).status_code == 422, change
    seen = ["all", *client.get(url).json()["must_see"]]
    assert client.post(url, json={**WHO, "seen": seen}).json()["version"] == 1


def test_a_signed_visit_is_exported_as_its_signed_report(signed: Path, office: Office, client: TestClient, results: Write) -> None:
    visit = visit_of(office)
    url, body, folder = f"/api/visits/{visit.id}/export", {"kind": "signed", "who": "a"}, office.record(visit).folder
    assert client.post(url, json=body).status_code == 202
    words = list(office.queue.tasks.values())[-1].words
    target = str(folder / "export" / "signed.pdf")
    assert words == ("report", str(folder / "results"), "-o", target, "--signature", str(signed / CHAIN_FILE))
    ran(office, visit, results, report=b"another")
    refused = client.post(url, json=body)
    assert refused.status_code == 409
    assert "not signed, or were changed since" in refused.json()["error"]


def test_what_is_not_as_the_run_left_it_is_not_signed(client: TestClient, office: Office, results: Write) -> None:
    visit, own = visit_of(office), office.results(visit_of(office))

    def refused() -> str:
        answered = client.post(f"/api/visits/{visit.id}/signature", json=WHO)
        assert answered.status_code == 409
        return str(answered.json()["error"])

    ran(office, visit, results)
    (own.folder / "report.pdf").write_bytes(b"another")
    assert "not what the run wrote" in refused()
    ran(office, visit, results)
    office.decide(visit, REVIEW, "a", None)
    assert "newer than the results" in refused()
    ran(office, visit, results)
    (visit.folder / "walk01.c3d").write_bytes(b"another")
    office.archive.refresh(thorough=True)
    visit = visit_of(office)
    assert "A recording was changed" in refused()
    office.run(visit, "a")
    assert "is being run" in refused()
    assert to_sign(office, visit, "de")["refusals"][0].endswith("wird gerade ausgewertet.")


def test_every_line_of_an_entry_counts(signed: Path) -> None:
    chain = signed / CHAIN_FILE
    text = chain.read_text()
    for line in LINES:
        old = re.search(rf"^{line} = (.*)$", text, re.MULTILINE)
        assert old is not None
        new = "7" if line == "version" else '["none"]' if line == "seen" else '"0"'
        chain.write_text(text.replace(old[0], f"{line} = {new}", 1))
        assert "desk-entry-changed" in [flaw.rule for flaw in flaws_of(signed)], line
        chain.write_text(text.replace(old[0] + "\n", "", 1))
        assert "desk-entry-lacks" in [flaw.rule for flaw in flaws_of(signed)], line


@pytest.mark.parametrize("name", ["report.pdf", "manifest.json", "summary.json", "review.toml"])
def test_every_file_of_a_version_counts(signed: Path, name: str) -> None:
    path = signed / "1" / name
    os.chmod(path, 0o600)
    path.write_bytes(path.read_bytes() + b" ")
    (flaw,) = flaws_of(signed)
    assert flaw.rule == "desk-version-changed"
    assert name in str(flaw)
    assert "version 1" in str(flaw)


def test_entries_taken_out_and_folders_put_in_are_found(signed: Path) -> None:
    chain = signed / CHAIN_FILE
    first, second = chain.read_text().split("\n\n")
    chain.write_text(second)
    assert "desk-chain-broken" in [flaw.rule for flaw in flaws_of(signed)]
    chain.write_text(first + "\n")
    assert [flaw.rule for flaw in flaws_of(signed)] == ["desk-version-unsigned"]
    chain.write_text("no toml")
    assert [flaw.rule for flaw in flaws_of(signed)] == ["desk-chain-unreadable"]


def test_what_a_crash_left_is_no_version(signed: Path, office: Office, client: TestClient, results: Write) -> None:
    visit = visit_of(office)
    (signed / "3").mkdir()
    (signed / "3" / "report.pdf").write_bytes(b"half")
    (signed / ".3").mkdir()
    office.decide(visit, REVIEW, "a", None)
    ran(office, visit, results)
    assert client.post(f"/api/visits/{visit.id}/signature", json=WHO).json()["version"] == 3
    assert list(flaws_of(signed)) == []


def test_verify_says_so_without_the_desk(signed: Path, office: Office) -> None:
    run = CliRunner().invoke
    entry = signatures_of(signed)[1]
    for folder in (office.folder, signed.parent, signed, signed / "1"):
        told = run(app, ["verify", str(folder)])
        assert (told.exit_code, entry.code in told.output) == (0, True), told.output
    os.chmod(signed / "2" / "report.pdf", 0o600)
    (signed / "2" / "report.pdf").write_bytes(b"")
    told = run(app, ["verify", str(office.folder)])
    assert told.exit_code == 1
    assert "report.pdf of version 2" in told.output
    assert run(app, ["verify", str(signed / "nothing")]).exit_code == 1


def test_an_entry_can_be_checked_with_a_text_editor_and_sha256sum(signed: Path) -> None:
    entry = (signed / CHAIN_FILE).read_text().split("\n\n")[0]
    lines = [line for line in entry.splitlines() if not line.startswith(("[[", "sha256 "))]
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    assert f'sha256 = "{digest}"' in entry
