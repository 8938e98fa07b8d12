"""Everything that a session leaves behind stays what it was at the base commit, to the byte, and the first version's numbers stay
what they were, but for the named exceptions (`benchmarks.same_results`).

The earlier programs are taken from the project's history and run beside this one on the same recordings, so that nothing depends on
the machine. A copy without history skips and says so. Of the first version only the tables of numbers and the calibration are
compared: verdicts, sentences and pages have become others since.
"""

from __future__ import annotations

import base64
import gzip
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pypdf
import pytest

from benchmarks import same_results
from benchmarks.before import FIRST_VERSION, ROOT, NoHistoryError, program, server
from benchmarks.differences import Difference, differences, numbers
from benchmarks.same_results import BASE, QUICK, SESSIONS, Changed, leave_now, numbers_since, since, stale, unexplained
from benchmarks.studies import same_numbers as study

pytestmark = pytest.mark.slow
VIRTUAL = [name for name in SESSIONS if name.startswith("virtual")]
RECORDED = [name for name in QUICK if name not in VIRTUAL]


def unlike(found: dict[str, list[str]], version: str) -> list[str]:
    """Lines that no exception explains, and exceptions for these sessions that explain nothing."""
    return unexplained(found, version) + stale(found, version)


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this tree's results of a session are looked for, and left by whoever needs them first; nobody changes them."""
    return tmp_path_factory.mktemp("now")


@pytest.mark.parametrize("name", VIRTUAL)
def test_the_virtual_subject_is_as_in_the_first_version(first_version: Path, name: str, now: Path) -> None:
    assert unlike(numbers_since(first_version, [name], now=now), FIRST_VERSION) == []


@pytest.mark.real
def test_children_are_as_in_the_first_version(first_version: Path, shared_dir: Path, tmp_path: Path) -> None:
    """Their markers are smooth: the first version left the plates alone, as the recipe can still ask for and vicon kinetics do."""
    children = sorted(path.name for path in (shared_dir / "c3d" / "children").glob("*/"))
    assert children
    raw = tmp_path / "raw.toml"
    raw.write_text('[filter]\nplate_cutoff_hz = "raw"\n[output]\nreport = false\n', encoding="utf-8")
    found = numbers_since(first_version, children, ["--recipe", str(raw)])
    # Where the marker set is named, no further markers help to follow segments.
    named = tmp_path / "named.toml"
    named.write_text(raw.read_text(encoding="utf-8") + '[model]\nmarker_set = "plug-in-gait-sacrum"\n', encoding="utf-8")
    found |= numbers_since(first_version, [f"{children[0]}-six-dof"], ["--recipe", str(named)])
    found |= numbers_since(first_version, [f"{children[0]}-vicon"])
    assert len(found) == len(children) + 2
    assert unlike(found, FIRST_VERSION) == []


def changed_since_base(names: Sequence[str], now: Path) -> dict[str, list[Difference]]:
    try:
        return since(BASE, names, same_results.kept(), now)
    except NoHistoryError as error:
        pytest.skip(str(error))


def changed_lines(found: Mapping[str, Sequence[Difference]]) -> dict[str, list[str]]:
    """What is gone or otherwise; what was added is not asked for."""
    return {name: [each.line for each in lines if not each.added] for name, lines in found.items()}


@pytest.fixture(scope="module")
def virtual(now: Path) -> dict[str, list[Difference]]:
    return changed_since_base(VIRTUAL, now)


@pytest.fixture(scope="module")
def recorded(shared_dir: Path, now: Path) -> dict[str, list[Difference]]:
    return changed_since_base(RECORDED, now)


@pytest.mark.parametrize("name", VIRTUAL)
def test_the_virtual_subject_is_as_at_the_base(virtual: dict[str, list[Difference]], name: str) -> None:
    assert unexplained(changed_lines({name: virtual[name]}), BASE) == []


@pytest.mark.real
@pytest.mark.parametrize("name", RECORDED)
def test_recordings_are_as_at_the_base(recorded: dict[str, list[Difference]], name: str) -> None:
    assert unexplained(changed_lines({name: recorded[name]}), BASE) == []


