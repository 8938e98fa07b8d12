"""Where test data comes from, and which suite a test belongs to.

Real recordings and reference numbers lie beside the project, in ``../shared`` or where ``BIOMECH_ID_SHARED`` points. Whoever does
not have them gets an honest skip; continuous integration (``CI=true``) gets a failure instead, so that nothing is skipped there.
"""

from __future__ import annotations

import json
import os
import sys
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        room = Path(item.path).resolve().relative_to(ROOT / "tests").parts[0]
        if room in SUITES:
            item.add_marker(room)


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
