"""Where test data comes from, and which suite a test belongs to.

Real recordings and reference numbers lie beside the project, in ``../shared`` or where ``BIOMECH_ID_SHARED`` points. Whoever does
not have them gets an honest skip; continuous integration (``CI=true``) gets a failure instead, so that nothing is skipped there.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biomech_id.pipeline.threads import VARIABLES

# As the command line does, and before any test loads numpy: tests compare results of this process with those of others.
for variable in VARIABLES:
    os.environ.setdefault(variable, "1")
# Hundreds of programs that tests start would each compile the whole library again (a third of the time of a short run).
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

ROOT = Path(__file__).resolve().parents[1]
SUITES = {"real", "peers"}
#: Files that take more than a minute, the longest first.
LONGEST = (
    "contract/test_study.py", "contract/test_same_numbers.py", "real/test_norms_of_three_kinds.py", "contract/test_extending.py",
    "contract/test_user_guide.py", "unit/report/test_page_registry.py", "contract/test_reproduce.py",
    "unit/judgement/test_plausibility.py", "physics/test_running.py",
)  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark the suites, and put the longest files first, that no worker begins one when the other has nothing left to do."""
    tests = ROOT / "tests"
    # Of thousands of tests, and some hundreds of files.
    rooms = {path: path.resolve().relative_to(tests).parts[0] for path in {item.path for item in items}}
    for item in items:
        if rooms[item.path] in SUITES:
            item.add_marker(rooms[item.path])
    yield
    places = {tests / file: place for place, file in enumerate(LONGEST)}
    if gone := [str(path) for path in places if not path.is_file()]:
        raise pytest.UsageError(f"LONGEST names files that are gone: {', '.join(gone)}")
    many = Counter(item.path for item in items)
    items.sort(key=lambda item: (places.get(item.path, len(places)), -many[item.path]))


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with real recordings and reference numbers."""
    folder = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (folder / "c3d" / "facts.json").is_file():
        reason = f"no recordings beside the project (looked in {folder}); set BIOMECH_ID_SHARED"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def c3d_dir(shared_dir: Path) -> Path:
    """The folder with real C3D files."""
    return shared_dir / "c3d"


@pytest.fixture(scope="session")
def reference(shared_dir: Path) -> Any:
    """Loader of reference numbers: ``reference("chain3d")``."""

    def load(name: str) -> Any:
        return json.loads((shared_dir / "reference" / f"ref_{name}.json").read_text(encoding="utf-8"))

    return load


@pytest.fixture(scope="session")
def first_version() -> Iterator[Path]:
    """The first version's program, taken from the project's history; a copy without history skips what needs it."""
    from benchmarks.before import NoHistoryError, checkout

    try:
        with checkout() as folder:
            yield folder
    except NoHistoryError as error:
        pytest.skip(str(error))