@pytest.mark.real
def test_the_study_of_all_sessions_says_the_same(
    virtual: dict[str, list[Difference]], recorded: dict[str, list[Difference]]
) -> None:
    """All others are compared by ``benchmarks.studies.same_numbers``, whose table has no line that nothing explains."""
    table = study.TABLE.read_text(encoding="utf-8")
    written = {
        name: tuple(map(int, counts.split(" | ")))
        for name, counts in re.findall(r"^\| (\S+) \| (\d+ \| \d+ \| \d+) \|$", table, re.M)
    }
    assert set(written) == set(SESSIONS)
    assert {unlike for _, unlike, _ in written.values()} == {0}
    assert "Exceptions that explain nothing: none." in table
    here = study.rows(virtual | recorded)
    assert {name: unlike for name, (_, unlike, _) in here.items()} == {name: written[name][1] for name in here}


@pytest.mark.parametrize("words", [["--version"], ["check", "nowhere"]])
def test_the_server_of_commands_answers_as_the_program_does(words: list[str], tmp_path: Path) -> None:
    one, other = server(ROOT).run(words, tmp_path), program(ROOT, words, tmp_path)
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert one.stdout + one.stderr


@pytest.mark.real
def test_every_session_has_its_recordings(shared_dir: Path) -> None:
    assert [name for name, session in SESSIONS.items() if not session.there] == []
    assert set(QUICK) <= set(SESSIONS)


@pytest.fixture(scope="module")
def results(now: Path) -> Path:
    return leave_now(now / "virtual")


def next_digit(text: str, pattern: str) -> str:
    """The text with the last digit that a pattern finds changed by one."""
    at = max(found.start(1) for found in re.finditer(pattern, text))
    return text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]


