"""The site's one own extension: every command as readers see it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from typer.main import get_command

from biomech_id.cli.app import app

EXTENSIONS = Path(__file__).resolve().parents[3] / "docs" / "_extensions"


def test_every_command_is_described_with_its_example_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    commands = import_module("commands")
    group = get_command(app)
    text = "".join(commands.pages_of(group))
    for name in group.commands:
        assert f"## `biomech-id {name}`\n" in text
        assert f"```sh\nbiomech-id {name}" in text, f"{name} has no example"
    assert "| `paths...` | A subject's folder, or C3D files. Required. |" in text
    assert "| `--knee` `flexion` or `extension` | " in text
    assert "--debug" not in text
    assert "Default: ``" not in text


def test_there_is_at_most_one_extension_of_our_own() -> None:
    assert [path.name for path in EXTENSIONS.glob("*.py")] == ["commands.py"]
