"""Who may ask the desk, and for what: each rule is one that a page of another origin, a name or a path would break."""

from __future__ import annotations

import os
import socket
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from biomech_id.desk.archive import Archive
from biomech_id.desk.office import Office
from biomech_id.desk.record import document_toml
from biomech_id.desk.web.events import Events
from biomech_id.desk.web.guard import HEADERS, LARGEST_BODY
from biomech_id.desk.web.keys import LAUNCH_S, MEDIA_S, Keys
from biomech_id.desk.web.routes import Routes, static_files
from biomech_id.desk.web.serve import listening_socket
from biomech_id.errors import OptionError
from tests.unit.desk.conftest import PORT

OWN = f"127.0.0.1:{PORT}"
UPWARDS = ("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "..%252f", "....//")


def test_every_route_but_the_exchange_asks_for_the_key(office: Office, stranger: TestClient) -> None:
    routes = [route for route in Routes(office, Keys(), Events()).application.routes if route.path.startswith("/api/")]
    assert len(routes) > 15
    for route in routes:
        path = route.path.replace("{number:int}", "1").format(id="0" * 16, name="a")
        for method in route.methods - {"HEAD"}:
            answered = stranger.request(method, path, content=b"{}")
            assert answered.status_code == 401, (method, path)
            wrong = stranger.request(method, path, content=b"{}", headers={"authorization": "Bearer wrong"})
            assert wrong.status_code == 401 or route.path == "/api/session", (method, path)


def test_scripts_need_no_key_though_their_names_begin_alike(stranger: TestClient) -> None:
    assert stranger.get("/api.js").status_code == 200


def test_a_ticket_opens_one_browser_within_a_minute(stranger: TestClient, keys: Keys) -> None:
    now_s = 0.0
    keys.clock = lambda: now_s
    ticket, late = keys.launch_ticket(), keys.launch_ticket()
    assert stranger.post("/api/session", json={"ticket": ticket}).json() == {"key": keys.key}
    assert stranger.post("/api/session", json={"ticket": ticket}).status_code == 401
    now_s = LAUNCH_S + 1.0
    assert stranger.post("/api/session", json={"ticket": late}).status_code == 401
    assert stranger.post("/api/session", json={"ticket": keys.key}).status_code == 401


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}", f"127.0.0.2:{PORT}"],
)
def test_a_name_that_leads_here_is_no_way_in(client: TestClient, host: str) -> None:
    assert client.get("/api/today", headers={"host": host}).status_code == 421
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", [OWN, f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_the_own_names_are(client: TestClient, host: str) -> None:
    assert client.get("/api/today", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:80"}, {"sec-fetch-site": "cross-site"},
     {"sec-fetch-site": "same-site"}],
)  # fmt: skip
def test_other_origins_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/api/today", headers=headers).status_code == 403
    assert client.post("/api/look", json={"ids": []}, headers=headers).status_code == 403


def test_the_own_origin_is_not(client: TestClient) -> None:
    assert client.post("/api/look", json={"ids": []}, headers={"origin": f"http://{OWN}"}).status_code == 200


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=a"])
def test_what_a_form_can_send_writes_nothing(client: TestClient, kind: str) -> None:
    assert client.post("/api/look", content=b"ids=1", headers={"content-type": kind}).status_code == 415


def test_answers_bear_the_policy_and_no_cookie_and_nothing_for_other_origins(client: TestClient) -> None:
    answers = [client.get(path) for path in ("/", "/main.js", "/api/today", "/api/nothing", "/file/a/b/c", "/none")]
    answers += [client.get("/api/today", headers={"host": "evil.example"}), client.options("/api/today")]
    for answered in answers:
        assert {name: answered.headers.get(name) for name in HEADERS} == dict(HEADERS)
        assert not {"set-cookie", "server"} & set(answered.headers)
        assert not [name for name in answered.headers if name.startswith("access-control")]
    assert "'unsafe" not in HEADERS["content-security-policy"]
    assert HEADERS["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self';")


def test_pages_have_no_script_of_their_own() -> None:
    for name in ("index.html", "review.html"):
        page = static_files()[name][0]
        assert page.count("<script") == page.count('<script type="module" src="/')
        assert " on" not in page.lower().split("<body>")[0].replace(" one", "")


@pytest.mark.parametrize("up", UPWARDS)
def test_no_path_leads_out(client: TestClient, office: Office, keys: Keys, up: str) -> None:
    visit = next(iter(office.archive.visits))
    for path in (
        f"/{up}setup.cfg",
        f"/{up * 6}etc/passwd",
        f"/api/visits/{visit}/media/{up}walk01.c3d",
        f"/api/visits/{up}{visit}",
    ):
        assert client.get(path).status_code in (404, 405), path
    ticket = keys.media_ticket(f"{visit}/report.pdf")
    for path in (
        f"/file/{ticket}/{visit}/{up}report.pdf",
        f"/file/{ticket}/{up}/report.pdf",
        f"/file/{ticket}/{visit}/{up * 6}etc/passwd",
    ):
        assert client.get(path).status_code in (401, 404), path


def test_recordings_are_no_media(client: TestClient, office: Office) -> None:
    assert client.get(f"/api/visits/{next(iter(office.archive.visits))}/media/walk01.c3d").status_code == 404


def test_a_link_to_another_folder_is_not_entered(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "walk.c3d").touch()
    (archive / "linked").symlink_to(tmp_path / "private")
    found = Archive(archive)
    found.refresh()
    assert {visit.path for visit in found.visits.values()} == {"anna/2026-01", "anna/2026-02", "ben/one"}


