"""The Python reference has an entry for everything a reader may look for; ``make site`` builds it and follows every link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import biomech_id

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "api").glob("*.rst"))
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
DOCUMENTED = re.findall(r"^\.\. automodule:: biomech_id\.(\S+)$", TEXT, flags=re.MULTILINE)


def modules() -> list[str]:
    """Every module of the library by its dotted name; the command line documents itself with ``--help``."""
    paths = [path.relative_to(ROOT / "biomech_id").with_suffix("") for path in (ROOT / "biomech_id").rglob("*.py")]
    return sorted(".".join(path.parts) for path in paths if path.parts[0] != "cli" and not path.name.startswith("_"))


@pytest.mark.parametrize("name", biomech_id.__all__)
def test_every_short_name_has_an_entry(name: str) -> None:
    names = (ROOT / "docs" / "api" / "names.rst").read_text(encoding="utf-8")
    assert re.search(rf"^\.\. (auto\w+|py:data):: biomech_id\.{name}$", names, flags=re.MULTILINE), name


def test_every_module_is_on_a_page_and_every_entry_is_a_module() -> None:
    missing = sorted(set(modules()) - set(DOCUMENTED))
    assert not missing, f"put these where a reader looks for them, in a page of docs/api: {', '.join(missing)}"
    packages = {entry for entry in DOCUMENTED if (ROOT / "biomech_id" / entry.replace(".", "/") / "__init__.py").is_file()}
    assert sorted(set(DOCUMENTED) - set(modules()) - packages) == []


def test_no_module_is_on_two_pages() -> None:
    assert sorted(DOCUMENTED) == sorted(set(DOCUMENTED))


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8").split(".. toctree::")[1]
    assert {page.stem for page in PAGES} == {"index", *index.split()[2:]}
