"""Import paths of earlier versions: one object under both, one warning at the line that imports, and nothing else changes."""

from __future__ import annotations

import importlib
import importlib.resources
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import biomech_id
import biomech_id.signal.filters as filters
from biomech_id import moved, signal
from biomech_id._version import __version__
from biomech_id.deprecation import BiomechDeprecationWarning, goes_in
from biomech_id.signal import gaps

ROOT = Path(__file__).resolve().parents[2]
ROWS = """old,new,since
biomech_id.ancient.waves,biomech_id.signal,0.2
biomech_id.ancient.waves.holes,biomech_id.signal.gaps,0.2
biomech_id.ancient.smooth,biomech_id.signal.filters,0.2
biomech_id.ancient.smooth:Gap,biomech_id.signal.gaps:Gap,0.2
biomech_id.ancient.split:LowPass,biomech_id.signal.filters:LowPass,0.2
biomech_id.ancient.nowhere,biomech_id.signal.nothing_there,0.2
biomech_id.algebra.skew:LowPass,biomech_id.signal.filters:LowPass,0.2
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A table of moves, read as the library's own is."""
    path = tmp_path / "moved.csv"
    path.write_text(ROWS, encoding="utf-8")
    monkeypatch.setattr(moved, "_TABLE", str(path))
    monkeypatch.setattr(moved, "_warned", set())
    moved.moved.cache_clear()
    yield path
    moved.moved.cache_clear()
    for name in [name for name in sys.modules if name.startswith("biomech_id.ancient")]:
        del sys.modules[name]
    vars(biomech_id).pop("ancient", None)
    vars(filters).pop("__getattr__", None)


def run(code: str) -> tuple[dict[str, object], list[warnings.WarningMessage]]:
    """What a file of a user's binds, and what it is warned of."""
    names: dict[str, object] = {"__name__": "users_own"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, "users_own.py", "exec"), names)
    return names, caught


