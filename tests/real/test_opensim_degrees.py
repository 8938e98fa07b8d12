"""Angles of a motion file are degrees or radians as OpenSim takes them, and degrees are never silently taken for radians."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import InvalidValueError
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.run import angles_in_degrees, coordinates_in, run_setup
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import StorageTable, read_storage

SIMM = ("name walk", "datacolumns {columns}", "datarows {rows}", "range 0 1")
OF_STORAGE = ("Coordinates", "version=1", "nRows={rows}", "nColumns={columns}")
#: What a motion file's header says, its ending -> whether OpenSim 4.6 takes its angles for degrees (tests/peers asks it).
HEADERS = {
    "says yes": ((*OF_STORAGE, "inDegrees=yes"), ".mot", True),
    "says it with a blank": ((*OF_STORAGE, "inDegrees yes"), ".mot", True),
    "says y": ((*OF_STORAGE, "inDegrees=y"), ".sto", True),
    "SIMM": (SIMM, ".mot", True),
    "SIMM in capitals": (SIMM, ".MOT", True),
    "SIMM as .sto": (SIMM, ".sto", False),
    "SIMM of version 1": ((*SIMM, "version=1"), ".mot", False),
    "no version": (("Coordinates", "nRows={rows}", "nColumns={columns}"), ".mot", True),
    "version 0": (("Coordinates", "version=0", "nRows={rows}", "nColumns={columns}"), ".mot", True),
    "version 1": (OF_STORAGE, ".mot", False),
    "says no": ((*OF_STORAGE, "inDegrees=no"), ".mot", False),
}


@pytest.fixture
def arm(shared_dir: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "arm"
    folder.mkdir()
    for name in ("arm26.osim", "ik_1e-9.mot", "setup_id_raw.xml"):
        shutil.copy(shared_dir / "opensim_refs" / "arm26" / name, folder)
    return folder


def with_header(folder: Path, header: tuple[str, ...], ending: str) -> Path:
    """The arm's motion, in degrees, under another header; the setup reads it."""
    names, *rows = (folder / "ik_1e-9.mot").read_text(encoding="utf-8").split("endheader\n")[1].splitlines()
    lines = [line.format(rows=len(rows), columns=len(names.split())) for line in header]
    path = folder / f"motion{ending}"
    path.write_text("\n".join([*lines, "endheader", names, *rows]) + "\n", encoding="utf-8")
    setup = folder / "setup_id_raw.xml"
    setup.write_text(setup.read_text(encoding="utf-8").replace("ik_1e-9.mot", path.name), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", HEADERS)
def test_a_header_is_taken_as_opensim_takes_it(kind: str, arm: Path, shared_dir: Path) -> None:
    header, ending, in_degrees = HEADERS[kind]
    path = with_header(arm, header, ending)
    assert read_storage(path).in_degrees is in_degrees
    result = CliRunner().invoke(app, ["opensim-run", str(arm / "setup_id_raw.xml"), "--compat", "-o", str(arm / "out")])
    if in_degrees:
        assert result.exit_code == 0, result.output
        theirs = read_storage(shared_dir / "opensim_refs" / "arm26" / "id_raw.sto")
        assert np.abs(read_storage(arm / "out" / "id_raw.sto").values - theirs.values).max() < 1e-6
    else:
        assert result.exit_code == 1
        said = " ".join(result.stderr.split())
        assert f"{path.name} holds " in said
        assert " for r_elbow_flex at " in said or " for r_shoulder_elev at " in said
        assert "write inDegrees=yes into its header" in said
        assert not (arm / "out").exists()


@pytest.mark.parametrize(
    ("header", "setup_says", "taken"),
    [(OF_STORAGE, "true", True), (SIMM, "false", False), ((*OF_STORAGE, "inDegrees=yes"), "false", True)],
)
def test_a_setup_may_say_what_the_header_does_not(
    header: tuple[str, ...], setup_says: str, taken: bool, arm: Path, shared_dir: Path
) -> None:
    with_header(arm, header, ".mot")
    setup = arm / "setup_id_raw.xml"
    word = f"<coordinates_in_degrees>{setup_says}</coordinates_in_degrees><coordinates_file>"
    setup.write_text(setup.read_text(encoding="utf-8").replace("<coordinates_file>", word), encoding="utf-8")
    result = CliRunner().invoke(app, ["opensim-run", str(setup), "--compat", "-o", str(arm / "out")])
    assert result.exit_code == (0 if taken else 1), result.output
    if taken:
        theirs = read_storage(shared_dir / "opensim_refs" / "arm26" / "id_raw.sto")
        assert np.abs(read_storage(arm / "out" / "id_raw.sto").values - theirs.values).max() < 1e-6


def test_only_turns_are_looked_at_and_only_where_they_are_radians(shared_dir: Path) -> None:
    model = read_osim(shared_dir / "opensim_refs" / "rajagopal_walk" / "scaled.osim", muscles=False)
    kinds = {c.motion: c.name for c in model.coordinates}
    assert set(kinds) == {"rotational", "translational", "coupled"}
    file = Path("walk.sto")

    def taken(motion: str, value: float, **said: bool) -> bool:
        table = StorageTable("walk", (kinds[motion],), np.arange(3) / 100.0, np.array([[0.0], [value], [np.nan]]), **said)
        return angles_in_degrees(table, coordinates_in(table, model), model, file)

    assert not taken("rotational", -6.28)
    assert not taken("translational", 700.0)
    assert not taken("coupled", 7.0)
    assert taken("rotational", 700.0, in_degrees=True)
    with pytest.raises(InvalidValueError, match=rf"walk\.sto holds -6\.29 for {kinds['rotational']} at 0\.01 s") as refused:
        taken("rotational", -6.29)
    assert refused.value.value == -6.29


def test_states_in_radians_are_what_the_same_states_in_degrees_are(arm: Path) -> None:
    table = read_storage(arm / "ik_1e-9.mot")
    model = read_osim(arm / "arm26.osim", muscles=False)
    assert Skeleton(model).model.coordinate_names == table.columns
    (written, *_) = run_setup(arm / "setup_id_raw.xml", arm / "degrees").written
    rows = "\n".join(
        "\t".join(f"{v:.17g}" for v in (t, *np.deg2rad(row))) for t, row in zip(table.time_s, table.values, strict=True)
    )
    names = "\t".join(("time", *table.columns))
    with_header(arm, OF_STORAGE, ".mot").write_text(f"x\nversion=1\nendheader\n{names}\n{rows}\n", encoding="utf-8")
    (again, *_) = run_setup(arm / "setup_id_raw.xml", arm / "radians").written
    np.testing.assert_allclose(read_storage(again).values, read_storage(written).values, atol=2e-8)
