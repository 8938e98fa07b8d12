"""Results go back into a copy of their recording, and everything that was there is there still."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from c3d_builder import C3D, DEC, FRAMES, PC, SGI, healthy
from plain_parser import parse

from biomech_id.errors import FileRefusedError, OutputError
from biomech_id.exports.c3d import write as export
from biomech_id.exports.c3d.write import write_results
from biomech_id.readers import read_c3d


def results(n: int) -> dict[str, np.ndarray]:
    """Columns as the results' tables name them, with a gap at the start."""
    rng = np.random.default_rng(7)
    columns = {f"{name}.{axis}": rng.normal(size=n) for name in ("LHipAngles", "RKneeMoment", "LHJC") for axis in "XYZ"}
    columns |= {"LAnklePower": rng.normal(size=n), "NotOurs.X": rng.normal(size=n)}
    columns["LHipAngles.Y"][:5] = np.nan
    columns["LAnklePower"][:5] = np.nan
    return columns


def many_labels() -> C3D:
    file = healthy()
    extra = [f"X{i:03d}" for i in range(250)]
    file.points = np.concatenate([file.points, np.tile(file.points[:, :1], (1, 250, 1))], axis=1)
    names = [*file.labels(), *extra]
    file.groups["POINT"] |= {"LABELS": names[:255], "LABELS2": names[255:], "USED": len(names), "DESCRIPTIONS": ["place"] * 255}
    return file


def in_format(processor: int, is_float: bool) -> C3D:
    file = healthy()
    file.processor = processor
    if not is_float:
        file.is_float, file.scale = False, 0.1
        file.groups["POINT"]["SCALE"] = 0.1
        file.analog = np.round(file.analog / 10.0)
    return file


FILES = {
    **{f"{p}-{f}": in_format(p, f == "float") for p in (PC, DEC, SGI) for f in ("float", "integer")},
    "labels": many_labels(),
}  # fmt: skip


@pytest.mark.parametrize("which", FILES)
def test_an_independent_parser_finds_everything_unchanged(which: str, tmp_path: Path) -> None:
    source = FILES[which].write(tmp_path / "walk.c3d")
    target = write_results(source, tmp_path / "walk_out.c3d", results(FRAMES))
    before, after = parse(source), parse(target)
    n = len(before["frames"][0][0])
    assert len(after["frames"]) == len(before["frames"]) == FRAMES
    for (quads, analog), (new_quads, new_analog) in zip(before["frames"], after["frames"], strict=True):
        # Integers become the nearest float32 of what they stand for.
        stored = [tuple(np.float32(v) for v in quad[:3]) for quad in quads]
        assert [quad[:3] for quad in new_quads[:n]] == stored
        assert [quad[3] for quad in new_quads[:n]] == [quad[3] for quad in quads]
        assert new_analog == analog
    assert list(after["groups"]) == list(before["groups"])
    assert after["events"] == before["events"]
    assert {key: after["notes"][key] for key in before["notes"]} == before["notes"]
    assert b"about LABELS" in before["notes"].values()
    ours = {"USED", "SCALE", "DATA_START", "LABELS", "LABELS2", "DESCRIPTIONS", "DESCRIPTIONS2"}
    for group, parameters in before["groups"].items():
        names = list(after["groups"][group])
        assert names[: len(parameters)] == list(parameters), "the order is kept, and additions come last"
        for name, value in parameters.items():
            if group != "POINT" or name not in ours:
                assert after["groups"][group][name] == value, f"{group}:{name}"
    assert _labels(after)[: len(_labels(before))] == _labels(before)


def _labels(parsed: dict) -> list[bytes]:  # type: ignore[type-arg]
    point = parsed["groups"]["POINT"]
    return [*point["LABELS"][2], *(point["LABELS2"][2] if "LABELS2" in point else ())]


