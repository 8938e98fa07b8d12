"""The report that goes into the hospital's record: who signed stands on it, and nobody can put it on another report."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pypdf
import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.desk.versions import CHAIN_FILE, Signature, sign, signatures_of

ROOT = Path(__file__).resolve().parents[3]
#: Every test draws whole reports; what is quick of it is with the report's own tests.
pytestmark = pytest.mark.slow
NO_BANDS = "[output]\nbudget = false\nuncertainty = false\n"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("signed")
    (home / "walks").mkdir()
    for name in ("static", "walk01"):
        shutil.copy(ROOT / "data" / f"{name}.c3d", home / "walks")
    (home / "recipe.toml").write_text(NO_BANDS, encoding="utf-8")
    assert run("run", home / "walks", "-o", home / "results", "--recipe", home / "recipe.toml").exit_code == 0
    return home / "results"


@pytest.fixture
def visit(results: Path, tmp_path: Path) -> Iterator[Path]:
    """A desk's folder of a visit, signed once."""
    shutil.copytree(results, tmp_path / "visit" / "results")
    signed_by("Dr. A. Example", tmp_path / "visit")
    yield tmp_path / "visit"
    for path in (tmp_path / "visit").rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def signed_by(name: str, visit: Path) -> Signature:
    return sign(visit, name=name, role="physician", statement="seen", seen=["all"])


def drawn(visit: Path, *more: object) -> tuple[Result, Path]:
    file = visit.parent / "paper.pdf"
    chain = visit / "versions" / CHAIN_FILE
    return run("report", visit / "results", "-o", file, "--signature", chain, *more), file


def test_every_page_says_who_signed_and_page_1_in_the_place_for_it(visit: Path) -> None:
    before = content(visit)
    done, file = drawn(visit)
    assert done.exit_code == 0, done.output
    assert content(visit) == before
    entry = signatures_of(visit / "versions")[0]
    minute = str(entry.values["time"])[:16].replace("T", " ")
    pages = [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(file).pages]
    line = f"Signed by Dr. A. Example, physician, {minute} · check code {entry.sha256[:12]}"
    assert len(pages) > 5
    assert [page.count(line) for page in pages] == [1] * len(pages)
    unsigned = [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(visit / "results" / "report.pdf").pages]
    assert "Name, role, date" in unsigned[0]
    assert f"{minute}, Dr. A. Example, physician" in pages[0].replace(line, "")
    assert "Name, role, date" not in pages[0]


def test_a_later_version_says_which_one_it_replaces(visit: Path) -> None:
    first = signatures_of(visit / "versions")[0].values["time"]
    signed_by("B. Other", visit)
    # Two entries of the same results: whoever signed last stands on the paper.
    done, file = drawn(visit)
    assert done.exit_code == 0, done.output
    text = " ".join(pypdf.PdfReader(file).pages[0].extract_text().split())
    assert "Signed by B. Other" in text
    assert f"replaces version 1 of {str(first)[:16].replace('T', ' ')}" in text


def test_no_other_report_is_given_a_signature(visit: Path) -> None:
    (visit.parent / "lab.toml").write_text('language = "de"\n', encoding="utf-8")
    done, file = drawn(visit, "--style", visit.parent / "lab.toml")
    assert done.exit_code == 1
    assert "another report than the one that Dr. A. Example signed" in " ".join(done.output.split())
    assert not file.exists()


def test_results_that_nobody_signed_are_refused(visit: Path) -> None:
    manifest = visit / "results" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    done, file = drawn(visit)
    assert done.exit_code == 1
    assert "signs no results with the manifest of" in " ".join(done.output.split())
    assert not file.exists()


def test_signatures_that_are_not_there_are_named(visit: Path) -> None:
    """Beside the file that is to be written, where a wrong name looks for them."""
    missing = visit.parent / "signature.toml"
    done = run("report", visit / "results", "-o", visit.parent / "paper.pdf", "--signature", missing)
    assert done.exit_code == 1
    assert "There is no file" in done.output
    assert missing.name in done.output


def test_a_chain_that_does_not_hold_signs_nothing(visit: Path) -> None:
    chain = visit / "versions" / CHAIN_FILE
    chain.write_text(chain.read_text(encoding="utf-8").replace("Dr. A. Example", "Dr. B. Forger"), encoding="utf-8")
    done, file = drawn(visit)
    assert done.exit_code == 1
    assert "Dr. B. Forger" in done.output
    assert not file.exists()


def test_neither_results_nor_signed_versions_are_written_over(visit: Path) -> None:
    before = content(visit)
    chain = visit / "versions" / CHAIN_FILE
    for file in (visit / "results" / "report.pdf", visit / "versions" / "1" / "report.pdf"):
        done = run("report", visit / "results", "-o", file, "--signature", chain)
        assert done.exit_code in (1, 2)
        assert "lies among the" in " ".join(done.output.replace("│", " ").split())
        assert content(visit) == before


@pytest.mark.parametrize("words", [(), ("-o", "x.pdf", "--appendix"), ("-o", "x.pdf", "--figures", "x")])
def test_a_signature_needs_a_file_of_its_own(visit: Path, words: tuple[str, ...]) -> None:
    done = run("report", visit / "results", "--signature", visit / "versions" / CHAIN_FILE, *words)
    assert done.exit_code == 2
    assert "--signature needs -o" in " ".join(done.output.split())


def test_without_a_signature_the_report_is_written_elsewhere_with_the_same_bytes(visit: Path) -> None:
    before = content(visit)
    done = run("report", visit / "results", "-o", visit.parent / "again.pdf")
    assert done.exit_code == 0, done.output
    assert (visit.parent / "again.pdf").read_bytes() == (visit / "results" / "report.pdf").read_bytes()
    assert content(visit) == before
