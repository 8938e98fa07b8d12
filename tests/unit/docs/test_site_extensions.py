"""The site's own extensions: every command as readers see it, and the gallery."""

from __future__ import annotations

import re
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


def test_there_are_four_extensions_of_our_own_and_no_more() -> None:
    assert sorted(path.name for path in EXTENSIONS.glob("*.py")) == ["commands.py", "equations.py", "gallery.py", "site_search.py"]


def test_mathematics_has_its_indices_and_spaces_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("docutils", minversion="0.22")
    monkeypatch.syspath_prepend(str(EXTENSIONS))

    def drawn(latex: str) -> str:
        return re.sub(r" xmlns=\S+?(?=>| )|\s*\n\s*", "", import_module("equations").mathml(latex, block=False))

    dotted = '<mover accent="true"><mi>x</mi><mo stretchy="false">˙</mo></mover>'
    assert drawn(r"\dot x_1^2") == f"<math><msubsup>{dotted}<mn>1</mn><mn>2</mn></msubsup></math>"
    assert drawn(r"\dot x_1") == f"<math><msub>{dotted}<mn>1</mn></msub></math>"
    space = '<mspace width="0.17em" />'
    assert drawn(r"d \sin x") == f"<math><mi>d</mi>{space}<mi>sin</mi><mo>\N{FUNCTION APPLICATION}</mo>{space}<mi>x</mi></math>"
    assert space not in drawn(r"- \sin(x)")
    assert 'lspace="0" rspace="0">/</mo>' in drawn("r_{A/F}")


def test_a_page_of_the_gallery_has_its_picture_and_a_failing_example_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    gallery = import_module("gallery")
    (tmp_path / "pages").mkdir()
    example = tmp_path / "plates.py"
    setup = "import biomech_id as bid\nwalk = bid.virtual_subject().walk().trial\n"
    example.write_text(f'"""Plates\n\nWhat they say.\n"""\n\n# %% What you have\n{setup}\n# %% Example\nbid.plot.forces(walk)\n')
    text = gallery.page(example)
    assert text.startswith("# Plates\n\nWhat they say.")
    assert "![Plates](plates.png)" in text
    assert (tmp_path / "pages" / "plates.png").read_bytes().startswith(b"\x89PNG")
    example.write_text(f'"""Plates"""\n\n# %% What you have\n{setup}\n# %% Example\nwalk.nonsense\n')
    with pytest.raises(AttributeError, match="nonsense"):
        gallery.page(example)


def test_forty_questions_each_name_a_page_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    links = re.findall(r"\]\(/(\S+)\.md\)", import_module("gallery").questions())
    assert len(links) >= 40
    docs = EXTENSIONS.parent
    for link in links:
        source = docs / link.replace("gallery/pages/", "gallery/")
        assert source.with_suffix(".py").is_file() or source.with_suffix(".md").is_file(), link
