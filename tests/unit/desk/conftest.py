from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from biomech_id.desk.archive import Archive
from biomech_id.desk.office import Office
from biomech_id.desk.web.keys import Keys
from biomech_id.desk.web.serve import guarded_application

PORT = 4711
DATA = Path(__file__).resolve().parents[3] / "data"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two patients, three visits, of files that nobody reads in these tests."""
    root = tmp_path / "archive"
    for visit in ("anna/2026-01", "anna/2026-02", "ben/one"):
        (root / visit).mkdir(parents=True)
        for name in ("static.c3d", "walk01.c3d", "walk[1].c3d"):
            (root / visit / name).write_bytes(visit.encode())
    return root


@pytest.fixture
def open_office(archive: Path) -> Iterator[Callable[[], Office]]:
    opened: list[Office] = []

    def make() -> Office:
        opened.append(Office(Archive(archive), archive.parent / "desk", workers=0, cache=archive.parent / "cache"))
        return opened[-1]

    yield make
    for office in opened:
        office.close()


@pytest.fixture
def office(open_office: Callable[[], Office]) -> Office:
    return open_office()


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def stranger(office: Office, keys: Keys) -> Iterator[TestClient]:
    """A client that has no key."""
    app = guarded_application(office, keys, PORT)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers={"content-type": "application/json"}) as client:
        yield client


@pytest.fixture
def client(stranger: TestClient, keys: Keys) -> TestClient:
    stranger.headers["authorization"] = f"Bearer {keys.key}"
    return stranger


@pytest.fixture
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Writes a folder that looks like results: a manifest and the outputs that it names."""
    from biomech_id.files.inputs import sha256_of
    from biomech_id.files.json_text import json_text

    def write(folder: Path, inputs: dict[str, str], *, report: bytes = b"%PDF-1.4", verdict: str = "accept") -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        sides = {side: {"verdict": verdict, "cycles": 3, "reasons": []} for side in ("L", "R")}
        layers = dict.fromkeys(("kinematics", "kinetics", "emg"), sides)
        trials = [{"name": "walk01", "verdict": "accept", "findings": []}]
        summary = {"schema": 3, "verdicts": layers, "trials": trials, "findings": [], "conditions": []}
        (folder / "summary.json").write_text(json_text(summary))
        (folder / "report.pdf").write_bytes(report)
        outputs = {name: sha256_of(folder / name) for name in ("report.pdf", "summary.json")}
        (folder / "manifest.json").write_text(json_text({"schema": 3, "inputs": inputs, "outputs": outputs}))

    return write
