"""Forces that nobody drives, on a rod at a hinge: numbers by hand, and moments that are slopes of energies."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.rotation import cardan_angles
from biomech_id.errors import UnknownNameError
from biomech_id.osim.document.model import model_in
from biomech_id.osim.dynamics.inverse_dynamics import forces_in, skeleton_motion
from biomech_id.osim.forces.passive_documents import passive_forces_in
from biomech_id.osim.forces.passive_forces import Bushing, PassiveEffect, PassiveForces, PassiveState
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.document import objects_in, read_document

ROD = """<Model name="rod"><BodySet><objects><Body name="rod"><mass>2</mass><mass_center>0 -0.2 0</mass_center>
<inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects><PinJoint name="hinge">
<socket_parent_frame>/ground
</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame><coordinates><Coordinate name="q"/></coordinates>
</PinJoint>
</objects></JointSet><ForceSet><objects>{}</objects></ForceSet>
<ContactGeometrySet><objects><ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame><location>0 -0.45 0</location>
<orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace><ContactSphere name="ball">
<socket_frame>/bodyset/rod</socket_frame>
<location>0 -0.4 0</location><radius>0.06</radius></ContactSphere></objects></ContactGeometrySet></Model>"""
LIMIT = """<CoordinateLimitForce name="limit"><coordinate>q</coordinate><upper_stiffness>3</upper_stiffness>
<upper_limit>20</upper_limit>
<lower_limit>-90</lower_limit><damping>0.5</damping><transition>8</transition></CoordinateLimitForce>"""
FRAMES = """<socket_frame1>a</socket_frame1><socket_frame2>b</socket_frame2><frames>
<PhysicalOffsetFrame name="a"><socket_parent>/ground</socket_parent><translation>0.1 0.2 0.1</translation><orientation>0.3 0.2 0.1
</orientation></PhysicalOffsetFrame><PhysicalOffsetFrame name="b"><socket_parent>/bodyset/rod</socket_parent><translation>0.1 -0.1 0
</translation><orientation>-0.2 0.4 0.3</orientation></PhysicalOffsetFrame></frames>"""
BUSHING = f"""<BushingForce name="pad">{FRAMES}<rotational_stiffness>10 20 30</rotational_stiffness>
<translational_stiffness>100 200 300</translational_stiffness></BushingForce>"""
CONTACT = """<HuntCrossleyForce name="step"><HuntCrossleyForce..ContactParametersSet name="contact_parameters"><objects>
<HuntCrossleyForce..ContactParameters><geometry>floor ball</geometry><stiffness>1e5</stiffness>
<dynamic_friction>0.5</dynamic_friction>
<static_friction>0.5</static_friction></HuntCrossleyForce..ContactParameters></objects></HuntCrossleyForce..ContactParametersSet>
</HuntCrossleyForce>"""


def acting(blocks: str, q: FloatArray, u: FloatArray) -> tuple[PassiveForces, PassiveEffect]:
    root = fromstring(ROD.format(blocks))
    model = model_in(root, "rod.osim")
    skeleton, forces = Skeleton(model), passive_forces_in(root, model)
    motion = skeleton_motion(skeleton, q[:, None], u[:, None], 0.0 * q[:, None])
    return forces, forces.exert(PassiveState(skeleton, q[:, None], u[:, None], motion))


def test_a_limit_pushes_back_and_damps_only_beyond_it() -> None:
    degree = np.pi / 180.0
    _, effect = acting(LIMIT, degree * np.array([15.0, 24.0, 40.0]), np.array([1.0, 0.0, 2.0]))
    by_hand = [0.0, -3.0 * 0.5 * 4.0, -3.0 * 20.0 - 0.5 * 2.0 / degree]
    np.testing.assert_allclose(effect.on_coordinates[:, 0], by_hand, atol=1e-12)


def test_what_a_bushing_does_is_the_slope_of_its_energy() -> None:
    q, h = np.array([-0.7, 0.1, 0.9]), 1e-6

    def energy(at: FloatArray) -> FloatArray:
        forces, effect = acting(BUSHING, at, 0.0 * at)
        (pad,) = forces.forces
        assert isinstance(pad, Bushing)
        (R, first), (R_second, second) = (effect.state.frame(frame) for frame in (pad.first, pad.second))
        turned = np.swapaxes(R, 1, 2)
        way = np.hstack([cardan_angles(turned @ R_second, "xyz"), (turned @ (second - first)[..., None])[..., 0]])
        return np.asarray(0.5 * way**2 @ [10.0, 20.0, 30.0, 100.0, 200.0, 300.0])

    names, values = acting(BUSHING, q, 0.0 * q)[1].table(["q_moment"])
    assert names == ["pad|q_moment"]
    np.testing.assert_allclose(values[:, 0], (energy(q - h) - energy(q + h)) / (2.0 * h), rtol=1e-7)


def test_a_ball_on_the_floor_is_pushed_up_and_rubs_against_its_way() -> None:
    speed = np.array([0.0, 2.0, -2.0])
    _, effect = acting(CONTACT, np.zeros(3), speed)
    on_floor, on_ball = effect.loads
    k, depth = 0.5 * 1e5 ** (2.0 / 3.0), 0.01
    normal = 4.0 / 3.0 * k * depth * np.sqrt(0.06 * k * depth)
    np.testing.assert_allclose(on_ball.force_N[:, 1], normal, rtol=1e-12)
    # The hinge is above the floor: what turns the rod forwards moves its end along x.
    np.testing.assert_allclose(on_ball.force_N[:, 0], -0.5 * normal * np.sign(speed), atol=1e-9)
    np.testing.assert_allclose(on_floor.force_N, -on_ball.force_N)
    without = forces_in(effect.state.skeleton, effect.state.motion).tau
    with_it = forces_in(effect.state.skeleton, effect.state.motion, effect.loads).tau
    np.testing.assert_allclose(without - with_it, effect.table(["q_moment"])[1], atol=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "open(1)",
        "theta_x.__class__",
        "theta_w",
        "theta_x if 1 else 2",
        "(" * 900,
        "1" * 1001,
        "9" * 999,
        "-" * 999,
        "'a'",
        "sin(1, 2)",
        "+theta_x",
        "True*theta_x",
        "1_0*theta_x",
        "0x10*theta_x",
        "2theta_x",
        "theta_x**2",
        "Add(theta_x, 1)",
        "theta_x # more",
    ],
)
def test_an_expression_of_another_kind_is_named(text: str) -> None:
    bushing = f'<ExpressionBasedBushingForce name="pad"><Mx_expression>{text}</Mx_expression></ExpressionBasedBushingForce>'
    (remark,) = acting(bushing, np.zeros(1), np.zeros(1))[0].remarks
    assert "ExpressionBasedBushingForce pad would act" in remark


def test_defaults_hold_for_what_a_block_does_not_say() -> None:
    curve = '<SimmSpline name="force_length_curve"><x>0 1 2 3</x><y>1 1 1 1</y></SimmSpline>'
    strap = """<Ligament name="{}"><GeometryPath><PathPointSet><objects><PathPoint name="a"><socket_parent_frame>/ground
