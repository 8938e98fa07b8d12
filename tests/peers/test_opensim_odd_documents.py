"""Documents that OpenSim takes although they leave out, repeat or misspell things: read here too, with the same positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.osim.document.model import read_osim
from biomech_id.osim.skeleton.skeleton import Skeleton

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")


def document(joints: list[tuple[str, str, str]], head: str = "") -> str:
    """A chain of bodies on the joints given, each with a marker."""
    bodies, markers, written = [], [], []
    for k, (tag, name, inside) in enumerate(joints):
        above = "/ground" if k == 0 else f"/bodyset/b{k - 1}"
        bodies.append(f'<Body name="b{k}"><mass>1</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia></Body>')
        written.append(
            f"<{tag}{name}><socket_parent_frame>F</socket_parent_frame><socket_child_frame>/bodyset/b{k}</socket_child_frame>"
            f'{inside}<frames><PhysicalOffsetFrame name="F"><socket_parent>{above}</socket_parent><translation>0.1 -0.3 0.05'
            f"</translation><orientation>0.2 -0.1 0.3</orientation></PhysicalOffsetFrame></frames></{tag}>"
        )
        on = f"<socket_parent_frame>/bodyset/b{k}</socket_parent_frame>"
        markers.append(f'<Marker name="m{k}">{on}<location>0.1 -0.2 0.3</location></Marker>')
    sets = {"BodySet": bodies, "JointSet": written, "MarkerSet": markers}
    text = "".join(f"<{tag}><objects>{''.join(parts)}</objects></{tag}>" for tag, parts in sets.items())
    model = f'<Model name="m">{head}{text}</Model>'
    return f'<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40500">{model}</OpenSimDocument>'


SAME = '<coordinates><Coordinate name="turn"><default_value>0.1</default_value></Coordinate></coordinates>'
FIRST, SECOND, THIRD = (f' name="{word}"' for word in ("first", "second", "third"))
CASES = {
    "joints without coordinates": [("PinJoint", FIRST, ""), ("UniversalJoint", SECOND, ""), ("PlanarJoint", THIRD, "")],
    "joints without names": [("PinJoint", "", ""), ("UniversalJoint", "", ""), ("PinJoint", "", "")],
    "coordinates of one name": [("PinJoint", FIRST, SAME), ("PinJoint", SECOND, SAME)],
    "text of code page 1252": [("PinJoint", FIRST, "")],
}


@pytest.mark.parametrize("case", CASES)
def test_what_opensim_reads_stands_where_opensim_has_it(case: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.osim"
    credits = "<credits>Universit\u00e9</credits>"
    path.write_bytes(document(CASES[case], credits).encode("cp1252"))
    model = read_osim(path)
    native = osim.Model(str(path))
    state = native.initSystem()
    rng, coordinates = np.random.default_rng(1), native.getCoordinateSet()
    paths = {coordinates.get(k).getAbsolutePathString(): coordinates.get(k) for k in range(coordinates.getSize())}
    q = rng.uniform(-0.5, 0.5, len(model.coordinates))
    assert len(paths) == len(q)
    for coordinate, value in zip(model.coordinates, q, strict=True):
        theirs = paths[f"/jointset/{coordinate.joint}/{coordinate.name.rpartition('/')[2]}"]
        assert theirs.getDefaultValue() == coordinate.default
        assert (theirs.getRangeMin(), theirs.getRangeMax()) == coordinate.range
        theirs.setValue(state, float(value), False)
    native.realizePosition(state)
    places = [native.getMarkerSet().get(m.name).getLocationInGround(state) for m in model.markers]
    expected = [[place.get(i) for i in range(3)] for place in places]
    np.testing.assert_allclose(Skeleton(model).markers(q[None])[0], expected, atol=1e-12)


STATIONS = {"o": "0.1 0 0", "a": "0.1 0.02 0", "b": "0.3 0.1 0", "c": "0.1 0.3 0.1"}
STATION = '<Station name="{}"><socket_parent_frame>/bodyset/b0</socket_parent_frame><location>{}</location></Station>'
FRAMES = {
    "offset": '<PhysicalOffsetFrame name="odd"><socket_parent>..</socket_parent><translation>0.1 0.2 0.3</translation><orientation>'
    "0.3 0 0.1</orientation></PhysicalOffsetFrame>",
    "stations": '<StationDefinedFrame name="odd"><ab_axis>-z</ab_axis><ab_x_ac_axis>+x</ab_x_ac_axis>'
    + "".join(f"<socket_{point}>/bodyset/b0/{point[-1]}</socket_{point}>" for point in ("point_a", "point_b", "point_c"))
    + "<socket_origin_point>/bodyset/b0/o</socket_origin_point></StationDefinedFrame>",
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_joint_on_a_frame_of_a_body_stands_where_opensim_has_it(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.osim"
    stations = "".join(STATION.format(*each) for each in STATIONS.items())
    inside = f"<inertia>1 1 1 0 0 0</inertia><components>{stations}{FRAMES[kind]}</components>"
    text = document([("PinJoint", FIRST, SAME), ("PinJoint", SECOND, "")]).replace("<inertia>1 1 1 0 0 0</inertia>", inside, 1)
    path.write_text(text.replace("<socket_parent>/bodyset/b0<", "<socket_parent>/bodyset/b0/odd<"), encoding="utf-8")
    model, native = read_osim(path), osim.Model(str(path))
    state = native.initSystem()
    native.realizePosition(state)
    places = [native.getMarkerSet().get(m.name).getLocationInGround(state) for m in model.markers]
    q = np.array([[c.default for c in model.coordinates]])
    np.testing.assert_allclose(Skeleton(model).markers(q)[0], [[p.get(i) for i in range(3)] for p in places], atol=1e-12)
