"""Where test data comes from, and which suite a test belongs to.

Real recordings and reference numbers lie beside the project, in ``../shared`` or where ``BIOMECH_ID_SHARED`` points. Whoever does
not have them gets an honest skip; continuous integration (``CI=true``) gets a failure instead, so that nothing is skipped there.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from biomech_id.pipeline.threads import VARIABLES

# As the command line does, and before any test loads numpy: tests compare results of this process with those of others.
for variable in VARIABLES:
    os.environ.setdefault(variable, "1")
# Hundreds of programs that tests start would each compile the whole library again (a third of the time of a short run).
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

ROOT = Path(__file__).resolve().parents[1]
SUITES = {"real", "peers"}
#: Files that take more than half a minute, the longest first; whatever has few tests and is not named here comes last.
LONGEST = (
    "contract/test_same_numbers.py", "contract/test_study.py", "real/test_norms_of_three_kinds.py", "contract/test_extending.py",
    "contract/test_gallery.py", "contract/test_user_guide.py", "test_wheel.py", "unit/report/test_counts_of_patterns.py",
    "peers/test_desk_morning.py", "real/test_fit_person.py", "real/test_run_children.py", "contract/test_models.py",
    "physics/test_gait_causes.py", "unit/judgement/test_plausibility.py", "peers/test_review_page.py",
    "contract/test_help_examples.py", "physics/test_rolling.py", "unit/report/test_refused_comparisons.py",
    "real/test_silent_plates.py", "peers/test_lab_pipeline.py", "unit/report/test_report_pdf.py", "real/test_first_page_numbers.py",
    "real/test_check_cures.py", "contract/test_first_version_results.py", "contract/test_command_line.py",
    "real/test_report_of_recordings.py", "unit/report/test_page_registry.py", "unit/report/test_reference_report.py",
    "real/test_fuzz_c3d.py", "real/test_no_false_sentence.py", "contract/test_one_truth.py", "contract/test_toy_language.py",
    "real/test_comparison_numbers.py", "real/test_study_of_children.py", "real/test_renamed_markers.py",
    "peers/test_desk_laboratory.py", "contract/test_reproduce.py", "physics/test_running.py",
)  # fmt: skip


#: Lines of a page's contents that draw a path or choose a colour: nine tenths of them, and nothing of the text.
NO_TEXT = re.compile(rb"^[-\d. ]*\b(?:m|l|c|v|y|re|w|i|J|j|M|rg|RG|g|G|S|s|f|B|b|n|h|W n)\n", re.MULTILINE)


def text_alone(page: Any) -> Any:
    """A page's copy without what it draws, for its text: whole reports are read hundreds of times."""
    from pypdf import PageObject
    from pypdf.generic import DecodedStreamObject, NameObject

    copy, contents = PageObject(page.pdf, page.indirect_reference), DecodedStreamObject()
    contents.set_data(NO_TEXT.sub(b"", page.get_contents().get_data()))
    copy.update(page)
    copy[NameObject("/Contents")] = contents
    return copy


with suppress(ImportError):  # without pypdf no test reads a page
    import pypdf

    whole_text = pypdf.PageObject.extract_text

    @wraps(whole_text)
    def extract_text(page: Any, *words: Any, **options: Any) -> str:
        return whole_text(text_alone(page), *words, **options)

    pypdf.PageObject.extract_text = extract_text


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Rooms whose every test the asked-for marks leave out are not imported: two thirds of what collecting takes."""
    room = collection_path.name
    left_out = room in SUITES and f"and not {room}" in config.option.markexpr
    return True if left_out and collection_path.parent == ROOT / "tests" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark the suites, and put the longest files first, that no worker begins one when the other has nothing left to do."""
    tests = ROOT / "tests"
    # Of thousands of tests, and some hundreds of files.
    rooms = {path: path.resolve().relative_to(tests).parts[0] for path in {item.path for item in items}}
    for item in items:
        if rooms[item.path] in SUITES:
            item.add_marker(rooms[item.path])
    yield
    places = {tests / file: place for place, file in enumerate(LONGEST)}
    if gone := [str(path) for path in places if not path.is_file()]:
        raise pytest.UsageError(f"LONGEST names files that are gone: {', '.join(gone)}")
    many = Counter(item.path for item in items)
    items.sort(key=lambda item: (places.get(item.path, len(places)), -many[item.path]))


def pytest_collection_finish() -> None:
    """What was collected lives to the end: Python's collector of cycles need not walk it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with real recordings and reference numbers."""
    folder = Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    if not (folder / "c3d" / "facts.json").is_file():
        reason = f"no recordings beside the project (looked in {folder}); set BIOMECH_ID_SHARED"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def c3d_dir(shared_dir: Path) -> Path:
    """The folder with real C3D files."""
    return shared_dir / "c3d"


@pytest.fixture(scope="session")
def reference(shared_dir: Path) -> Any:
    """Loader of reference numbers: ``reference("chain3d")``."""

    def load(name: str) -> Any:
        return json.loads((shared_dir / "reference" / f"ref_{name}.json").read_text(encoding="utf-8"))

    return load


@pytest.fixture(scope="session")
def first_version() -> Iterator[Path]:
    """The first version's program, taken from the project's history; a copy without history skips what needs it."""
    from benchmarks.before import NoHistoryError, checkout

    try:
        with checkout() as folder:
            yield folder
    except NoHistoryError as error:
        pytest.skip(str(error))


@pytest.fixture
def no_mirror_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for a mirrored plate takes most of the analysis of a walk with a faulty one; `contract/test_repairs` is about it."""
    monkeypatch.setattr("biomech_id.pipeline.stage.judgement.plate_repairs", lambda movements: ())
