"""The wheel holds all that an installed program needs: built, installed in a fresh environment, run from elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)], check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_wheel_holds_every_resource_and_only_the_library(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for file in (ROOT / "biomech_id").rglob("*"):
        if file.suffix in {".py", ".csv", ".toml", ".mplstyle", ".typed", ".js", ".css", ".LICENSE"} or file.name == "py.typed":
            assert str(file.relative_to(ROOT)).replace(os.sep, "/") in names, file
    tops = {name.split("/")[0] for name in names}
    assert tops - {"biomech_id"} == {next(t for t in tops if t.endswith(".dist-info"))}


def test_installed_command_runs_from_elsewhere(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([str(scripts / "python"), "-m", "pip", "install", "-q", str(wheel)], check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    version = subprocess.run([scripts / "biomech-id", "--version"], cwd=elsewhere, env=clean, capture_output=True, text=True)
    assert version.returncode == 0
    demo = subprocess.run([scripts / "biomech-id", "demo", "-o", "demo"], cwd=elsewhere, env=clean, capture_output=True, text=True)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert (elsewhere / "demo" / "results" / "report.pdf").stat().st_size > 50_000
