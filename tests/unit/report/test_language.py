"""A German report is German: every word of the PDF is in a German table, or is the recording's own, a command or a citation."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

import biomech_id
from biomech_id.interpretation.rules import shipped_rules
from biomech_id.languages import LANGUAGES
from biomech_id.report.book import page_names, session_pages
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.panels.labelled_values import method_words
from biomech_id.report.panels.norm import with_norm
from biomech_id.session.tables.session_tables import Tables

pytestmark = pytest.mark.slow

WORD = re.compile(r"[A-Za-zÄÖÜäöüß]{2,}")
#: What no language changes: units, names of programs, of columns of the tables, and of the muscles (Latin).
NAMES = {
    "mm", "ms", "kg", "cm", "hz", "biomech", "id", "python", "ezc", "numpy", "pandas", "scipy", "matplotlib", "pc", "wadc", "tr",
    "min", "stance", "swing", "isb", "csv", "toml", "out", "norm",
}  # fmt: skip
LATIN = {
    "rectus", "femoris", "tibialis", "anterior", "posterior", "gastrocnemius", "medialis", "lateralis", "soleus", "biceps",
    "vastus",
}  # fmt: skip

#: Words of both languages, commands, settings and their values, names of people and programs: whatever else stands in both tables
#: was left in English.
IN_BOTH = set(
    """
    diagnose diagnosis ank thi synchronisation toe sacr film hee tib kne asi
    lab summary exponent forces muscle nm passive reserve alarm ln loses operation signals treatment
    actual al also always amplitude an analog analyse analysis applied arm auto axis baker band bandwidth biomech block body
    budget bw byte bytes cavagna cc centre channels check clang clinic clinical cm cmc code copy crawford csv cutoff davis
    delay deviations diameter diff dir distal donelan drift emg et euler event exclude export fall falls false family female
    femoris field filter flat flexion foot frontal froude functional gain gait gaitutils gastrocnemius gcc gl gps grood
    hampel hand hash herr hip hof howell hz id impulse impulses in index install inverse jensen json kadaba kg kind kinetics
    knee labels language large last lateral log male manager manifest map marker markers markerset mass max md medial median
    min minus mix mm model moment moments movement ms name nan newton norm normal offset offsets opensim out parameter patient
    parameters parity parquet peaks pedotti person phase pip plantar plate plates point positive posture privacy profile
    proximal psoas pyarrow pycgm python rate raw readme rectus regression relative repair report rest review rms rotation
    run sagittal scale schwartz winters score scores sd segment segments sem set sex sha shift signal so software soleus source
    spatiotemporal spline splines stances stand start static still strike study subject suntay system tables test text to
    toml torsion trial trials trochanter types uncertainty units variable varus version vicon video walk was what whole xx
    yy zz add changes dors flex rot hallux hindfoot mean mma no one oxford pca placement pseudonym tibia true will yes
    alta anterior ashworth brevis digitorum gmfcs hallucis longus mrc ober patella peroneus posterior surae tertius thomas
    tibialis triceps examiner
    """.split()  # noqa: SIM905
)


#: Directions and muscles' actions, by the same Latin words in both languages.
ACTIONS = set(
    """
    axial dorsal eversion evertor extension extensor flexor inversion invertor plantarflexion plantarflexor pronation pronator
    radial supination supinator ulnar valgus
    """.split()  # noqa: SIM905
)


def words_of(texts: Iterable[object]) -> set[str]:
    """Words without what is filled in and without options, which are typed."""
    return {word.lower() for text in texts for word in WORD.findall(re.sub(r"\{[^}]*\}|--[a-z-]+", " ", str(text)))}


def leaves(table: object, *, without: tuple[str, ...] = ()) -> Iterator[object]:
    if isinstance(table, dict):
        for key, value in table.items():
            if key not in without:
                yield from leaves(value, without=without)
    elif isinstance(table, (list, tuple)):
        for value in table:
            yield from leaves(value, without=without)
    else:
        yield table


def table_words(language: str, *, without: tuple[str, ...] = ()) -> set[str]:
    files = [LANGUAGES[language] / "report.toml", *(LANGUAGES[language] / "sentences").glob("*.toml")]
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return words_of(leaf for table in tables for leaf in leaves(table, without=without))


def german_words() -> set[str]:
    return table_words("de")


def test_the_german_tables_hold_no_english() -> None:
    """What ``of`` names is a value's name, and nobody reads it."""
    english_in_german = (table_words("de", without=("of",)) & table_words("en", without=("of",))) - IN_BOTH - ACTIONS
    assert english_in_german == set()


