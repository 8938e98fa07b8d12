"""The recipe a researcher copies: it runs as written, and prints what the library's own analysis finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from biomech_id.sample import virtual_subject, write_c3d

RECIPE = Path(__file__).resolve().parents[2] / "pipelines" / "one_trial.py"


def test_it_prints_the_moments_the_virtual_subject_really_has(tmp_path: Path) -> None:
    person = virtual_subject()
    walk = person.walk("walk01")
    files = [write_c3d(person.static("static"), tmp_path / "static.c3d"), write_c3d(walk, tmp_path / "walk01.c3d")]
    ran = subprocess.run([sys.executable, str(RECIPE), *map(str, files)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    lines = [line for line in ran.stdout.splitlines() if ": clean" in line]
    assert [line[0] for line in lines] == ["R", "L"]
    for line in lines:
        printed = float(line.split("knee ")[1].split()[0])
        start_s, end_s = map(float, line.split()[1].split("-"))
        time_s = walk.truth.time_s
        during = (time_s >= start_s) & (time_s < end_s)
        moment_Nm = walk.truth.joint_moment_distal_Nm[line[0], "knee"][during, 1]
        peak = moment_Nm[np.abs(moment_Nm).argmax()] / 72.0
        # Markers and plates are exact; the differences are the filters' and the derivatives' (N m/kg).
        assert printed == pytest.approx(peak, abs=0.03)


def test_a_wrong_file_is_one_sentence(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, str(RECIPE), str(tmp_path / "no.c3d"), "x.c3d"], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr.startswith("one_trial.py: ")
    assert len(ran.stderr.splitlines()) == 1
