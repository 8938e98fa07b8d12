"""Every example that ``--help`` shows is run, one after the other, by somebody who has a folder of recordings and nothing else."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.cli.guard import DONE, WARNINGS
from biomech_id.sample import virtual_subject, write_c3d
from tests.contract.test_user_guide import BLOCK, GUIDE

ROOT = Path(__file__).resolve().parents[2]
#: What the user guide's first block runs, word for word: `test_user_guide.py`.
OF_THE_GUIDE = ("demo",)
#: In an order in which each finds what it needs.
ORDER = (
    "check", "subject", "recipe", "markerset", "run", "reproduce", "norm", "report", "parity", "compare",
    "export", "review", "opensim", "check-opensim", "opensim-run", "batch", "plates", "lab", "diagnose", "release", "commission",
)  # fmt: skip

#: What waits for somebody at a browser, or for what somebody signed there: `tests/peers/test_desk_morning.py`, `tests/unit/desk`.
AT_THE_DESK = ("desk", "verify")
#: What waits for a generic model, of which none is shipped: `tests/real/test_fit_person.py`.
WITH_A_MODEL = ("fit",)


def examples() -> dict[str, str]:
    """Command -> its example, as its docstring (and so its help) shows it."""
    shown = {}
    for command in app.registered_commands:
        assert command.callback is not None
        (line,) = (text.strip() for text in (command.callback.__doc__ or "").splitlines() if "Example: " in text)
        shown[command.name or ""] = line.removeprefix("Example: ")
    return shown


def test_every_command_is_in_the_order() -> None:
    shown = examples()
    assert {*OF_THE_GUIDE, *ORDER, *AT_THE_DESK, *WITH_A_MODEL} == set(shown)
    guide = {line for block in BLOCK.finditer(GUIDE.read_text(encoding="utf-8")) for line in block["words"].splitlines()}
    assert {shown[name] for name in OF_THE_GUIDE} <= guide


@pytest.mark.slow
def test_the_examples_work_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    carl = virtual_subject(code="carl", noise_m=0.001)
    Path("healthy/carl").mkdir(parents=True)
    for name, sample in (("static", carl.static("static")), ("walk", carl.walk("walk"))):
        write_c3d(sample, Path("healthy/carl") / f"{name}.c3d")
    for folder in ("patients/anna", "study/anna", "study/ben"):
        Path(folder).mkdir(parents=True)
        for name in ("static.c3d", "walk02.c3d"):
            shutil.copy(ROOT / "data" / name, folder)
    shutil.copy(ROOT / "data" / "static.c3d", "static.c3d")
    Path("style.toml").write_text('[laboratory]\nname = "Our laboratory"\n', encoding="utf-8")
    shown = examples()
    for name in ORDER:
        words = shlex.split(shown[name])
        assert words[:2] == ["biomech-id", name]
        target = words[words.index(">") + 1] if ">" in words else None
        result = CliRunner().invoke(app, words[1 : words.index(">")] if target else words[1:])
        assert result.exit_code in (DONE, WARNINGS), f"{shown[name]}: {result.output}"
        if target:
            Path(target).write_text(result.stdout, encoding="utf-8")
        if name == "run":
            for copy in ("before", "after"):
                shutil.copytree("results/anna", Path("results") / copy)
            assert CliRunner().invoke(app, ["run", "healthy/carl", "-o", "results/healthy"]).exit_code in (DONE, WARNINGS)
    written = ("norm.csv", "change.pdf", "results/anna_opensim/subject.osim", "mylab.toml", "lab.toml")
    assert [name for name in written if not Path(name).is_file()] == []