def test_a_folder_that_became_a_link_is_not_there(archive: Path, office: Office, client: TestClient, tmp_path: Path) -> None:
    visit = next(each for each in office.archive.visits.values() if each.path == "ben/one")
    assert client.get(f"/api/visits/{visit.id}").status_code == 200
    (archive / "ben" / "one").rename(tmp_path / "private")
    (archive / "ben" / "one").symlink_to(tmp_path / "private")
    assert client.get(f"/api/visits/{visit.id}").status_code == 404


def test_a_name_of_a_file_is_one_of_the_visit(client: TestClient, office: Office) -> None:
    visit = next(iter(office.archive.visits))
    for change in ({"static": "/etc/passwd"}, {"exclude": ["../x.c3d"]}, {"functional": ["--help"]}, {"conditions": {"x": "shod"}}):
        assert client.patch(f"/api/visits/{visit}/choices", json={"change": change}).status_code == 422, change
    assert client.patch(f"/api/visits/{visit}/choices", json={"change": {"norm": "/etc/passwd"}}).status_code == 422


def test_a_ticket_of_a_film_opens_that_film_for_an_hour(archive: Path, office: Office, client: TestClient, keys: Keys) -> None:
    now_s = 0.0
    keys.clock = lambda: now_s
    film = bytes(range(256)) * 10
    for name in ("walk01.mp4", "walk02.mp4"):
        (archive / "ben" / "one" / name).write_bytes(film)
    office.archive.refresh(thorough=True)
    visit = next(each for each in office.archive.visits.values() if each.path == "ben/one")
    url = client.get(f"/api/visits/{visit.id}/media/walk01.mp4").json()["url"]
    del client.headers["authorization"]
    part = client.get(url, headers={"range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, film[10:20])
    assert client.get(url.replace("walk01", "walk02")).status_code == 401
    now_s = MEDIA_S + 1.0
    assert client.get(url).status_code == 401


def test_large_bodies_are_refused(client: TestClient) -> None:
    assert client.post("/api/look", content=b" " * (LARGEST_BODY + 1)).status_code == 413
    assert client.post("/api/look", content=iter([b" " * LARGEST_BODY, b"{}"])).status_code >= 400


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_bodies_that_are_no_object_are_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/api/look", content=body).status_code == 422


def test_the_desk_never_writes_where_recordings_lie(archive: Path) -> None:
    for folder in (archive, archive / "desk", archive / "anna" / "x", archive.parent):
        with pytest.raises(OptionError, match="recordings are only read"):
            Office(Archive(archive), folder, workers=0, cache=archive.parent / "cache")


def test_it_listens_on_this_machine_alone() -> None:
    with listening_socket() as listening:
        host, port = listening.getsockname()
        assert host == "127.0.0.1"
        for address in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}:
            with socket.socket() as other:
                other.settimeout(1.0)
                assert other.connect_ex((address, port)) != 0


def test_nothing_on_the_disk_or_of_a_command_knows_the_key(keys: Keys, client: TestClient, office: Office) -> None:
    visit = next(iter(office.archive.visits))
    client.patch(f"/api/visits/{visit}/choices", json={"change": {"static": "static"}, "who": "x"})
    assert client.post(f"/api/visits/{visit}/run", json={"who": "x"}).status_code == 202
    files = [file for file in office.folder.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"choices.toml", "journal.jsonl", "job.toml"}
    assert not [file for file in files if keys.key in file.read_text()]
    assert keys.key not in repr(keys) + repr(office.queue.tasks) + str(os.environ)


HOSTILE = "\"]\n[x]\r\x00\x1b\x7f\u202e</script><img src=x onerror=alert(1)>\\u0022'"


def test_names_of_all_kinds_stay_values(office: Office, archive: Path) -> None:
    values = {"a": {HOSTILE.replace("\x00", ""): HOSTILE.replace("\x00", "")}, "b": [HOSTILE.replace("\x00", "")]}
    assert tomllib.loads(document_toml(values)) == values


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ".x", "x", "a\\b", "a\nb", "x" * 61, "a b\u202e.", "--help"])
def test_a_norm_is_a_file_of_the_desk(client: TestClient, office: Office, results: Callable[..., None], name: str) -> None:
    visit = next(iter(office.archive.visits.values()))
    results(office.results(visit).folder, {})
    body = {"ids": [visit.id], "name": name, "who": "a"}
    assert client.post("/api/norm", json=body).status_code == 422
    assert client.get("/api/norm", params={"id": visit.id, "name": name}).status_code == 422
    assert client.post("/api/norm", json={**body, "ids": ["/etc/passwd"]}).status_code == 404
    assert not (office.folder / "norms").exists()


def test_a_document_of_the_laboratory_opens_by_its_own_ticket_alone(client: TestClient, office: Office, keys: Keys) -> None:
    assert client.get("/api/laboratory").json()["url"] is None
    office.charts.write_bytes(b"%PDF charts")
    office.comparison.write_bytes(b"%PDF comparison")
    url, other = client.get("/api/laboratory").json()["url"], client.get("/api/compare").json()["url"]
    del client.headers["authorization"]
    assert (client.get(url).content, client.get(other).content) == (b"%PDF charts", b"%PDF comparison")
    ticket = url.split("/")[2]
    assert client.get(other.replace(other.split("/")[2], ticket)).status_code in (401, 404)
    assert client.get(url.replace(ticket, keys.key)).status_code in (401, 404)
