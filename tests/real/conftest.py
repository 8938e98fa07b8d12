"""Makes modules that tests share importable, and holds every session of the recordings, computed once."""

import os
import sys
from pathlib import Path

import pytest

_UNIT = Path(__file__).parents[1] / "unit"
sys.path[:0] = [str(Path(__file__).parent), str(_UNIT / "exports" / "c3d"), str(_UNIT / "report")]

from sessions import Sessions  # noqa: E402


@pytest.fixture(scope="session")
def sessions(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """Session name -> what came of it (see `sessions.py`): `sessions["children/HC036A"].tables`."""
    base = tmp_path_factory.getbasetemp()
    # Workers of pytest-xdist have a folder each, below that of the run.
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return Sessions(shared_dir, run / "sessions")
