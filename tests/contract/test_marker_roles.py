"""A laboratory's names for its markers change nothing: what a marker lies on is said by the marker set, and known nowhere else."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.renamed_markers import Session, as_toml, renaming, rewritten
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.judgement.check import check_file
from biomech_id.markersets import MARKER_SETS, load_markerset
from biomech_id.markersets.detect import common_names
from biomech_id.request.recipe import Recipe
from tests.parsed import parsed

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
PACKAGE = ROOT / "biomech_id"
FILES = (DATA / "static.c3d", DATA / "walk01.c3d")
MODELS = ("conventional", "six-dof")


@pytest.fixture(scope="module", params=MODELS)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Session(FILES, Recipe(model=request.param), tmp_path_factory.mktemp("renamed"))


@pytest.mark.parametrize("plates", [True, False], ids=["plates", "no plates"])
@pytest.mark.parametrize(
    "names",
    [
        {"LHEE": "HX", "RHEE": "HY", "LTIB": "LCAL", "RTIB": "RCAL"},
        {"LTOE": "LHEE", "LHEE": "LTOE", "RTIB": "SACR"},
        {"LASI": "RASI", "RASI": "LPSI", "LPSI": "LASI", "LKNE": "RKNE", "RKNE": "LKNE"},
    ],
    ids=["a wand called heel", "a toe called heel", "left called right"],
)
def test_misleading_names_change_no_byte(session: Session, names: dict[str, str], plates: bool) -> None:
    everyone = {label: names.get(label, label) for label in session.labels}
    assert session.differences(everyone, plates=plates) == []


def test_random_names_change_no_byte(session: Session) -> None:
    """A sample; ``benchmarks.studies.renamed_markers`` draws 200 for each model."""
    rng = np.random.default_rng(7)
    drawn = [renaming(session.labels, rng) for _ in range(12)]
    found = [session.differences(names, plates=number % 2 == 0) for number, names in enumerate(drawn)]
    assert found == [[]] * len(drawn)


def test_up_is_where_the_set_says_the_pelvis_is(tmp_path: Path) -> None:
    """Without plates a recording is turned upright by its markers, also when the feet carry the pelvis' names."""
    labels = bid.read_c3d(FILES[0], trust=True).markers.names
    names = dict.fromkeys(labels, "")
    swap = {"ASI": "TOE", "TOE": "ASI", "PSI": "HEE", "HEE": "PSI"}
    names = {label: label[0] + swap.get(label[1:], label[1:]) for label in labels}
    path, ours = tmp_path / "static.c3d", tmp_path / "ours.toml"
    path.write_bytes(rewritten(FILES[0], names, plates=False))
    ours.write_text(as_toml(load_markerset("plug-in-gait"), names), encoding="utf-8")
    upright = bid.read_c3d(path, marker_set=ours).markers
    assert upright.on("L", "asis")[:, 2].min() > 0.5
    assert np.array_equal(upright.position_m, bid.read_c3d(FILES[0]).markers.position_m)
    assert bid.read_c3d(path).markers["LTOE"][:, 2].max() < 0.0  # nobody said so: the names are believed


def test_what_is_missing_is_named_as_the_set_names_it(tmp_path: Path) -> None:
    static = bid.read_c3d(FILES[0], trust=True)
    names = {label: {"LHEE": "HX", "RHEE": "HY"}.get(label, label) for label in static.markers.names}
    path, ours = tmp_path / "static.c3d", tmp_path / "ours.toml"
    path.write_bytes(rewritten(FILES[0], {**names, "LHEE": "Q1"}, plates=True))
    ours.write_text(as_toml(load_markerset("plug-in-gait"), names), encoding="utf-8")
    with pytest.raises(MissingInputError, match=r"lacks the marker HX in static"):
        bid.conventional_model(bid.read_c3d(path, marker_set=ours))
    with pytest.raises(MissingInputError, match=r"lacks the markers LHEE, RHEE in static"):
        bid.conventional_model(bid.read_c3d(path))


def test_the_doctor_looks_at_markers_by_the_set_it_is_told(tmp_path: Path) -> None:
    """Left called right is right, where the set says so; a set that does not exist is refused as such."""
    labels = bid.read_c3d(FILES[0], trust=True).markers.names
    names = {label: {"L": "R", "R": "L"}.get(label[0], label[0]) + label[1:] for label in labels}
    path, ours = tmp_path / "static.c3d", tmp_path / "ours.toml"
    path.write_bytes(rewritten(FILES[0], names, plates=True))
    ours.write_text(as_toml(load_markerset("plug-in-gait"), names), encoding="utf-8")
    assert "sides-swapped" in {finding.rule for finding in check_file(path).findings}
    assert check_file(path, marker_set=ours).findings == check_file(FILES[0]).findings
    with pytest.raises(OptionError, match="no marker set named helen"):
        check_file(path, marker_set="helen")


#: Where a label may stand as a text, and why.
MAY_NAME = {
    "markersets": "the room of marker sets",
    "sample": "the virtual subject wears markers; it shares no code with what it checks",
}
#: A foot model and the residuals of the diagnosis are defined by markers: their names are symbols there, made from roles.
OWN_MARKERS = ("models/oxford_foot/", "judgement/diagnosis/")
#: Texts that are spelt like a label and mean something else.
OTHER_MEANINGS = dict.fromkeys(("HJC", "KJC", "AJC"), "joint centres: columns of tables, and points other software computed")


@cache
def labels() -> frozenset[str]:
    """Every label of a shipped set, with and without its side."""
    sets = [load_markerset(name) for name in MARKER_SETS]
    whole = {label for each in sets for label in (*each.labels, *each.roles.values())}
    whole |= {name.replace("{s}", "L") for names in common_names()["landmarks"].values() for name in names}
    return frozenset(whole | {label[1:] for label in whole if len(label) > 3 and label[0] in "LR"})


def named_labels(source: str) -> set[str]:
    """Labels among the words of a module's texts that are no docstrings."""
    tree = parsed(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    words = {word for text in texts if id(text) not in docstrings for word in re.findall(r"\w+", text.value)}
    return words & (labels() - set(OTHER_MEANINGS))


@pytest.mark.parametrize("room", sorted({p.relative_to(PACKAGE).parts[0] for p in PACKAGE.rglob("*.py")} - set(MAY_NAME)))
def test_no_marker_label_stands_outside_the_marker_sets(room: str) -> None:
    modules = [PACKAGE / room] if room.endswith(".py") else sorted((PACKAGE / room).rglob("*.py"))
    modules = [module for module in modules if not module.relative_to(PACKAGE).as_posix().startswith(OWN_MARKERS)]
    found = {str(path.relative_to(PACKAGE)): named_labels(path.read_text(encoding="utf-8")) for path in modules}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "code", ['x = markers["LHEE"]', 'x = markers[f"{side}TIB"]', 'NAMES = ("CAL", "CALC")', 're.compile("psi|SACR")']
)
def test_the_rule_catches_a_label(code: str) -> None:
    assert named_labels(f'"""LHEE is fine here."""\n{code}')
