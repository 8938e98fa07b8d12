"""What the comparison of two versions calls a difference, an addition, and neither: on small files written here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.differences import Difference, differences
from benchmarks.pages import without_version

CYCLES = """trial,side,cycle,percent,variable,component,value
walk,L,1,0,HipAngles,X,1
walk,L,1,1,HipAngles,X,2
walk,R,1,0,HipAngles,X,3
"""
SUMMARY = '{"version": "1", "trials": [{"name": "walk", "findings": [], "speed": 1.25}], "mass_kg": 70}'
MANIFEST = '{"version": "1", "python": "3", "outputs": {"a.csv": "12", "b.csv": "34"}, "inputs": {"walk.c3d": "56"}}'
STORAGE = "Coordinates\nversion=1\ninDegrees=yes\nendheader\ntime\tknee\n0.00000000\t10.00000000\n0.01000000\t20.00000000\n"
MODEL = "<Body>\n  <mass>9.75</mass>\n  <mass_center>0 -0.1 1e-17</mass_center>\n</Body>\n"


def compared(tmp_path: Path, name: str, before: str, after: str, relative: float = 0.0) -> list[Difference]:
    for folder, text in (("before", before), ("after", after)):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return differences(tmp_path / "before", tmp_path / "after", relative)


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "expected"),
    [
        ("cycles.csv", CYCLES, "X,2", "X,4", " walk L 1 HipAngles X: '2' -> '4', 1 of 2 differ"),
        ("cycles.csv", CYCLES, "X,2\n", "X,2.0\n", " walk L 1 HipAngles X: '2' -> '2.0', 1 of 2 differ"),
        ("cycles.csv", CYCLES, "walk,R,1,0,HipAngles,X,3\n", "", " walk R 1 HipAngles X: ('0', '3') -> 'nothing', 1 of 1 differ"),
        ("cycles.csv", CYCLES, "walk,L,1", "walk,L,3", " walk L 1 HipAngles X: ('0', '1') -> 'nothing', 2 of 2 differ"),
        ("cycles.csv", CYCLES, "value", "amount", " value: no such column"),
        ("cycles.csv", CYCLES, "trial,side", "side,trial", ": columns in another order"),
        ("cycles.csv", CYCLES, CYCLES, CYCLES.replace("\n", "\r\n"), ": other bytes from 49 of 125"),
        ("trials/walk.csv", CYCLES, "X,2", "X,4", " value: '2' -> '4', 1 of 3 differ"),
        ("summary.json", SUMMARY, "1.25", "1.250", " .trials[0].speed: 1.25 -> 1.250"),
        ("summary.json", SUMMARY, "70", '"70"', " .mass_kg: '70' -> '70'"),
        ("summary.json", SUMMARY, "[]", '["new"]', " .trials[0].findings: 0 entries -> 1"),
        ("summary.json", SUMMARY, ', "mass_kg": 70', "", " .mass_kg: no such key"),
        ("summary.json", SUMMARY, '"walk"', "null", " .trials[0].name: 'walk' -> None"),
        ("calibration.json", SUMMARY, ": [{", ":  [{", ": other bytes from 27 of 92"),
        ("manifest.json", MANIFEST, "56", "57", " .inputs.walk.c3d: '56' -> '57'"),
        ("manifest.json", MANIFEST, ', "b.csv": "34"', "", " .outputs.b.csv: no such key"),
        ("check.jsonl", SUMMARY, "70", "71", " [0].mass_kg: 70 -> 71"),
        ("id.sto", STORAGE, "20.0", "20.1", " knee: '20.00000000' -> '20.10000000', 1 of 2 differ"),
        ("id.sto", STORAGE, "yes", "no", " line 3: 'inDegrees=yes' -> 'inDegrees=no'"),
        ("model.osim", MODEL, "9.75", "9.76", " line 2: '<mass>9.75</mass>' -> '<mass>9.76</mass>'"),
        ("notes.txt", "a", "a", "b", ": other bytes from 0 of 1"),
    ],
)  # fmt: skip
def test_a_change_is_named(tmp_path: Path, name: str, text: str, old: str, new: str, expected: str) -> None:
    changed = text.replace(old, new)
    assert changed != text
    assert [each.line for each in compared(tmp_path, name, text, changed) if not each.added][:1] == [f"{name}{expected}"]


def test_rows_in_another_order_are_a_change(tmp_path: Path) -> None:
    head, *rows = CYCLES.splitlines()
    moved = "\n".join([head, rows[2], rows[0], rows[1], ""])
    assert compared(tmp_path, "cycles.csv", CYCLES, moved) == [Difference("cycles.csv: rows in another order")]


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "expected"),
    [
        ("cycles.csv", CYCLES, "\n", ",9\n", " 9: new column"),
        ("cycles.csv", CYCLES, "X,3\n", "X,3\nwalk,R,1,0,HeadAngles,X,3\n", " variable HeadAngles: new rows"),
        ("summary.json", SUMMARY, ": 70", ': 70, "height_m": 1.8', " .height_m: new key"),
        ("summary.json", SUMMARY, '"speed"', '"cadence": 1, "speed"', " .trials[0].cadence: new key"),
        ("id.sto", STORAGE, STORAGE, STORAGE.replace("knee", "knee\thip").replace("00\n", "00\t1\n"), " hip: new column"),
    ],
)  # fmt: skip
def test_what_is_only_added_is_listed_as_that(tmp_path: Path, name: str, text: str, old: str, new: str, expected: str) -> None:
    changed = text.replace(old, new)
    assert changed != text
    assert compared(tmp_path, name, text, changed) == [Difference(f"{name}{expected}", added=True)]


def test_what_follows_from_the_version_is_no_difference(tmp_path: Path) -> None:
    assert compared(tmp_path, "summary.json", SUMMARY, SUMMARY.replace('"1"', '"2"')) == []
    later = MANIFEST.replace('"1"', '"2"').replace('"3"', '"4"').replace("12", "13")
    assert compared(tmp_path, "manifest.json", MANIFEST, later) == []


def test_whose_an_output_is_hangs_on_where_its_setup_lies_and_is_no_difference(tmp_path: Path) -> None:
    mark = "written by biomech-id opensim-run " + "0" * 64
    marked = STORAGE.replace("endheader", f"{mark}\nendheader")
    assert compared(tmp_path, "id.sto", marked, marked.replace("0" * 64, "a" * 64), 1e-12) == []
    unmarked = compared(tmp_path, "id.sto", marked, STORAGE, 1e-12)
    assert [each.line for each in unmarked] == ["id.sto line 4: 'written by biomech-id opensim-run' -> 'nothing'"]
    model = f"{MODEL}<!-- {mark} -->\n"
    assert compared(tmp_path / "model", "model.osim", model, model.replace("0" * 64, "a" * 64), 1e-12) == []


def test_arrays_are_compared_one_by_one(tmp_path: Path) -> None:
    position = np.array([[1.0, np.nan], [-0.0, 4.0]], dtype=np.float32)
    for folder in ("before", "after", "more"):
        (tmp_path / folder).mkdir()
    before, after, more = (tmp_path / folder / "walk.npz" for folder in ("before", "after", "more"))
    np.savez(before, position=position, name="walk")
    np.savez(after, position=np.nextafter(position, np.float32(9.0)), name="walk")
    np.savez(more, position=position, name="walk", force=position)
    (line,) = differences(before.parent, after.parent)
    assert line.line.startswith("walk.npz position: 1.0 -> 1.0000001")
    assert differences(before.parent, more.parent) == [Difference("walk.npz force: new array", added=True)]
    np.savez(after, position=position + np.float32(0.0), name="walk")
    assert differences(before.parent, after.parent) == [
        Difference("walk.npz position: 'signs of zero or kinds of NaN' -> 'others', 1 of 4 differ")
    ]
    np.savez(after, position=position.astype(float), name="walk")
    assert differences(before.parent, after.parent) == [Difference("walk.npz position: float32 (2, 2) -> float64 (2, 2)")]


@pytest.mark.parametrize(("noise", "same"), [(3e-13, True), (3e-11, False)])
def test_numbers_within_the_share_are_the_same_and_beyond_it_differ(tmp_path: Path, noise: float, same: bool) -> None:
    """Where they are printed in full, and where the noise only turns last digits."""
    rng = np.random.default_rng(35)
    values = 10.0 * rng.standard_normal(20_000)
    noisy = values + 10.0 * noise * rng.uniform(-1.0, 1.0, len(values))
    tables = ["frame,angle\n" + "".join(f"{i},{x:.9g}\n" for i, x in enumerate(each)) for each in (values, noisy)]
    assert tables[0] != tables[1]
    assert (compared(tmp_path, "trials/walk.csv", *tables, relative=1e-12) == []) is same
    models = [f"<place>{each[0]!r} {each[1]!r} 0</place>\n" for each in (values.tolist(), noisy.tolist())]
    assert (compared(tmp_path / "model", "model.osim", *models, relative=1e-12) == []) is same


def test_words_are_never_within_a_share(tmp_path: Path) -> None:
    found = compared(tmp_path, "quality.csv", "trial,rule,verdict\nwalk,cop,accept\n", "trial,rule,verdict\nwalk,cop,warn\n", 1e-12)
    assert [each.line for each in found] == ["quality.csv walk cop: 'accept' -> 'warn', 1 of 1 differ"]
    assert compared(tmp_path / "empty", "trials/walk.csv", "frame,angle\n1,\n", "frame,angle\n1,5\n", 1e-12) != []


def test_the_version_on_a_page_is_no_difference_and_the_text_beside_it_is_one() -> None:
    shown = b"[ (\x00a\x001\x00.\x000) ]\nTJ"
    assert without_version(shown, "1.0") == b"a" == without_version(shown.replace(b"1", b"3"), "3.0")
    assert without_version(shown.replace(b"a", b"b"), "1.0") == b"b"
