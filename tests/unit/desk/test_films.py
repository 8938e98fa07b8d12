"""Films beside recordings: read where they lie, named and never reached by a path, and tied to a trial in the desk's own file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from biomech_id.desk.archive import FILMS, ArchiveVisit
from biomech_id.desk.office import Office
from biomech_id.desk.web.guard import HEADERS

TIE = {"trial": "walk01", "offset_s": -0.52, "tied_s": 1.25}
HOSTILE = ("walk01 <img src=x onerror=alert(1)>.mp4", "walk01 #1? 100 %.webm", 'walk01";x="\u202e.mov')


@pytest.fixture
def visit(archive: Path, office: Office) -> ArchiveVisit:
    for name in ("walk01.mp4", "walk01.html.avi", *HOSTILE):
        (archive / "ben" / "one" / name).write_bytes(b"<script>alert(1)</script>")
    office.archive.refresh(thorough=True)
    return next(each for each in office.archive.visits.values() if each.path == "ben/one")


def url_of(client: TestClient, visit: ArchiveVisit, name: str) -> Any:
    return client.get(f"/api/visits/{visit.id}/media/{quote(name, safe='')}")


@pytest.mark.parametrize("name", ["walk01.mp4", "walk01.html.avi", *HOSTILE])
def test_a_film_of_any_name_is_served_as_a_film_whatever_it_holds(
    client: TestClient, visit: ArchiveVisit, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starlette.responses.guess_type", lambda *_: ("text/html", None))  # as a system's own list may have it
    answered = client.get(url_of(client, visit, name).json()["url"], headers={"range": "bytes=0-3"})
    assert (answered.status_code, answered.content) == (206, b"<scr")
    assert answered.headers["content-type"] == FILMS[Path(name).suffix]
    assert answered.headers["x-content-type-options"] == "nosniff"
    assert answered.headers["cross-origin-resource-policy"] == "same-origin"


def test_only_the_desk_s_own_films_may_play() -> None:
    assert "media-src 'self';" in HEADERS["content-security-policy"]


def test_another_origin_gets_no_film_though_it_has_the_address(client: TestClient, visit: ArchiveVisit) -> None:
    url = url_of(client, visit, "walk01.mp4").json()["url"]
    del client.headers["authorization"]
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
        assert client.get(url, headers=headers).status_code == 403
    assert client.get(url, headers={"host": "evil.example"}).status_code == 421
    assert client.get(url, headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_link_is_no_film(archive: Path, office: Office, client: TestClient, visit: ArchiveVisit, tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret.txt", archive / "ben" / "one"
    secret.write_text("secret")
    (folder / "walk02.mp4").symlink_to(secret)
    office.archive.refresh(thorough=True)
    assert "walk02.mp4" not in office.archive.visits[visit.id].films
    assert url_of(client, visit, "walk02.mp4").status_code == 404
    # One that becomes a link after the folder was listed.
    url = url_of(client, visit, "walk01.mp4").json()["url"]
    (folder / "walk01.mp4").unlink()
    (folder / "walk01.mp4").symlink_to(secret)
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("name", ["walk02.mp4", "../one/walk01.mp4", "/etc/passwd", "walk01.c3d", ".hidden.mp4"])
def test_only_a_film_of_the_visit_is_served_or_tied(archive: Path, client: TestClient, visit: ArchiveVisit, name: str) -> None:
    (archive / "ben" / "one" / ".hidden.mp4").touch()
    assert url_of(client, visit, name).status_code == 404
    assert client.patch(f"/api/visits/{visit.id}/choices", json={"change": {"film": {name: TIE}}}).status_code == 422


@pytest.mark.parametrize(
    "tie",
    [{"trial": "walk01"}, {**TIE, "trial": "../walk01"}, {**TIE, "rate": 0.0}, {**TIE, "offset_s": "1"}, {**TIE, "path": "x"}, 1.0,
     {**TIE, "offset_s": float("inf")}, {**TIE, "tied_s": float("nan")}],
)  # fmt: skip
def test_a_tie_is_a_trial_and_finite_numbers(client: TestClient, office: Office, visit: ArchiveVisit, tie: object) -> None:
    body = json.dumps({"change": {"film": {"walk01.mp4": tie}}})
    assert client.patch(f"/api/visits/{visit.id}/choices", content=body).status_code == 422
    assert office.record(visit).choices == {}


@pytest.mark.parametrize(
    "change",
    [{"film": ["walk01.mp4"]}, {"film": "walk01.mp4"}, {"film": {"walk01.mp4": {**TIE, "trial": ["walk01"]}}},
     {"film": {"walk01.mp4": {**TIE, "trial": "walk01.mp4"}}}, {"static": "walk01.mp4", "film": {"walk01.mp4": TIE}},
     {"static": ["walk01"]}, {"exclude": "walk01.c3d"}, {"leave_out": {"walk01.c3d": 1}}, {"take_in": [["walk01.c3d"]]},
     {"conditions": ["walk01"]}, {"conditions": 1}, {"subject": "x"}, {"subject": ["x"]}, {"channels": [1]}, {"model": ["auto"]},
     {"marker_set": {}, "norm": [1]}, {"repair": "x"}],
)  # fmt: skip
def test_a_change_of_another_shape_is_refused(client: TestClient, office: Office, visit: ArchiveVisit, change: object) -> None:
    assert client.patch(f"/api/visits/{visit.id}/choices", json={"change": change}).status_code == 422
    assert office.record(visit).choices == {}


def test_a_tie_is_kept_noted_and_changes_no_result(archive: Path, office: Office, client: TestClient, visit: ArchiveVisit) -> None:
    before = {path: path.read_bytes() for path in archive.rglob("*") if path.is_file()}
    route, seen = f"/api/visits/{visit.id}", client.get(f"/api/visits/{visit.id}").json()
    name = HOSTILE[0]
    answered = client.patch(
        f"{route}/choices", json={"change": {"film": {name: TIE}}, "who": "AB"}, headers={"if-match": seen["revision"]}
    )
    after = answered.json()
    folder = office.record(visit).folder
    assert tomllib.loads((folder / "choices.toml").read_text()) == {"film": {name: TIE}}
    assert (after["command"], after["look"]) == (seen["command"], seen["look"])
    assert after["journal"][-1]["change"] == {"film": {name: TIE}}
    assert {path: path.read_bytes() for path in archive.rglob("*") if path.is_file()} == before
    late = client.patch(
        f"{route}/choices", json={"change": {"film": {name: {**TIE, "rate": 0.125}}}}, headers={"if-match": seen["revision"]}
    )
    assert late.status_code == 412
    client.patch(f"{route}/choices", json={"change": {"film": {name: None}}})
    assert tomllib.loads((folder / "choices.toml").read_text()) == {}
