"""OpenSim's models of either way of writing, and those that must be refused, each in one sentence that names the object."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import BiomechError
from biomech_id.multibody.musculoskeletal import MovingPoint, MusculoskeletalModel, PathPoint
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.muscles.muscle_paths import MusclePaths
from biomech_id.osim.skeleton.skeleton import Skeleton

LINE = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
SPLINE = "<SimmSpline><x>-1 0 1 2</x><y>0.1 0 0.2 0.1</y></SimmSpline>"
AXES = f"""<SpatialTransform>
<TransformAxis name="rotation1"><coordinates>bend</coordinates><axis>0 0 2</axis>{LINE}</TransformAxis>
<TransformAxis name="rotation2"><coordinates/><axis>0 1 0</axis><Constant><value>0.2</value></Constant></TransformAxis>
<TransformAxis name="rotation3"><coordinates>bend</coordinates><axis>1 0 0</axis>{SPLINE}</TransformAxis>
<TransformAxis name="translation1"><coordinates>glide</coordinates><axis>1 0 0</axis>{LINE}</TransformAxis>
<TransformAxis name="translation2"><coordinates/><axis>0 1 0</axis><Constant><value>0.03</value></Constant></TransformAxis>
</SpatialTransform>"""
COORDINATE = (
    '<Coordinate name="{name}"><default_value>{default}</default_value><range>-1 2</range><locked>{locked}</locked></Coordinate>'
)
BEND, GLIDE = (
    COORDINATE.format(name="bend", default=0.3, locked="true"),
    COORDINATE.format(name="glide", default=0.0, locked="false"),
)
INERTIA_3 = "<mass>2</mass><mass_center>0 -0.1 0</mass_center>" + "".join(
    f"<inertia_{name}>{value}</inertia_{name}>" for name, value in zip(("xx", "yy", "zz", "xy"), (0.3, 0.2, 0.4, 0.01), strict=True)
)
INERTIA_4 = "<mass>2</mass><mass_center>0 -0.1 0</mass_center><inertia>0.3 0.2 0.4 0.01 0 0</inertia>"
PLACES_3 = """<parent_body>{parent}</parent_body><location_in_parent>0 -0.4 0</location_in_parent>
<orientation_in_parent>0.1 0.2 0.3</orientation_in_parent><location>0 0.05 0</location><orientation>0.3 0 0</orientation>"""
FRAMES_4 = """<socket_parent_frame>{parent}_offset</socket_parent_frame><socket_child_frame>{child}_offset</socket_child_frame>
<frames><PhysicalOffsetFrame name="{parent}_offset"><socket_parent>/bodyset/{parent}</socket_parent>
<translation>0 -0.4 0</translation><orientation>0.1 0.2 0.3</orientation></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="{child}_offset"><socket_parent>/bodyset/{child}</socket_parent>
<translation>0 0.05 0</translation><orientation>0.3 0 0</orientation></PhysicalOffsetFrame></frames>"""


def moving(socket: str) -> str:
    return "".join(f"<{axis}_location>{SPLINE}</{axis}_location>" + socket.format(axis=axis) for axis in "xyz")


def old_document(**replaced: str) -> str:
    """A thigh, and a shank on a joint that bends and glides, as version 3 writes it."""
    text = f"""<OpenSimDocument Version="30000"><Model name="leg"><BodySet><objects>
<Body name="ground"/><Body name="thigh">{INERTIA_3}<Joint><PinJoint name="hip">{PLACES_3.format(parent="ground")}
<CoordinateSet><objects>{COORDINATE.format(name="hip", default=0.1, locked="false")}</objects>
</CoordinateSet></PinJoint></Joint></Body>
<Body name="shank">{INERTIA_3}<Joint><CustomJoint name="knee">{PLACES_3.format(parent="thigh")}
<CoordinateSet><objects>{GLIDE}{BEND}</objects></CoordinateSet>{AXES}</CustomJoint></Joint></Body></objects></BodySet>
<ConstraintSet><objects><CoordinateCouplerConstraint name="gear"><isDisabled>false</isDisabled>
<coupled_coordinates_function>{LINE}</coupled_coordinates_function><independent_coordinate_names>bend</independent_coordinate_names>
<dependent_coordinate_name>glide</dependent_coordinate_name><scale_factor>0.1</scale_factor></CoordinateCouplerConstraint>
</objects></ConstraintSet><MarkerSet><objects><Marker name="tip"><body>shank</body><location>0.1 -0.4 0.02</location>
<fixed>true</fixed></Marker></objects></MarkerSet>
<ForceSet><objects><Thelen2003Muscle name="vasti"><GeometryPath><PathPointSet><objects>
<PathPoint name="o"><body>thigh</body><location>0 0.1 0</location></PathPoint><ConditionalPathPoint name="c"><body>thigh</body>
<location>0.1 0 0</location><coordinate>bend</coordinate><range>0.5 2</range></ConditionalPathPoint><MovingPathPoint name="i">
<body>shank</body>{moving("<{axis}_coordinate>bend</{axis}_coordinate>")}</MovingPathPoint></objects></PathPointSet></GeometryPath>
<optimal_fiber_length>0.08</optimal_fiber_length></Thelen2003Muscle><BushingForce name="pad"/></objects></ForceSet></Model>
</OpenSimDocument>"""
    return changed(text, replaced)


def new_document(**replaced: str) -> str:
    """The same leg as version 4 writes it."""
    text = f"""<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40500"><Model name="leg"><BodySet><objects>
