"""A package that announces a module changes what every process of a run knows: plate types for the reading child, filters, ..."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from biomech_id.errors import MissingInputError
from biomech_id.plugins import import_plugins

ROOT = Path(__file__).resolve().parents[2]
ANNOUNCED = "[biomech_id]\nlab = lab_plugin\n"


def installed(folder: Path, module: str) -> dict[str, str]:
    """The environment in which a package of the laboratory's own is installed: its module, and the metadata that announces it."""
    (folder / "lab_plugin.py").write_text(module, encoding="utf-8")
    metadata = folder / "lab_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-plugin\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ANNOUNCED, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


def command(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    code = "from biomech_id.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], env=environment, capture_output=True, text=True, check=False)


def test_an_announced_filter_can_be_named_in_a_recipe_and_its_package_is_in_the_manifest(tmp_path: Path) -> None:
    environment = installed(
        tmp_path,
        "from biomech_id.signal.filters import LowPass, register_filter\n"
        "register_filter(LowPass('nothing', 'left as it was', lambda values, rate_hz, cutoff_hz: values))\n",
    )
    (tmp_path / "recipe.toml").write_text(
        "[filter]\nmarker_filter = 'always'\nlowpass = 'nothing'\n[output]\nreport = false\n", encoding="utf-8"
    )
    words = ["run", str(ROOT / "data"), "-o", str(tmp_path / "out"), "--recipe", str(tmp_path / "recipe.toml")]
    done = command(environment, *words)
    assert done.returncode == 0, done.stderr
    assert '"lab-plugin": "1.0"' in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
    unknown = command(dict(os.environ, PYTHONPATH=str(ROOT)), *words)
    assert unknown.returncode == 1
    assert "There is no low-pass filter 'nothing'" in unknown.stderr


def test_the_reading_process_knows_what_was_announced(tmp_path: Path) -> None:
    environment = installed(tmp_path, "import pathlib, os\npathlib.Path(__file__).with_name(f'seen-{os.getpid()}').touch()\n")
    assert command(environment, "check", str(ROOT / "data" / "static.c3d")).returncode == 0
    assert len(list(tmp_path.glob("seen-*"))) == 2


def test_a_plug_in_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    done = command(installed(tmp_path, "import no_such_module_anywhere\n"), "check", str(ROOT / "data" / "static.c3d"))
    assert done.returncode == 1
    assert "The plug-in lab_plugin cannot be imported: No module named 'no_such_module_anywhere'" in done.stderr
    with pytest.raises(MissingInputError, match="no_such_plugin"):
        import_plugins(["no_such_plugin"])


def test_a_plug_in_that_cannot_be_imported_is_named_before_the_model_is_looked_for(tmp_path: Path) -> None:
    environment = installed(tmp_path, "import no_such_module_anywhere\n")
    done = command(environment, "run", str(ROOT / "data"), "-o", str(tmp_path / "out"), "--model", "ours")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "lab_plugin cannot be imported" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "out").exists()