def of_text(pattern: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(next_digit(path.read_text(encoding="utf-8"), pattern), encoding="utf-8", newline="")


def of_an_array(path: Path) -> None:
    with np.load(path) as file:
        arrays = dict(file)
    markers = arrays["marker_lab_m"]
    markers[7, 1, 2] = np.nextafter(markers[7, 1, 2], np.float32(9.0))
    np.savez(path, **arrays)


def of_a_page(path: Path) -> None:
    """One digit of a text; a digit is a letter of two bytes, set by itself."""
    writer = pypdf.PdfWriter(clone_from=path)
    contents = writer.pages[3]["/Contents"].get_object()
    drawn = contents.get_data()
    found = [*re.finditer(rb"\(\x00([0-8])\)", drawn)][-1]
    contents.set_data(drawn[: found.start(1)] + str(int(found[1]) + 1).encode() + drawn[found.end(1) :])
    writer.write(path)


def of_a_line(path: Path) -> None:
    """A curve of the report, one place of a thousandth of a point on."""
    writer = pypdf.PdfWriter(clone_from=path)
    contents = writer.pages[6]["/Contents"].get_object()
    contents.set_data(next_digit(contents.get_data().decode("latin-1"), r"\d+\.\d*(\d) \d+\.\d+ l\n").encode("latin-1"))
    writer.write(path)


def of_a_block(path: Path) -> None:
    """A curve of the review page."""
    text = path.read_text(encoding="utf-8")
    found = next(re.finditer(r'<script type="text/plain" id="(\w+)">(.*?)</script>', text, re.DOTALL))
    block = bytearray(gzip.decompress(base64.b85decode(found[2].translate(str.maketrans(",./", "<>&")))))
    block[len(block) // 2] ^= 1
    packed = base64.b85encode(gzip.compress(bytes(block), mtime=0)).decode("ascii").translate(str.maketrans("<>&", ",./"))
    path.write_text(text[: found.start(2)] + packed + text[found.end(2) :], encoding="utf-8")


ONE_DIGIT: dict[str, tuple[str, Callable[[Path], None]]] = {
    **{
        f"{table}.csv": (f"out/{table}.csv", of_text(r"(\d)"))
        for table in (
            "peaks", "budget", "cycles", "trials/walk01", "emg", "emg_raw", "emg_activity", "emg_pairs", "channels", "quality",
            "spatiotemporal", "uncertainty",
        )
    },
    # In a file of words many digits are of words: one that ends a line is of a number.
    "calibration.json": ("out/calibration.json", of_text(r"(\d),?\n")),
    "summary.json": ("out/summary.json", of_text(r"(\d),?\n")),
    "a hash of the manifest's inputs": ("out/manifest.json", of_text(r'walk03.c3d": "[0-9a-f]*(\d)[a-f]*"')),
    "stances.csv": ("out/stances.csv", of_text(r"\.\d*(\d),")),
    "replay": ("out/replay/walk01.npz", of_an_array),
    "a digit of the report": ("out/report.pdf", of_a_page),
    "a curve of the report": ("out/report.pdf", of_a_line),
    "review page": ("review.html", of_text(r'"mass_kg":\d*(\d)')),
    "a curve of the review page": ("review.html", of_a_block),
    "check --json": ("check.jsonl", of_text(r"(\d)[,}\]]")),
    "exit code": ("said.json", of_text(r'"exit_code": (\d)')),
    "a sentence of run": ("said.json", of_text(r"(\d) accepted")),
}  # fmt: skip


@pytest.fixture(scope="module")
def changed(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed") / "virtual"
    shutil.copytree(results, folder)
    assert differences(results, folder) == []
    return folder


@pytest.mark.parametrize("kind", ONE_DIGIT)
def test_one_changed_digit_is_seen(results: Path, changed: Path, kind: str) -> None:
    file, change = ONE_DIGIT[kind]
    try:
        change(changed / file)
        found = differences(results, changed)
        assert [(each.line.partition(" ")[0].rstrip(":"), each.added) for each in found] == [(file, False)]
    finally:
        shutil.copyfile(results / file, changed / file)


@pytest.mark.parametrize("file", ["peaks.csv", "budget.csv", "calibration.json", "trials/walk01.csv"])
def test_one_changed_digit_of_the_numbers_is_seen(results: Path, changed: Path, file: str) -> None:
    of_text(r"(\d),?\n" if file.endswith(".json") else r"(\d)")(changed / "out" / file)
    try:
        found = numbers(results / "out", changed / "out")
        assert [line.partition(" ")[0] for line in found] == [file]
    finally:
        shutil.copyfile(results / "out" / file, changed / "out" / file)


def test_a_file_that_is_gone_is_seen_and_one_that_is_new_is_listed(results: Path, changed: Path) -> None:
    (changed / "out" / "quality.csv").rename(changed / "out" / "verdicts.csv")
    try:
        found = differences(results, changed)
        assert found == [Difference("out/quality.csv: not there"), Difference("out/verdicts.csv: new file", added=True)]
    finally:
        (changed / "out" / "verdicts.csv").rename(changed / "out" / "quality.csv")


def test_rows_that_come_or_go_are_named(results: Path, changed: Path) -> None:
    table = changed / "out" / "spatiotemporal.csv"
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    trial, side, cycle, parameter = rows[-1].split(",")[:4]
    table.write_text("\n".join([header, *rows[:-1]]) + "\n", encoding="utf-8")
    try:
        gone, back = numbers(results / "out", changed / "out"), numbers(changed / "out", results / "out")
        assert len(gone) == len(back) == 1
        assert gone[0].startswith(f"spatiotemporal.csv {trial} {side} {cycle} {parameter}: ")
        assert [each.line for each in differences(results / "out", changed / "out")] == gone
    finally:
        shutil.copyfile(results / "out" / "spatiotemporal.csv", table)


def test_what_no_exception_explains_is_left_and_what_explains_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (
        Changed(BASE, "HC*/cycles.csv * L 2 *", "case 1: refused"),
        Changed(BASE, "HC*/peaks.csv *", "case 2: not needed"),
        Changed(FIRST_VERSION, "HC*/cycles.csv *", "another version's"),
    )
    monkeypatch.setattr(same_results, "EXCEPTIONS", rows)
    found = {"HC001": ["cycles.csv walk L 2 HipMoment X: 1 -> 2", "cycles.csv walk R 1 HipMoment X: 1 -> 2"], "HC002": []}
    assert unlike(found, BASE) == ["HC001/cycles.csv walk R 1 HipMoment X: 1 -> 2", "no longer needed: HC*/peaks.csv *"]