<Body name="thigh">{INERTIA_4}</Body><Body name="shank">{INERTIA_4}</Body></objects></BodySet><JointSet><objects>
<PinJoint name="hip">{FRAMES_4.format(parent="ground", child="thigh").replace("/bodyset/ground", "/ground")}
<coordinates>{COORDINATE.format(name="hip", default=0.1, locked="false")}</coordinates></PinJoint>
<CustomJoint name="knee">{FRAMES_4.format(parent="thigh", child="shank")}
<coordinates>{BEND}{GLIDE}</coordinates>{AXES}</CustomJoint>
</objects></JointSet><ConstraintSet><objects><CoordinateCouplerConstraint name="gear"><isEnforced>true</isEnforced>
<coupled_coordinates_function>{LINE}</coupled_coordinates_function><independent_coordinate_names>bend</independent_coordinate_names>
<dependent_coordinate_name>glide</dependent_coordinate_name><scale_factor>0.1</scale_factor></CoordinateCouplerConstraint>
</objects></ConstraintSet><MarkerSet><objects><Marker name="tip"><socket_parent_frame>/bodyset/shank</socket_parent_frame>
<location>0.1 -0.4 0.02</location><fixed>true</fixed></Marker></objects></MarkerSet>
<ForceSet><objects><Thelen2003Muscle name="vasti">
<GeometryPath name="path"><PathPointSet><objects><PathPoint name="o"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>
<location>0 0.1 0</location></PathPoint><ConditionalPathPoint name="c"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>
<location>0.1 0 0</location><socket_coordinate>/jointset/knee/bend</socket_coordinate><range>0.5 2</range></ConditionalPathPoint>
<MovingPathPoint name="i"><socket_parent_frame>/bodyset/shank</socket_parent_frame>
{moving("<socket_{axis}_coordinate>/jointset/knee/bend</socket_{axis}_coordinate>")}</MovingPathPoint></objects></PathPointSet>
</GeometryPath><optimal_fiber_length>0.08</optimal_fiber_length></Thelen2003Muscle><BushingForce name="pad"/></objects></ForceSet>
</Model></OpenSimDocument>"""
    return changed(text, replaced)


def changed(text: str, replaced: dict[str, str]) -> str:
    for pair in replaced.values():
        old, new = pair.split(" => ")
        assert old in text, old
        text = text.replace(old, new)
    return text


def read(folder: Path, text: str) -> MusculoskeletalModel:
    path = folder / "leg.osim"
    path.write_text(text, encoding="utf-8")
    return read_osim(path)


@pytest.mark.parametrize("text", [old_document(), new_document()], ids=["version 3", "version 4"])
def test_both_ways_of_writing_are_one_model(text: str, tmp_path: Path) -> None:
    model = read(tmp_path, text)
    assert [(c.name, c.motion, c.locked) for c in model.coordinates] == [
        ("hip", "rotational", False), ("bend", "rotational", True), ("glide", "translational", False),
    ]  # fmt: skip
    assert model.ignored == ("BushingForce pad",)
    (muscle,) = model.muscles
    _, conditional, last = muscle.points
    assert isinstance(conditional, PathPoint)
    assert (conditional.coordinate, conditional.range) == ("bend", (0.5, 2.0))
    assert isinstance(last, MovingPoint)
    assert last.coordinates == ("bend",) * 3
    assert (muscle.optimal_fibre_length_m, np.isnan(muscle.tendon_slack_length_m)) == (0.08, True)
    assert model.mass_kg == 4.0
    assert model.body("shank").inertia_kgm2[0, 1] == 0.01


def turned(axes: str, *angles_rad: float) -> FloatArray:
    """Turns about axes that follow, written out."""
    R = np.eye(3)
    for axis, a in zip(axes, angles_rad, strict=True):
        c, s = np.cos(a), np.sin(a)
        about = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
        R = R @ np.array(about.get(axis, [[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    return R


def test_their_markers_are_at_the_same_place(tmp_path: Path) -> None:
    both = [Skeleton(read(tmp_path, text)) for text in (old_document(), new_document())]
    q = both[0].completed([[0.4, -0.7, 9.0], [0.0, 1.3, 9.0]])
    assert q[:, 2].tolist() == pytest.approx([-0.07, 0.13], abs=1e-15)
    old, new = (skeleton.markers(q) for skeleton in both)
    np.testing.assert_allclose(old, new, atol=1e-15)
    # By hand for the first state: hip frame, z turn, thigh, knee frame with its slides, turns about z, y, x, shank.
    place = turned("xyz", 0.1, 0.2, 0.3)
    child = turned("x", 0.3)
    shank = child.T @ (np.array([0.1, -0.4, 0.02]) - [0, 0.05, 0])
    spline = both[0].model.joints[1].rotations[2].function.value(-0.7)
    in_thigh = np.array([0, -0.4, 0]) + place @ (np.array([-0.07, 0.03, 0]) + turned("zyx", -0.7, 0.2, spline) @ shank)
    lab = np.array([0, -0.4, 0]) + place @ turned("z", 0.4) @ child.T @ (in_thigh - [0, 0.05, 0])
    np.testing.assert_allclose(old[0, 0], lab, atol=1e-15)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("/bodyset/shank</socket_parent_frame>\n<location>0.1 => /bodyset/foot</socket_parent_frame>\n<location>0.1",
         "The marker tip names the body 'foot', which the model does not have."),
        ('<Body name="shank"> => <Body name="tibia">', "The joint knee names the body 'shank', which the model does not have."),
        ("<independent_coordinate_names>bend => <independent_coordinate_names>glide", "glide, glide are coupled in a circle"),
        ("<dependent_coordinate_name>glide => <dependent_coordinate_name>slide", "gear names the coordinate 'slide'"),
        ("</JointSet> => </JointSat>", "cannot be read as an OpenSim document: mismatched tag"),
        ("PinJoint => ScrewJoint", "The joint ScrewJoint hip is not supported."),
        ("CoordinateCouplerConstraint => RollingConstraint", "The constraint RollingConstraint gear is not supported."),
        ("SimmSpline => MagicSpline", "The function of rotation3 of the joint knee is a MagicSpline, which is not supported."),
        ("<mass>2 => <mass>heavy", "The mass of Body thigh is 'heavy'."),
        ("<mass>2 => <mass>-2", "The body thigh has a mass of -2.0 kg."),
        ("<axis>0 0 2 => <axis>0 0 0", "The rotation1 of the joint knee has an axis of no length."),
        ("<coordinates>glide</coordinates> => <coordinates>glide bend</coordinates>", "is a function of 2 coordinates"),
        ('<Coordinate name="glide"> => <Coordinate name="slip">', "moves by glide, which is none of its coordinates"),
        ("<Model name => <!DOCTYPE a [<!ENTITY b 'c'>]><Model name", "defines XML entities"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_sentence(change: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BiomechError) as caught:
        read(tmp_path, new_document(change=change))
    assert said in str(caught.value)
    assert str(caught.value).count(". ") == 0


def test_joints_in_a_circle_and_bodies_without_joints_are_refused(tmp_path: Path) -> None:
    text = new_document()
    circle = text.replace("<socket_parent>/ground</socket_parent>", "<socket_parent>/bodyset/shank</socket_parent>")
    with pytest.raises(BiomechError, match="The joints hip, knee carry each other in a circle"):
        read(tmp_path, circle)
    alone = text.replace('<Body name="thigh">', '<Body name="alone"/><Body name="thigh">')
    with pytest.raises(BiomechError, match="The body alone is the child of no joint"):
        read(tmp_path, alone)


def test_entities_in_another_encoding_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "bomb.osim"
    path.write_bytes("<!DOCTYPE a [<!ENTITY b 'c'>]><OpenSimDocument>&b;</OpenSimDocument>".encode("utf-16"))
    with pytest.raises(BiomechError, match="defines XML entities"):
        read_osim(path)


def test_tags_with_colons_are_read(tmp_path: Path) -> None:
    contact = '<HuntCrossleyForce name="heel"><HuntCrossleyForce::ContactParametersSet/></HuntCrossleyForce>'
    model = read(tmp_path, new_document(change=f'<BushingForce name="pad"/> => {contact}'))
    assert model.ignored == ("HuntCrossleyForce heel",)


def mutilated(text: str, rng: random.Random) -> str:
    """A document with an element gone, doubled or renamed, a text or name exchanged, or a piece torn out."""
    tags = re.findall(r"<([A-Za-z_]\w*)", text)
    tag, other = rng.choice(tags), rng.choice(tags)
    whole = re.search(rf"<{tag}\b[^>]*>.*?</{tag}>", text, re.DOTALL)
    inner = rng.choice([match for match in re.finditer(r">([^<>]+)<", text) if match.group(1).strip()])
    name = rng.choice(list(re.finditer(r'name="([^"]*)"', text)))
    at = rng.randrange(len(text))
    word = rng.choice(["", "nan", "1e400", "abc", "0", "1 2", "-1 -1 -1", "/a/b/c", "hip bend"])
    ways = [
        text.replace(whole.group(), "", 1) if whole else text,
        text.replace(whole.group(), 2 * whole.group(), 1) if whole else text,
        text.replace(f"<{tag}>", f"<{other}>").replace(f"</{tag}>", f"</{other}>"),
        text[: inner.start(1)] + word + text[inner.end(1) :],
        text[: name.start(1)] + rng.choice(["", "hip", "shank", "ground", "base"]) + text[name.end(1) :],
        text[:at] + text[at + rng.randint(1, 40) :],
    ]
    return rng.choice(ways)


def test_mutilated_documents_are_read_or_refused_in_a_sentence(tmp_path: Path) -> None:
    rng, n = random.Random(3), 200
    refused: list[BiomechError] = []
    for _ in range(n):
        text = mutilated(rng.choice((old_document(), new_document())), rng)
        try:
            skeleton = Skeleton(read(tmp_path, text))
            assert np.isfinite(skeleton.markers(skeleton.default_q()[None])).all()
        except BiomechError as error:
            refused.append(error)
    assert all(error.expected and error.where for error in refused)
    assert n / 4 < len(refused) < n


def test_a_muscle_whose_path_is_no_points_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    text = new_document(path="<GeometryPath => <FunctionBasedPath", end="</GeometryPath> => </FunctionBasedPath>")
    model = read(tmp_path, text)
    assert [muscle.name for muscle in model.muscles] == ["vasti"]
    paths = MusclePaths(model)
    assert paths.names == ()
    assert "vasti is not made of points" in paths.left_out["vasti"]


def test_coordinates_of_one_name_are_called_by_their_joint(tmp_path: Path) -> None:
    model = read(
        tmp_path, old_document(same='Coordinate name="hip" => Coordinate name="glide"', off="isDisabled>false => isDisabled>true")
    )
    assert model.coordinate_names == ("hip/glide", "bend", "knee/glide")
    assert [c.joint for c in model.coordinates] == ["hip", "knee", "knee"]


def test_stations_of_one_name_on_two_bodies_are_told_apart(tmp_path: Path) -> None:
    """A station is what its owner holds: by its path, by ".." and, where only one has the name, by the name."""
    points = {"origin_point": (0.0, 0.0, 0.0), "point_a": (1.0, 0.0, 0.0), "point_b": (2.0, 0.0, 0.0), "point_c": (1.0, 1.0, 0.0)}
    numbers = "<mass>1</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia>"
    bodies, joints, above = "", "", "/ground"
    for name, off in (("A", 0.1), ("B", 0.3)):
        parts = "".join(
            f'<Station name="{point}"><socket_parent_frame>..</socket_parent_frame><location>{x + off} {y} {z}</location></Station>'
            for point, (x, y, z) in points.items()
        ) + "".join(f"<socket_{point}>/bodyset/{name}/{point}</socket_{point}>" for point in points).join(
            ('<StationDefinedFrame name="f"><ab_axis>+x</ab_axis><ab_x_ac_axis>+z</ab_x_ac_axis>', "</StationDefinedFrame>")
        )
        bodies += f'<Body name="{name}"><components>{parts}</components>{numbers}</Body>'
        joints += (
            f'<PinJoint name="j{name}"><socket_parent_frame>{above}</socket_parent_frame><socket_child_frame>/bodyset/{name}/f'
        )
        joints += f'</socket_child_frame><coordinates><Coordinate name="q{name}"/></coordinates></PinJoint>'
        above = "/bodyset/A"
    sets = f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>"
    model = read(tmp_path, f'<OpenSimDocument Version="40600"><Model name="m">{sets}</Model></OpenSimDocument>')
    np.testing.assert_allclose([joint.child.place_m for joint in model.joints], [[0.1, 0.0, 0.0], [0.3, 0.0, 0.0]])
    assert [joint.child.body for joint in model.joints] == ["A", "B"]


def test_a_document_that_is_not_there_is_said_without_the_systems_number(tmp_path: Path) -> None:
    with pytest.raises(BiomechError) as refused:
        read_osim(tmp_path / "nobody.osim")
    assert refused.value.message == "nobody.osim cannot be read as an OpenSim document: No such file or directory."
