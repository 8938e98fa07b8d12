"""A researcher's script uses as many threads as there are cores, the command line one: both write the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real, pytest.mark.slow]

SCRIPT = """
import sys
from pathlib import Path
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.pipeline.run import run_job
run_job(Job((Path(sys.argv[1]),), recipe=Recipe(report=False)), Path(sys.argv[2]))
"""


def test_tables_do_not_depend_on_the_number_of_threads(c3d_dir: Path, tmp_path: Path) -> None:
    written = []
    for threads in ("1", "4"):
        out = tmp_path / threads
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-c", SCRIPT, str(c3d_dir / "children" / "HC031A"), str(out)], check=True, env=environment)
        written.append({path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()})
    assert written[0].keys() == written[1].keys()
    assert [name for name in written[0] if written[0][name] != written[1][name]] == []
