"""What others build on stays: names, arguments, defaults, members, commands, columns and keys, and every import of our pages."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from biomech_id.deprecation import deprecated
from tests.contract import api_snapshot
from tests.contract.api_snapshot import broken, described, imports_of, imports_of_pages, promised_imports, recorded, today

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def now() -> dict[str, str]:
    return today()


def test_nothing_went_and_nothing_changed(now: dict[str, str]) -> None:
    sentences = broken(recorded(), now)
    assert not sentences, "\n".join(sentences)


def test_what_is_new_is_recorded(now: dict[str, str]) -> None:
    new = sorted(key for key in now.keys() - recorded().keys() if now[key] != "deprecated")
    assert not new, f"run: python -m tests.contract.api_snapshot --write, for {new}"


def test_the_imports_of_the_pages_are_recorded() -> None:
    new = imports_of_pages() - set(promised_imports())
    assert not new, f"run: python -m tests.contract.api_snapshot --write, for {sorted(new)}"


def test_the_snapshot_holds_all_kinds() -> None:
    kinds = (
        "biomech_id.solve(",
        "biomech-id run --mass",
        "table frames: ",
        "summary.json: ",
        "manifest.json: ",
        "calibration.json: ",
    )
    keys = recorded()
    assert [kind for kind in kinds if not any(key.startswith(kind) for key in keys)] == []
    assert keys["biomech_id.results.tables.variables:register_variable"] == "function"
    assert keys["biomech_id.read_folder().frames"] == "attribute"
    assert len(keys) > 2000


def failures(lines: Iterable[str]) -> str:
    """What one fresh process, which follows moved names, cannot import."""
    code = (
        "import sys\n"
        "from tests.contract.api_snapshot import imported\n"
        "for line in sys.stdin.read().split():\n"
        "    try:\n"
        "        imported(line)\n"
        "    except (ImportError, AttributeError) as error:\n"
        "        print(f'{line}: {error}')\n"
    )
    words = [sys.executable, "-c", code]
    return subprocess.run(words, input="\n".join(lines), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_every_import_of_our_pages_still_works() -> None:
    assert failures(promised_imports()) == "", "a row of biomech_id/moved.csv says where it is now"


def test_an_import_that_no_longer_works_is_seen() -> None:
    gone = failures(["biomech_id.signal.filters:LowPass", "biomech_id.signal.filters:Gone", "biomech_id.gone:LowPass"])
    assert [line.partition(": ")[0] for line in gone.splitlines()] == ["biomech_id.signal.filters:Gone", "biomech_id.gone:LowPass"]


@dataclasses.dataclass(frozen=True)
class _Plate:
    name: str
    offset_N: float = 0.0

    @property
    def quiet(self) -> bool:
        return True


_Plate.__module__ = "biomech_id.invented"


def before(values: float, *, cutoff_Hz: float = 6.0, order: int = 4) -> None: ...
def removed(values: float, *, cutoff_Hz: float = 6.0) -> None: ...
def changed(values: float, *, cutoff_Hz: float = 10.0, order: int = 4) -> None: ...
def renamed(values: float, *, cutoff_Hz: float = 6.0, degree: int = 4) -> None: ...
def moved_along(first: float, values: float, *, cutoff_Hz: float = 6.0, order: int = 4) -> None: ...
def demanding(values: float, *, more: float, cutoff_Hz: float = 6.0, order: int = 4) -> None: ...
def added(values: float, *, cutoff_Hz: float = 6.0, order: int = 4, window: float = 0.1) -> None: ...


@pytest.mark.parametrize(
    ("now_is", "sentences"),
    [
        (removed, [r"smooth(order) is gone: keep it for two minor versions, by @deprecated"]),
        (changed, [r"smooth(cutoff_Hz) was 'keyword-only, default 6.0' and is 'keyword-only, default 10.0'"]),
        (renamed, [r"smooth(order) is gone"]),
        (demanding, [r"smooth(more) is new and required: give it a default"]),
        (
            moved_along,
            [
                "smooth(values) was 'positional or keyword 1, required' and is 'positional or keyword 2",
                "smooth(first) is new and required",
            ],
        ),
        (added, []),
        (deprecated("0.2", arguments={"order": "degree"})(renamed), []),
        (deprecated("0.2", "filtered")(before), []),
    ],
    ids=["removed", "default", "renamed", "required", "order", "added", "deprecated argument", "deprecated"],
)
def test_what_would_break_a_caller_is_said(now_is: Callable[..., None], sentences: list[str]) -> None:
    found = broken(dict(described("smooth", before, ())), dict(described("smooth", now_is, ())))
    assert len(found) == len(sentences)
    assert all(sentence in line for sentence, line in zip(sentences, found, strict=True)), found


def test_a_member_a_command_or_a_column_that_went_is_said(now: dict[str, str]) -> None:
    was = dict(described("Plate", _Plate, ()))
    assert was == {
        "Plate": "class",
        "Plate(name)": "positional or keyword 1, required",
        "Plate(offset_N)": "positional or keyword 2, default 0.0",
        "Plate.name": "attribute",
        "Plate.offset_N": "attribute",
        "Plate.quiet": "attribute",
    }
    for key in ("biomech_id.solve", "biomech-id run --mass", "table cycles: percent", "biomech_id.Trial.n_frames"):
        assert [line.partition(" is gone")[0] for line in broken(now, {k: v for k, v in now.items() if k != key})] == [key]


def test_writing_adds_and_never_takes_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(api_snapshot, "SNAPSHOT", tmp_path / "snapshot.txt")
    monkeypatch.setattr(api_snapshot, "IMPORTS", tmp_path / "imports.txt")
    (tmp_path / "imports.txt").write_text("biomech_id.old_room:name\n", encoding="utf-8")
    (tmp_path / "snapshot.txt").write_text("f = function\nf(x) = keyword-only, default 1\n", encoding="utf-8")
    monkeypatch.setattr(api_snapshot, "today", lambda: {"f": "function", "f(x)": "keyword-only, default 2", "g": "function"})
    assert api_snapshot.write([]) == 1
    assert (tmp_path / "snapshot.txt").read_text(encoding="utf-8") == "f = function\nf(x) = keyword-only, default 1\ng = function\n"
    assert "f(x) was" in capsys.readouterr().out
    assert "biomech_id.old_room:name" in (tmp_path / "imports.txt").read_text(encoding="utf-8").split()
    assert api_snapshot.write(["f(x)"]) == 0
    assert "default 2" in (tmp_path / "snapshot.txt").read_text(encoding="utf-8")


def test_imports_are_found_in_code() -> None:
    code = "import biomech_id.a.b as c\nfrom biomech_id.a import d, e\nimport numpy\ndef f():\n    from biomech_id import Trial\n"
    assert imports_of(code) == {"biomech_id.a.b", "biomech_id.a:d", "biomech_id.a:e", "biomech_id:Trial"}
