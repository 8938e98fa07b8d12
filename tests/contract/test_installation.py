"""What is said of versions is true of every place that says it: setup.cfg, the pinned ones, the conda recipe, the make targets."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from biomech_id._version import __version__

ROOT = Path(__file__).resolve().parents[2]
#: What conda-forge calls something else.
ON_CONDA = {"matplotlib": "matplotlib-base"}


def asked() -> dict[str, list[Requirement]]:
    """What setup.cfg asks for: "" and each extra."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    lists = {"": setup["options"]["install_requires"], **setup["options.extras_require"]}
    return {extra: [Requirement(line) for line in text.split("\n") if line] for extra, text in lists.items()}


def pinned() -> dict[str, Requirement]:
    lines = (ROOT / "requirements" / "pinned.txt").read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(each.name): each for each in found}


def wrong_pins(pins: dict[str, Requirement]) -> Iterator[str]:
    for extra, wanted in asked().items():
        for one in wanted:
            pin = pins.get(canonicalize_name(one.name))
            version = str(pin.specifier).removeprefix("==") if pin else ""
            if not re.fullmatch(r"\d[\w.]*", version) or version not in one.specifier:
                yield f"{extra}: {one} is pinned {version or 'nowhere'}"


def test_every_requirement_is_pinned_within_its_bound() -> None:
    assert list(wrong_pins(pinned())) == []


@pytest.mark.parametrize("pin", ["numpy==1.26.4", "numpy>=2.2"])
def test_a_pin_below_the_bound_or_no_pin_is_seen(pin: str) -> None:
    assert len(list(wrong_pins(pinned() | {"numpy": Requirement(pin)}))) == 1


def test_everyday_targets_take_the_pinned_versions_and_the_others_do_not() -> None:
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    installing = [line for line in lines if re.match(r"\t.*-e (\.|\"\.)", line) and "--no-deps" not in line]
    unpinned = [line for line in installing if not re.search(r"\$\((PIP|INSTALL)\) ", line)]
    assert len(installing) - len(unpinned) >= 5
    assert unpinned
    assert all("NEWEST_RUN)" in line for line in unpinned)
    assert any("-c $(PINNED)" in line for line in lines if line.startswith("INSTALL "))
    assert any(line.endswith("$(INSTALL)") for line in lines if line.startswith("PIP "))
    assert not any(re.search("PIP|INSTALL", line) for line in lines if "NEWEST_RUN)" in line or "LOWEST_RUN)" in line)
    assert re.search(r"^make .*\blowest$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)


def hashed(which: str) -> dict[str, tuple[str, int]]:
    """Package -> version and number of hashes."""
    text = (ROOT / "requirements" / f"hashed-{which}.txt").read_text(encoding="utf-8")
    entries = re.findall(r"^(\S+)==(\S+)[^\n]*((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*)$", text, re.MULTILINE)
    assert len(entries) == text.count("==") - text.count("== '")
    return {canonicalize_name(name.partition("[")[0]): (version, found.count("sha256:")) for name, version, found in entries}


@pytest.mark.parametrize(("which", "extras"), [("dev", ("", "dev")), ("all", ("", "dev", "peers", "docs"))])
def test_continuous_integration_installs_the_pinned_versions_by_their_hashes(which: str, extras: tuple[str, ...]) -> None:
    held, pins = hashed(which), pinned()
    assert all(n >= 1 for _, n in held.values()), [name for name, (_, n) in held.items() if not n]
    unlike = {name for name, (version, _) in held.items() if name in pins and str(pins[name].specifier) != f"=={version}"}
    assert unlike == set()
    assert held.keys() - pins.keys() <= {"setuptools"}
    assert {canonicalize_name(one.name) for extra in extras for one in asked()[extra]} <= held.keys()
    # The fast suite has no more than its own extra brings: a test of it that needs another package fails here as it does elsewhere.
    assert ("sphinx" in held, "opensim" in held) == (which == "all", which == "all")


def test_hashes_come_first_in_continuous_integration() -> None:
    assert "\nmake hashed-dev test hashed-all test-all\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nhashed-dev hashed-all:")[2].partition("\n\n")[0]
    assert "pip install -q --require-hashes -r requirements/$@.txt" in recipe
    assert "pip install -q --no-deps --no-build-isolation -e ." in recipe


def test_the_conda_recipe_asks_for_what_setup_cfg_asks_for() -> None:
    recipe = (ROOT / "docs" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    assert f'version = "{__version__}"' in recipe
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    said = {re.sub(r"\s", "", line.strip(" -")) for line in run.splitlines()}
    assert said == {"python>=3.11"} | {f"{ON_CONDA.get(one.name, one.name)}{one.specifier}" for one in asked()[""]}


def test_nobody_is_told_to_install_by_a_name_that_no_registry_has() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "biomech_id").rglob("*.py")]
    for page in pages:
        for line in re.findall(r"pip install (?:-[\w-]+ )*['\"]?(\S+)", page.read_text(encoding="utf-8")):
            assert not re.match(r"biomech[-_]id(\[|['\"`]|$)", line), f"{page.name}: pip install {line}"


def test_a_classified_python_is_one_that_ran() -> None:
    """Beside the one of continuous integration: ``make pythons`` runs it, and the page says what ran on it."""
    setup = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    first, *others = re.findall(r"Python :: (3\.\d+)$", setup, flags=re.MULTILINE)
    assert f"python_requires = >={first}" in setup
    (tried,) = re.findall(r"^PYTHONS \?= (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    page = (ROOT / "docs" / "decisions" / "pinned-versions.md").read_text(encoding="utf-8")
    assert others
    for version in others:
        assert f"python{version}" in tried.split()
        assert f"| {version}" in page
