"""The recipes of both directions run as they stand, on the files of the virtual subject."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import biomech_id as bid
from biomech_id.request.subject_file import subject_toml

ROOT = Path(__file__).resolve().parents[2]


def recipe(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "pipelines" / "opensim" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    recorded, handed = tmp_path / "c3d", tmp_path / "opensim"
    recorded.mkdir()
    for name in ("static.c3d", "walk02.c3d"):
        shutil.copy(ROOT / "data" / name, recorded)
    monkeypatch.chdir(tmp_path)
    there = recipe("to_opensim")
    monkeypatch.setattr(there, "run_inverse_dynamics", lambda folder: None)  # tests/peers runs OpenSim
    there.main([str(recorded), "-o", str(handed)])
    assert "1 trial handed over" in capsys.readouterr().out
    person = bid.read_c3d(recorded / "static.c3d").subject
    (handed / "subject.toml").write_text(subject_toml(person), encoding="utf-8")
    recipe("from_opensim").main([str(handed)])
    lines = capsys.readouterr().out.splitlines()
    assert {line.partition(":")[2].split(" up")[0].strip() for line in lines} == {
        f"{s} {j}" for s in "LR" for j in ("ankle", "knee", "hip")
    }
    ankle_Nm = next(float(line.split()[-3]) for line in lines if "R ankle" in line)
    assert 70.0 < ankle_Nm < 150.0  # an adult of 72 kg: 1.2 to 1.6 N m/kg in walking
