"""What is given away: the source archive and the wheel made from it, installed in a fresh environment, and used from elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOWNSTREAM = ROOT / "tests" / "downstream"
#: Largest wheel (bytes), and most packages that an installation brings, itself among them.
MOST_WHEEL_BYTES, MOST_PACKAGES = 3_000_000, 27
#: A room whose tests need pytest and what the wheel brings, and the least that they are.
SMALL_ROOM, LEAST_TESTS = "tests/unit/algebra", 50
#: Runs a script and writes down what it warned of: category, then message.
RECORDER = """
import json, runpy, sys, warnings
log = sys.argv.pop(1)
del sys.argv[0]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    runpy.run_path(sys.argv[0], run_name="__main__")
with open(log, "w", encoding="utf-8") as file:
    json.dump([(each.category.__name__, str(each.message)) for each in caught], file)
"""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Built:
    """What ``python -m build`` makes: the source archive, and the wheel from the unpacked archive."""

    archive: Path
    wheel: Path


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel.

    Attributes
    ----------
    scripts : Path
        Folder of its programs.
    packages : Path
        Folder of its packages.
    names : frozenset[str]
        Packages that came with the wheel, itself among them.
    """

    scripts: Path
    packages: Path
    names: frozenset[str]

    def run(self, *words: str | Path, folder: Path, path: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in a folder, with nothing of this checkout unless ``path`` names it."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        if path:
            clean["PYTHONPATH"] = os.pathsep.join(map(str, path))
        program = [self.scripts / words[0], *words[1:]]
        return subprocess.run(program, cwd=folder, env=clean, capture_output=True, text=True, check=False)

    def pip(self, *words: str | Path) -> str:
        done = self.run("python", "-m", "pip", *words, folder=self.packages)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    out = tmp_path_factory.mktemp("built")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True, capture_output=True)
    (archive,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return Built(archive, wheel)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    (packages,) = [home / "Lib" / "site-packages"] if os.name == "nt" else home.glob("lib/python*/site-packages")
    fresh = Installed(scripts, packages, frozenset())
    before = _listed(fresh)
    fresh.pip("install", "-q", "--no-compile", built.wheel)
    return Installed(scripts, packages, _listed(fresh) - before)


def _listed(environment: Installed) -> frozenset[str]:
    return frozenset(row["name"] for row in json.loads(environment.pip("list", "--format", "json")))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A folder of one subject's folder: the virtual subject's static trial and a walk."""
    folder = tmp_path / "people"
    (folder / "anna").mkdir(parents=True)
    for name in ("static.c3d", "walk01.c3d"):
        shutil.copy(ROOT / "data" / name, folder / "anna" / name)
    return folder


def test_wheel_holds_every_resource_and_only_the_library(built: Built) -> None:
    names = set(zipfile.ZipFile(built.wheel).namelist())
    for file in (ROOT / "biomech_id").rglob("*"):
        if file.suffix in {".py", ".csv", ".toml", ".mplstyle", ".typed", ".js", ".css", ".LICENSE"} or file.name == "py.typed":
            assert str(file.relative_to(ROOT)).replace(os.sep, "/") in names, file
    tops = {name.split("/")[0] for name in names}
    assert tops - {"biomech_id"} == {next(t for t in tops if t.endswith(".dist-info"))}


def test_the_wheel_is_small_and_brings_few_packages(built: Built, installed: Installed) -> None:
    assert built.wheel.stat().st_size <= MOST_WHEEL_BYTES
    assert "biomech-id" in installed.names
    assert len(installed.names) <= MOST_PACKAGES, sorted(installed.names)


def test_the_source_archive_holds_every_file_of_the_project(built: Built) -> None:
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("this copy of the project has no history that says which files are its own")
    with tarfile.open(built.archive) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert set(listing.stdout.splitlines()) - held == set()


def test_tests_of_a_room_run_from_the_source_archive_with_the_wheel(built: Built, installed: Installed, tmp_path: Path) -> None:
    """`make sdist` runs the whole fast suite so."""
    with tarfile.open(built.archive) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    installed.pip("install", "-q", "--no-compile", "pytest")
    # The installed library comes before the one that lies beside the tests.
    path = (installed.packages, unpacked)
    where = installed.run("python", "-P", "-c", "import biomech_id; print(biomech_id.__file__)", folder=unpacked, path=path)
    assert Path(where.stdout.strip()).is_relative_to(installed.packages), where.stdout + where.stderr
    words = ("python", "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", SMALL_ROOM)
    done = installed.run(*words, folder=unpacked, path=path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.rpartition(" passed")[0].split()[-1]) >= LEAST_TESTS


def test_installed_command_runs_from_elsewhere(installed: Installed, tmp_path: Path) -> None:
    assert installed.run("biomech-id", "--version", folder=tmp_path).returncode == 0
    demo = installed.run("biomech-id", "demo", "-o", "demo", folder=tmp_path)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert (tmp_path / "demo" / "results" / "report.pdf").stat().st_size > 50_000


def test_a_package_that_plugs_in_and_a_script_that_uses_it(installed: Installed, people: Path, tmp_path: Path) -> None:
    installed.pip("install", "-q", "--no-deps", DOWNSTREAM / "plug_in")
    script = installed.run("python", "-W", "error", DOWNSTREAM / "user_script.py", people / "anna", folder=tmp_path)
    assert script.returncode == 0, script.stderr
    assert json.loads(script.stdout)["ankle_mm"] > 100.0
    # The command knows it by its entry point alone.
    (tmp_path / "recipe.toml").write_text(
        '[filter]\nmarker_filter = "always"\nlowpass = "three in a row"\n[output]\nreport = false\n', encoding="utf-8"
    )
    words = ("run", people / "anna", "-o", "out", "--recipe", "recipe.toml", "--warnings-ok")
    run = installed.run("biomech-id", *words, folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "LAnkleHeight" in (tmp_path / "out" / "trials" / "walk01.csv").read_text(encoding="utf-8").partition("\n")[0]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["dependencies"]["gait-lab-plugin"] == "3.1"


def test_a_script_of_the_version_before_runs_and_warns_only_of_what_goes(
    installed: Installed, people: Path, tmp_path: Path
) -> None:
    script, log = DOWNSTREAM / "first_version_script.py", tmp_path / "warned.json"
    recorder = tmp_path / "recorder.py"
    recorder.write_text(RECORDER, encoding="utf-8")
    done = installed.run("python", recorder, log, script, people / "anna", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    warned = json.loads(log.read_text(encoding="utf-8"))
    assert {category for category, _ in warned} == {"BiomechDeprecationWarning"}, warned
    assert all("since version 0.2 and goes in version 0.4: write " in message for _, message in warned), warned
    numbers = json.loads(done.stdout)
    assert numbers["accepted"] == ["R", "L"]
    assert numbers["columns"]
    # The same walk, step by step as it is written today.
    today = (
        "import sys, numpy, biomech_id as bid; static, walk = map(bid.read_c3d, sys.argv[1:]); "
        "loads = bid.solve(bid.assign_plates(bid.conventional_model(static).track(walk))); "
        "print(numpy.nanmax(numpy.abs(loads['R', 'knee'].expressed_in('shank').moment_Nm)))"
    )
    files = [people / "anna" / name for name in ("static.c3d", "walk01.c3d")]
    now = installed.run("python", "-W", "error", "-c", today, *files, folder=tmp_path)
    assert numbers["knee_Nm"] == float(now.stdout), now.stderr