def own_words(tables: Tables) -> set[str]:
    """Of the recording: names of files, trials and channels; what was typed; where numbers were read; citations."""
    summary, calibration = tables.summary, tables.calibration
    texts = [
        shipped_rules().version,
        summary["subject"],
        tables.manifest,
        [trial["name"] + " " + trial["file"] for trial in summary["trials"]],
    ]
    texts += [summary["subject"].get("sources"), tables.manifest.get("command")]
    texts += [[segment.get("citation") for segment in calibration.get("segments", {}).values()]]
    if tables.channels is not None:
        texts.append(tables.channels["label"].tolist())
    texts += [side.get("segments", {}) for side in calibration.get("sides", {}).values()]
    return words_of(leaf for text in texts for leaf in leaves(text)) | words_of(calibration.get("sides", {}).get("L", {}))


def texts_of(tables: Tables, style: Style) -> Iterator[str]:
    scored, norm = with_norm(None, tables)
    with mpl.rc_context(style.rc):
        for page in session_pages(scored, style, norm, page_names()):
            yield page.title
            for text in [*page.figure.texts, *(text for axes in page.figure.axes for text in axes.texts)]:
                yield text.get_text()


def strange(texts: Iterable[str], known: set[str]) -> dict[str, str]:
    """Word -> the text it stands in, of words that nobody knows; hyphenation and hashes left out."""
    found = {}
    for text in texts:
        if re.fullmatch(r"[0-9a-f ]{16,}.*", text.strip()):
            continue
        for word in WORD.findall(re.sub(r"\w+…", "", text)):  # words that a narrow place cuts off
            if word.lower() not in known:
                found.setdefault(word, text)
    return found


@pytest.fixture(scope="module")
def virtual() -> Tables:
    return biomech_id.analyse(Path(__file__).parents[3] / "data").tables()


@pytest.fixture(scope="module")
def german(virtual: Tables) -> list[str]:
    return list(texts_of(virtual, load_style(language="de")))


@pytest.fixture(scope="module")
def english(virtual: Tables) -> list[str]:
    return list(texts_of(virtual, load_style()))


@pytest.fixture(scope="module")
def known(virtual: Tables) -> set[str]:
    style = load_style(language="de")
    cited = words_of(
        method_words(str(leaf), style) for leaf in leaves(virtual.calibration) if re.search(" (19|20)[0-9]{2}", str(leaf))
    )
    # "plate 1" is what the library calls a plate, not the file; the manifest's names of settings are in no page.
    return (german_words() | own_words(virtual) | NAMES | LATIN | cited) - {"plate", "plates"}


def test_a_german_report_has_no_word_that_is_not_german(german: list[str], known: set[str]) -> None:
    assert strange(german, known) == {}


def test_an_english_word_would_be_seen(english: list[str], known: set[str]) -> None:
    """The same test on the English report finds hundreds of words: what is known is not simply everything."""
    assert len(strange(english, known)) > 200


#: A number with a decimal point that is no version (1.2.3), file, or place in a book.
POINT = re.compile(r"(?<![\w./:-])[−+±-]?\d+\.\d+(?![\w.])")


def test_a_german_report_has_no_decimal_point(german: list[str], english: list[str]) -> None:
    cited = re.compile(r"table 4\.1|ezc3d|numpy")
    assert [text for text in german if POINT.search(text) and not cited.search(text)] == []
    assert len([text for text in english if POINT.search(text)]) > 300