def test_ours_follow_in_the_vendors_units(tmp_path: Path) -> None:
    columns = results(FRAMES)
    source = healthy().write(tmp_path / "walk.c3d")
    after = parse(write_results(source, tmp_path / "out.c3d", columns))
    labels = _labels(after)
    assert labels[16:] == [b"LHipAngles_bid", b"RKneeMoment_bid", b"LHJC_bid", b"LAnklePower_bid"]
    quads = after["frames"][9][0]
    assert quads[17][:3] == tuple(np.float32(1000.0 * columns[f"RKneeMoment.{a}"][9]) for a in "XYZ"), "N mm/kg"
    assert quads[18][:3] == tuple(np.float32(columns[f"LHJC.{a}"][9]) for a in "XYZ"), "mm, as the file's points"
    assert quads[19][:3] == (0.0, 0.0, np.float32(columns["LAnklePower"][9])), "powers lie in the third component"
    assert after["frames"][0][0][16][3], "a missing value has a negative residual"
    assert not after["frames"][9][0][16][3]
    point = after["groups"]["POINT"]
    assert point["ANGLES"][2] == (b"LHipAngles_bid",)
    assert point["TYPE_GROUPS"][2][:2] == (b"ANGLES", b"ANGLE")
    # A table of two columns, as other programs expect it, not a list.
    assert point["TYPE_GROUPS"][1] == (len("MODELED_MARKERS"), 2, len(point["TYPE_GROUPS"][2]) // 2)


def test_our_own_reader_takes_them_for_outputs(tmp_path: Path) -> None:
    columns = results(FRAMES)
    source = healthy().write(tmp_path / "walk.c3d")
    before, after = (read_c3d(p, trust=True) for p in (source, write_results(source, tmp_path / "out.c3d", columns)))
    assert after.markers.names == before.markers.names
    assert np.array_equal(after.markers.position_m, before.markers.position_m, equal_nan=True)
    assert np.array_equal(after.plates[0].moment_lab_Nm, before.plates[0].moment_lab_Nm)
    assert (after.events, after.subject) == (before.events, before.subject)
    written = after.model_outputs["LHipAngles_bid"]
    assert np.isnan(written[:5]).all()
    np.testing.assert_allclose(written[5:, 0], columns["LHipAngles.X"][5:], rtol=1e-6)


def test_laboratory_vectors_go_back_into_the_files_axes(tmp_path: Path) -> None:
    """A laboratory with Y up stores the laboratory's (x, y, z) as (x, z, -y); angles have no such axes."""
    file = healthy()
    y, z = file.points[..., 1].copy(), file.points[..., 2].copy()
    file.points[..., 1], file.points[..., 2] = z, -y
    plate = file.groups["FORCE_PLATFORM"]
    plate["CORNERS"] = [[[c[0], c[2], -c[1]] for c in plate["CORNERS"][0]]]
    columns = results(FRAMES)
    quads = parse(write_results(file.write(tmp_path / "walk.c3d"), tmp_path / "out.c3d", columns))["frames"][9][0]
    x, y, z = (columns[f"LHJC.{axis}"][9] for axis in "XYZ")
    assert quads[18][:3] == tuple(np.float32(v) for v in (x, z, -y))
    assert quads[16][:3] == tuple(np.float32(columns[f"LHipAngles.{axis}"][9]) for axis in "XYZ")


def test_ezc3d_reads_the_copy_the_same(tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    source = many_labels().write(tmp_path / "walk.c3d")
    target = write_results(source, tmp_path / "out.c3d", results(FRAMES))
    one, two = ezc3d.c3d(str(source)), ezc3d.c3d(str(target))
    n = one["data"]["points"].shape[1]
    assert np.array_equal(one["data"]["points"], two["data"]["points"][:, :n], equal_nan=True)
    assert np.array_equal(one["data"]["analogs"], two["data"]["analogs"])
    assert two["parameters"]["EVENT"]["TIMES"]["value"].tolist() == one["parameters"]["EVENT"]["TIMES"]["value"].tolist()


def test_a_second_writing_into_the_copy_is_refused(tmp_path: Path) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    copy = write_results(source, tmp_path / "out.c3d", results(FRAMES))
    with pytest.raises(OutputError, match="holds LAnklePower_bid already"):
        write_results(copy, tmp_path / "again.c3d", results(FRAMES))
    assert not (tmp_path / "again.c3d").exists()


def test_the_recording_itself_is_never_the_target(tmp_path: Path) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    content = source.read_bytes()
    with pytest.raises(OutputError, match="the recording itself"):
        write_results(source, source, results(FRAMES))
    assert source.read_bytes() == content


def test_a_recording_that_changed_since_it_was_analysed_gets_no_results(tmp_path: Path) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    analysed = read_c3d(source, trust=True).sha256
    source.write_bytes(source.read_bytes() + bytes(512))
    with pytest.raises(FileRefusedError, match=r"walk\.c3d has changed since it was analysed"):
        write_results(source, tmp_path / "out.c3d", results(FRAMES), sha256=analysed)
    assert not (tmp_path / "out.c3d").exists()


def test_columns_of_another_length_are_refused(tmp_path: Path) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    with pytest.raises(OutputError, match="99 frames"):
        write_results(source, tmp_path / "out.c3d", results(FRAMES - 1))


def test_a_copy_that_reads_back_differently_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    honest = export.with_outputs

    def damaged(*arguments: object) -> bytes:
        content = bytearray(honest(*arguments))  # type: ignore[arg-type]
        content[-2000] ^= 0x10
        return bytes(content)

    monkeypatch.setattr(export, "with_outputs", damaged)
    with pytest.raises(OutputError, match="does not read back"):
        write_results(source, tmp_path / "out.c3d", results(FRAMES))
    assert [path.name for path in tmp_path.iterdir()] == ["walk.c3d"], "nothing is left behind, under no name"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    source = healthy().write(tmp_path / "walk.c3d")
    with pytest.raises(OutputError, match="cannot be written"):
        write_results(source, tmp_path / "nowhere" / "out.c3d", results(FRAMES))


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = healthy().write(tmp_path / "walk.c3d")

    def no_space(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OutputError, match="No space left"):
        write_results(source, tmp_path / "out.c3d", results(FRAMES))
    assert [path.name for path in tmp_path.iterdir()] == ["walk.c3d"]


def test_the_parser_of_the_tests_is_no_echo() -> None:
    """Its floats come from the definition of VAX F: -1.5 is sign 1, exponent 129, mantissa 0.11."""
    from plain_parser import _number

    assert _number(bytes([0xC0, 0xC0, 0x00, 0x00]), "f", 85) == -1.5
    assert math.isclose(_number(bytes([0x49, 0x41, 0xD0, 0x0F]), "f", 85), 3.14159, rel_tol=1e-6)
