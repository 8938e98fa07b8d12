"""The Python reference has an entry for everything a reader may look for; ``make site`` builds it and follows every link."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import iter_modules

import pytest

import biomech_id

API = Path(__file__).resolve().parents[2] / "docs" / "api"
INDEX = (API / "index.rst").read_text(encoding="utf-8")
#: The rooms whose modules the index lists: pages are made from them, folder by folder, by autosummary.
ROOMS = re.findall(r"^   biomech_id\.(\S+)$", INDEX.split(":recursive:")[1], flags=re.MULTILINE)


@pytest.mark.parametrize("name", biomech_id.__all__)
def test_every_short_name_has_an_entry(name: str) -> None:
    names = (API / "names.rst").read_text(encoding="utf-8")
    assert re.search(rf"^\.\. (auto\w+|py:data):: biomech_id\.{name}$", names, flags=re.MULTILINE), name


def test_pages_mirror_the_rooms() -> None:
    """Every room, once; the command line documents itself with ``--help``."""
    assert sorted(ROOMS) == sorted({m.name for m in iter_modules(biomech_id.__path__) if not m.name.startswith("_")} - {"cli"})


def test_every_page_is_made_with_the_modules_below_it() -> None:
    """What a page says of a folder follows from the folder: a moved module needs no edit."""
    template = (API.parent / "_templates" / "autosummary" / "module.rst").read_text(encoding="utf-8")
    assert re.search(r":toctree:\n\s+:recursive:\n\{% for item in modules %\}\n\s+\{\{ item \}\}", template)
    assert ":toctree: rooms\n   :recursive:\n" in INDEX


def test_no_page_is_written_by_hand_for_a_module() -> None:
    assert {page.name for page in API.glob("*.rst")} == {"index.rst", "names.rst"}
