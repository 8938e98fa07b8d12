"""The site's own extensions: docstrings, signatures and short names as readers see them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from typer.main import get_command

from biomech_id.cli.app import app

EXTENSIONS = Path(__file__).resolve().parents[3] / "docs" / "_extensions"


def extension(name: str) -> Iterator[ModuleType]:
    """One of the extensions, imported as Sphinx imports it."""
    sys.path.insert(0, str(EXTENSIONS))
    try:
        yield import_module(name)
    finally:
        sys.path.remove(str(EXTENSIONS))
        sys.modules.pop(name, None)


@pytest.fixture
def commands() -> Iterator[ModuleType]:
    yield from extension("commands")


@pytest.fixture
def docstrings() -> Iterator[ModuleType]:
    yield from extension("docstrings")


@pytest.fixture
def signatures() -> Iterator[ModuleType]:
    yield from extension("signatures")


@pytest.fixture
def short_names() -> Iterator[ModuleType]:
    yield from extension("short_names")


DOCSTRING = """Return what |a - b| is, in m.

An equation:

    |x|^2 = x * x

* one thing;
  and more of it

Parameters
----------
start, end : (n, 3), m, laboratory axes; a sentence
    that runs on.

Both are of one length.

Returns
-------
A sentence: with a colon.

Raises
------
ShapeError, OptionError : never.
"""


def test_sections_become_lists_and_equations_stay(docstrings: ModuleType) -> None:
    text = "\n".join(docstrings.to_rest(DOCSTRING.splitlines()))
    assert r"Return what \|a - b\| is" in text
    assert "::\n\n    |x|^2 = x * x\n" in text
    assert "* one thing;\n  and more of it\n" in text
    assert ":Parameters:\n    * **start**, **end** -- (n, 3), m, laboratory axes; a sentence that runs on.\n\nBoth are" in text
    assert ":Returns:\n    A sentence: with a colon.\n" in text
    assert ":Raises:\n    * `ShapeError`, `OptionError` -- never.\n" in text


def test_an_attribute_can_be_linked_to(docstrings: ModuleType) -> None:
    text = "\n".join(docstrings.to_rest(["A value.", "", "Attributes", "----------", "a_m, b_m : lengths."]))
    assert ".. py:attribute:: a_m\n    :no-typesetting:" in text
    assert ".. py:attribute:: b_m\n    :no-typesetting:" in text


def test_what_is_returned_may_have_names(docstrings: ModuleType) -> None:
    text = "\n".join(docstrings.to_rest(["Solve.", "", "Returns", "-------", "force_N : (3,).", "moment_Nm : (3,)."]))
    assert ":Returns:\n    * **force_N** -- (3,).\n    * **moment_Nm** -- (3,).\n" in text


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["x", "", "Parameters", "----------", "frames without a word on them"], "frames without a word"),
        (["x", "", "Arguments", "---------", "a : b"], "unknown section 'Arguments'"),
    ],
)
def test_a_docstring_of_another_form_is_refused(docstrings: ModuleType, lines: list[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        docstrings.to_rest(lines)


class Here:
    """A class of this module, for annotations."""


def example(a: Here, b: Mapping[str, Here], *, c: float = 1.5, how: object = len) -> tuple[Here, ...]:
    raise NotImplementedError


def test_annotations_are_those_of_the_source(signatures: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"Here": Here, "Mapping": Mapping}
    assert signatures.as_written(example, known) == (
        "(a: Here, b: Mapping[str, Here], *, c: float = 1.5, how: object = len)", "tuple[Here, ...]"
    )  # fmt: skip
    monkeypatch.setattr(Here, "__module__", "biomech_id.some.room")
    assert signatures.as_written(example, known)[1] == "tuple[biomech_id.some.room.Here, ...]"


def test_a_short_name_means_the_nearest(short_names: ModuleType) -> None:
    names = ["p.a.x.solve", "p.a.y.solve", "p.b.z.solve", "p.b.z.Only", "p.read", "p.b.reader.read", "p.b.w.Two.part"]

    def found(target: str, module: str) -> str | None:
        result = short_names.nearest(target, names, module)
        assert result is None or isinstance(result, str)
        return result

    assert found("solve", "p.a.x") == "p.a.x.solve"  # in the same module
    assert found("solve", "p.b.w") == "p.b.z.solve"  # the only one of the room
    assert found("solve", "p.c.v") is None  # three rooms have one, none is nearer
    assert found("y.solve", "p.c.v") == "p.a.y.solve"
    assert found("Only", "") == "p.b.z.Only"
    assert found("read", "p.a.x") == "p.read"  # the package's own comes before a room's
    assert found("Two.part", "p.a.x") == "p.b.w.Two.part"
    assert found("olve", "p.a.x") is None


def test_every_command_is_described_with_its_example_and_options(commands: ModuleType) -> None:
    group = get_command(app)
    text = "".join(commands.pages_of(group))
    for name in group.commands:
        assert f"## `biomech-id {name}`\n" in text
        assert f"```sh\nbiomech-id {name}" in text, f"{name} has no example"
    assert "| `paths...` | A subject's folder, or C3D files. Required. |" in text
    assert "| `--knee` `flexion` or `extension` | " in text
    assert "--debug" not in text
    assert "Default: ``" not in text