FORMS: dict[str, tuple[str, Callable[[dict[str, object]], object]]] = {
    "import a.b.c": ("import biomech_id.ancient.smooth\nx = biomech_id.ancient.smooth", lambda n: n["x"]),
    "import as": ("import biomech_id.ancient.smooth as x", lambda n: n["x"]),
    "from folder import module": ("from biomech_id.ancient import smooth", lambda n: n["smooth"]),
    "from module import name": ("from biomech_id.ancient.smooth import LowPass", lambda n: sys.modules[n["LowPass"].__module__]),  # type: ignore[attr-defined]
    "import_module": ("from importlib import import_module\nx = import_module('biomech_id.ancient.smooth')", lambda n: n["x"]),
    "below a moved folder": (
        "from biomech_id.ancient.waves.filters import LowPass",
        lambda n: sys.modules[n["LowPass"].__module__],
    ),  # type: ignore[attr-defined]
    "from a moved folder": ("from biomech_id.ancient.waves import filters", lambda n: n["filters"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_import_gives_the_same_module_and_warns_the_line_once(form: str, table: Path) -> None:
    code, module = FORMS[form]
    names, caught = run(code)
    assert module(names) is filters
    assert filters.__spec__ is not None
    assert filters.__spec__.name == filters.__name__ == "biomech_id.signal.filters"
    (warning,) = caught
    assert warning.category is BiomechDeprecationWarning
    assert isinstance(warning.message, DeprecationWarning)
    assert warning.filename == "users_own.py"
    assert (warning.message.since, warning.message.until) == ("0.2", "0.4")
    assert warning.message.instead in ("biomech_id.signal.filters", "biomech_id.signal")
    assert not run(code)[1], "the second time"


def test_the_longest_row_decides(table: Path) -> None:
    assert run("import biomech_id.ancient.waves.holes as x")[0]["x"] is gaps
    assert run("import biomech_id.ancient.waves as x")[0]["x"] is signal


def test_a_name_that_went_to_another_module(table: Path) -> None:
    """Of a module that moved itself, of one that is gone, and of one that is still there."""
    for module in ("ancient.split", "ancient.smooth"):
        name = "LowPass" if module == "ancient.split" else "Gap"
        names, caught = run(f"from biomech_id.{module} import {name}")
        assert names[name] is getattr(filters if name == "LowPass" else gaps, name)
        assert caught[-1].filename == "users_own.py"
        assert caught[-1].message.instead == f"biomech_id.signal.{'filters' if name == 'LowPass' else 'gaps'}.{name}"  # type: ignore[union-attr]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert moved.moved_names("biomech_id.algebra.skew")("LowPass") is filters.LowPass
    assert [Path(warning.filename).name for warning in caught] == ["test_moved.py"]
    with pytest.raises(AttributeError, match="no attribute 'HighPass'"):
        moved.moved_names("biomech_id.algebra.skew")("HighPass")


@pytest.mark.parametrize(
    "name", ["ancient.nothing", "ancient.waves.nothing", "ancient.nowhere", "signal.nothing", "nothing", "ancient.smooth.nothing"]
)
def test_a_wrong_name_is_refused_as_ever(name: str, table: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=rf"No module named 'biomech_id\.{name}'") as refused:
        run(f"import biomech_id.{name}")
    assert refused.value.name == f"biomech_id.{name}"
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        run(f"from biomech_id.{name.rpartition('.')[0] or 'signal'} import nothing")


def test_a_package_that_is_missing_is_named(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the new place cannot import is no reason to say that the old place does not exist."""
    (table.parent / "late.py").write_text("import a_package_that_is_missing\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(table.parent))
    table.write_text("old,new,since\nbiomech_id.ancient,late,0.2\n", encoding="utf-8")
    moved.moved.cache_clear()
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_missing"):
        run("import biomech_id.ancient")


def test_other_packages_and_modules_that_are_there_never_ask_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> dict[str, tuple[str, str]]:
        raise AssertionError("the table was read")

    monkeypatch.setattr(moved, "moved", asked)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("biomechanics_of_others.gait")
    monkeypatch.delitem(sys.modules, "biomech_id.signal.gaps")
    assert isinstance(importlib.import_module("biomech_id.signal.gaps"), ModuleType)


def test_a_module_may_be_patched_and_its_files_read_under_either_name(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.setattr("biomech_id.ancient.smooth.LowPass", "patched")
        assert filters.LowPass == "patched"  # type: ignore[comparison-overlap]
        assert importlib.resources.files("biomech_id.ancient.waves").joinpath("gaps.py").is_file()
        assert importlib.reload(importlib.import_module("biomech_id.ancient.smooth")) is filters


def test_processes_of_their_own_follow_too(table: Path, tmp_path: Path) -> None:
    """A fresh interpreter, its spawned child, ``python -m``, and nothing of the table read before a name is missing."""
    (tmp_path / "own.py").write_text(
        "import multiprocessing, sys\n"
        "import biomech_id\n"
        "from biomech_id import moved\n"
        f"moved._TABLE = {str(table)!r}\n"
        "assert moved.moved.cache_info().currsize == 0\n"
        "def work(_):\n"
        "    from biomech_id.ancient.smooth import LowPass\n"
        "    return LowPass.__module__\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(*pool.map(work, [0]))\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(tmp_path / "own.py")], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["biomech_id.signal.filters"], done.stderr
    code = (
        f"import biomech_id.moved as m, runpy; m._TABLE = {str(table)!r}; "
        "runpy.run_module('biomech_id.ancient.waves.gaps', run_name='__main__')"
    )
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_every_row_leads_somewhere_in_one_step_and_goes_in_its_time() -> None:
    def number(version: str) -> tuple[int, ...]:
        return tuple(int(part) for part in version.split(".")[:2])

    for old, (new, since) in moved.moved().items():
        place, _, name = new.partition(":")
        module = importlib.import_module(place)
        assert module.__name__ == place, f"{old}: {place} moved on; write {module.__name__} in its row"
        value = getattr(module, name) if name else module
        assert number(goes_in(since)) > number(__version__), f"{old}: two minor versions are over, take the row off"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            place, _, name = old.partition(":")
            module = importlib.import_module(place)
            assert (getattr(module, name) if name else module) is value, f"{old} does not lead to {new}"