</socket_parent_frame><location>0.2 0.1 0</location></PathPoint><PathPoint name="b"><socket_parent_frame>/bodyset/rod
</socket_parent_frame><location>0 -0.4 0</location></PathPoint></objects></PathPointSet></GeometryPath>{}<resting_length>0.1
</resting_length><pcsa_force>7</pcsa_force></Ligament>"""
    off = BUSHING.replace("<rotational", "<appliesForce>{}</appliesForce><rotational", 1)
    blocks = BUSHING + off.format("true").replace("pad", "on") + strap.format("one", "") + strap.format("two", curve)
    blocks += strap.format("two", curve.replace("1 1 1 1", "2 2 2 2"))
    default = f"""<defaults><BushingForce name="default"><appliesForce>false</appliesForce></BushingForce><Ligament name="default">
{curve}</Ligament></defaults>"""
    root = fromstring(ROD.format(blocks).replace("<ForceSet>", f"{default}<ForceSet>"))
    model = model_in(root, "rod.osim")
    skeleton, q = Skeleton(model), np.zeros((1, 1))
    effect = passive_forces_in(root, model).exert(PassiveState(skeleton, q, q, skeleton_motion(skeleton, q, q, q)))
    pulls = [np.linalg.norm(action.on_bodies[-1].force_N) for action in effect.actions[1:]]
    assert [action.name for action in effect.actions] == ["on", "one", "two", "two_"]
    np.testing.assert_allclose(pulls, [7.0, 7.0, 14.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("block", "named"),
    [
        (LIMIT.replace(">8<", ">0<"), "CoordinateLimitForce limit"),
        (CONTACT.replace("<stiffness>1e5</stiffness>", ""), "HuntCrossleyForce step"),
        (CONTACT.replace("1e5", "0"), "HuntCrossleyForce step"),
        (CONTACT.replace("1e5", "-1"), "HuntCrossleyForce step"),
        (
            f'<FunctionBasedBushingForce name="pad">{FRAMES}<m_x_theta_x_function><StepFunction/></m_x_theta_x_function>'
            "</FunctionBasedBushingForce>",
            "FunctionBasedBushingForce pad",
        ),
    ],
)
def test_one_force_that_is_not_computed_leaves_the_others(block: str, named: str) -> None:
    forces, effect = acting(block + BUSHING.replace("pad", "bush"), np.full(1, 0.1), np.zeros(1))
    (remark,) = forces.remarks
    assert f"{named} would act" in remark
    assert [action.name for action in effect.actions] == ["bush"]


@pytest.mark.parametrize(
    "start", ["<BushingForce name='pad'>", '<BushingForce\n  name="pad">', "<BushingForce>", '<BushingForce a="/">']
)
def test_forces_are_kept_however_their_tags_are_written(start: str, tmp_path: Path) -> None:
    path = tmp_path / "rod.osim"
    hidden = f"<!-- {LIMIT} --><Muscle><appliesForce>true</appliesForce></Muscle><ElasticFoundationForce/><defaults/>"
    path.write_text(ROD.format(hidden + BUSHING.replace('<BushingForce name="pad">', start)), encoding="utf-8")
    root = read_document(path, actuators=False)
    assert [block.tag for block in objects_in(root, "ForceSet")] == ["ElasticFoundationForce", "BushingForce"]


def test_what_is_not_computed_is_named_and_what_names_nothing_refused() -> None:
    forces, effect = acting('<ElasticFoundationForce name="rubber"/>', np.zeros(1), np.zeros(1))
    (remark,) = forces.remarks
    assert "ElasticFoundationForce rubber would act" in remark
    assert not effect.table(["q_moment"])[0]
    with pytest.raises(UnknownNameError, match="knee"):
        acting(LIMIT.replace(">q<", ">knee<"), np.zeros(1), np.zeros(1))


def test_groups_and_defaults_of_a_set_do_not_become_its_forces(tmp_path: Path) -> None:
    path = tmp_path / "rod.osim"
    beside = '</objects><groups><ObjectGroup name="pads"><members>pad</members></ObjectGroup></groups></ForceSet>'
    text = ROD.format(BUSHING).replace("</objects></ForceSet>", beside)
    path.write_text(text.replace("<ForceSet>", f"<ForceSet><defaults>{LIMIT}</defaults>"), encoding="utf-8")
    root = read_document(path, actuators=False)
    model = model_in(root, str(path))
    assert len(passive_forces_in(root, model).forces) == 1
    assert not passive_forces_in(root, model, ["pads"]).forces
