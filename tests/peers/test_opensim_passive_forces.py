"""Forces that nobody drives, kind by kind: moments with and without them beside OpenSim's inverse dynamics tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.osim.dynamics.recorded_motion import RecordedMotion
from biomech_id.osim.forces.actuators import read_actuated
from biomech_id.osim.forces.equations import force_equations
from biomech_id.osim.forces.joint_reactions import reactions_under
from biomech_id.osim.forces.passive_forces import PassiveForces
from biomech_id.osim.run import run_setup
from biomech_id.readers.opensim.storage import read_storage
from tests.peers.chain_documents import chain_document

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")

SETUP = """<OpenSimDocument Version="40500"><InverseDynamicsTool name="id"><results_directory>.</results_directory>
<model_file>model.osim</model_file><time_range>0 1</time_range><forces_to_exclude>{excluded}</forces_to_exclude>
<coordinates_file>motion.sto</coordinates_file><output_gen_force_file>{out}.sto</output_gen_force_file></InverseDynamicsTool>
</OpenSimDocument>"""
WRAP = (
    '<WrapObjectSet><objects><WrapCylinder name="roll"><xyz_body_rotation>0.3 0.2 0.1</xyz_body_rotation><translation>0.05 0 0'
    "</translation><radius>0.06</radius><length>1</length></WrapCylinder></objects></WrapObjectSet>"
)


def path(*points: tuple[str, str], wrap: str = "") -> str:
    placed = "".join(
        f'<PathPoint name="p{k}"><socket_parent_frame>{body}</socket_parent_frame><location>{place}</location></PathPoint>'
        for k, (body, place) in enumerate(points)
    )
    return f'<GeometryPath name="path"><PathPointSet><objects>{placed}</objects></PathPointSet>{wrap}</GeometryPath>'


OVER = path(("/ground", "0.3 0.1 -0.2"), ("/bodyset/b1", "0.2 0.1 0.3"), ("/bodyset/b2", "0.1 -0.2 0.1"))
ROUND = path(
    ("/bodyset/b0", "0.4 0.3 0.1"), ("/bodyset/b2", "-0.5 -0.3 0.1"),
    wrap='<PathWrapSet><objects><PathWrap name="w"><wrap_object>roll</wrap_object></PathWrap></objects></PathWrapSet>',
)  # fmt: skip
FRAMES = "<socket_frame1>one</socket_frame1><socket_frame2>two</socket_frame2><frames>" + "".join(
    f'<PhysicalOffsetFrame name="{name}"><socket_parent>{body}</socket_parent><translation>{place}</translation>'
    f"<orientation>{turn}</orientation></PhysicalOffsetFrame>"
    for name, body, place, turn in (
        ("one", "/bodyset/b0", "0.1 0.2 0.3", "0.3 -0.2 0.1"), ("two", "/bodyset/b2", "0.2 -0.1 0.1", "0.1 0.4 -0.3"),
    )
) + "</frames>"  # fmt: skip
#: What is said of the chain's made-up masses.
REMARKED = "mass centre beyond"
DAMPING = "<rotational_damping>1 2 3</rotational_damping><translational_damping>4 5 6</translational_damping>"


def limit(coordinate: str, lower: float, upper: float, transition: float) -> str:
    return (
        f'<CoordinateLimitForce name="{coordinate}_limit"><coordinate>{coordinate}</coordinate><upper_stiffness>3</upper_stiffness>'
        f"<upper_limit>{upper}</upper_limit><lower_stiffness>5</lower_stiffness><lower_limit>{lower}</lower_limit>"
        f"<damping>0.7</damping><transition>{transition}</transition></CoordinateLimitForce>"
    )


#: Kind -> blocks.
BLOCKS = {
    "limits": limit("q1_0", -10, 12, 20) + limit("q0_1", -0.1, 0.1, 0.05) + limit("q2_1", -15, 5, 8),
    "spring": "".join(
        f'<SpringGeneralizedForce name="spring_{name}"><coordinate>{name}</coordinate><stiffness>40</stiffness><rest_length>0.1'
        "</rest_length><viscosity>3</viscosity></SpringGeneralizedForce>"
        for name in ("q0_0", "q2_2")
    ),
    "bushing": f'<BushingForce name="pad">{FRAMES}<rotational_stiffness>10 20 30</rotational_stiffness><translational_stiffness>'
    f"100 200 300</translational_stiffness>{DAMPING}</BushingForce>",
    "function_bushing": f'<FunctionBasedBushingForce name="pad_of_functions">{FRAMES}<m_x_theta_x_function><PolynomialFunction>'
    "<coefficients>5 4 3 0</coefficients></PolynomialFunction></m_x_theta_x_function><f_z_delta_z_function><LinearFunction>"
    f"<coefficients>50 3</coefficients></LinearFunction></f_z_delta_z_function>{DAMPING}</FunctionBasedBushingForce>",
    "expression_bushing": f'<ExpressionBasedBushingForce name="pad_of_words">{FRAMES}'
    "<Mx_expression>5*theta_x - 3*theta_y^3</Mx_expression><My_expression>-2^2*theta_y*exp(theta_z)/2</My_expression>"
    f"<Fz_expression>100*delta_z + 40*sin(delta_x)*cos(theta_y) - -3</Fz_expression>{DAMPING}</ExpressionBasedBushingForce>",
    "points": '<PointToPointSpring name="band"><socket_body1>/bodyset/b0</socket_body1><socket_body2>/bodyset/b2</socket_body2>'
    "<point1>0.1 0.2 0.3</point1><point2>0.2 -0.2 0</point2><stiffness>200</stiffness><rest_length>0.2</rest_length>"
    "</PointToPointSpring>",
    "path_spring": f'<PathSpring name="path_spring">{OVER}<resting_length>0.5</resting_length><stiffness>300</stiffness>'
    "<dissipation>0.4</dissipation></PathSpring>",
    "ligament": f'<Ligament name="ligament">{OVER}<resting_length>0.7</resting_length><pcsa_force>100</pcsa_force></Ligament>',
    "ligament_of_curve": f'<Ligament name="ligament_of_curve">{ROUND}<resting_length>0.3</resting_length><pcsa_force>100'
    "</pcsa_force><force_length_curve><SimmSpline><x>-5 0.9 1 1.5 2 9</x><y>0 0 0.1 0.5 2 3</y></SimmSpline></force_length_curve>"
    "</Ligament>",
    "blankevoort": f'<Blankevoort1991Ligament name="blankevoort">{ROUND}<linear_stiffness>1000</linear_stiffness>'
    "<transition_strain>0.3</transition_strain><damping_coefficient>8</damping_coefficient><slack_length>0.9</slack_length>"
    "</Blankevoort1991Ligament>",
}  # fmt: skip

SURFACES = "<ContactGeometrySet><objects>" + "".join(
    f'<{kind} name="{name}"><socket_frame>{body}</socket_frame><location>{place}</location><orientation>{turn}</orientation>{more}'
    f"</{kind}>"
    for kind, name, body, place, turn, more in (
        ("ContactHalfSpace", "floor", "/ground", "0 0.1 0", "0.1 0.2 -1.3", ""),
        ("ContactHalfSpace", "wall", "/bodyset/b0", "0.2 0 0", "0.3 0.1 0.4", ""),
        ("ContactSphere", "heel", "/bodyset/b1", "0.1 0.1 0.2", "0 0 0", "<radius>0.3</radius>"),
        ("ContactSphere", "toe", "/bodyset/b2", "0.2 -0.1 0.1", "0 0 0", "<radius>0.25</radius>"),
        ("ContactSphere", "ball", "/ground", "0.3 0.2 0.1", "0 0 0", "<radius>0.4</radius>"),
    )
) + "</objects></ContactGeometrySet>"  # fmt: skip


def contact(name: str, *groups: tuple[str, str]) -> str:
    parameters = "".join(
        f"<HuntCrossleyForce::ContactParameters><geometry>{surfaces}</geometry>"
        + "".join(f"<{tag}>{value}</{tag}>" for tag, value in zip(CONTACT, numbers.split(), strict=True))
        + "</HuntCrossleyForce::ContactParameters>"
        for surfaces, numbers in groups
    )
    return (
        f'<HuntCrossleyForce name="{name}"><HuntCrossleyForce::ContactParametersSet name="contact_parameters"><objects>{parameters}'
        "</objects></HuntCrossleyForce::ContactParametersSet><transition_velocity>0.2</transition_velocity></HuntCrossleyForce>"
    )


CONTACT = ("stiffness", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")
BLOCKS |= {
    "contact_with_floor": contact("step", ("floor heel toe", "1000 0.5 0.8 0.4 0.2")),
    "contact_of_two_kinds": contact("steps", ("floor", "5000 0.1 0.9 0.6 0.1"), ("heel toe", "1000 0.5 0.7 0.4 0.3"))
    + contact("bumps", ("wall", "3000 0 0 0 0"), ("toe", "500 0.7 0.8 0.4 0.2")),
    "contact_of_spheres": contact("knocks", ("ball", "4000 0.3 0.5 0.3 0"), ("heel toe", "1000 0.5 0.8 0.4 0.2")),
}


def set_aside(blocks: str, holder: str, *, body: str = "") -> Callable[[str], str]:
    """A model's text with these blocks in a set, or among the components of the model or of a body."""

    def change(text: str) -> str:
        inside = f"<objects>{blocks}</objects>" if holder == "ComponentSet" else blocks
        at = text.index("</Body>", text.index(f'<Body name="{body}">')) if body else text.index("</Model>")
        return f"{text[:at]}<{holder}>{inside}</{holder}>{text[at:]}"

    return change


def by_default(kind: str, says: str) -> Callable[[str], str]:
    return lambda text: text.replace("<ForceSet>", f'<defaults><{kind} name="default">{says}</{kind}></defaults><ForceSet>')


def expression(words: str) -> str:
    return BLOCKS["expression_bushing"].replace("5*theta_x - 3*theta_y^3", words)


def as_opensim_writes(text: str) -> str:
    curve = text[text.index("<force_length_curve>") : text.index("</force_length_curve>")]
    named = curve.replace("<force_length_curve>", "").replace("<SimmSpline>", '<SimmSpline name="force_length_curve">')
    return text.replace(f"{curve}</force_length_curve>", named)


PAD = '<BushingForce name="pad">'
#: What is odd -> blocks, and how the model's text is changed then.
ODD: dict[str, tuple[str, Callable[[str], str]]] = {
    "function_named_as_its_property": (BLOCKS["ligament_of_curve"], as_opensim_writes),
    "force_in_a_comment": (f"{BLOCKS['spring']}<!-- {BLOCKS['bushing']} -->", str),
    "set_in_a_comment": (BLOCKS["bushing"], lambda text: f"{text}<!-- </ForceSet> -->"),
    **{
        f"tag_{k}": (BLOCKS["bushing"].replace(PAD, tag), str)
        for k, tag in enumerate(
            ("<BushingForce name='pad'>", '<BushingForce  name="pad">', '<BushingForce\nname="pad">', "<BushingForce>")
        )
    },
    "paths_without_names": (
        (plain := BLOCKS["path_spring"].replace(' name="path_spring"', "")) + plain.replace("0.5<", "0.3<"),
        str,
    ),
    "component": ("", set_aside(BLOCKS["bushing"] + BLOCKS["path_spring"], "components")),
    "component_of_a_body": ("", set_aside(BLOCKS["bushing"], "components", body="b1")),
    "component_set": ("", set_aside(BLOCKS["blankevoort"], "ComponentSet")),
    # OpenSim keeps defaults for the documents after: only of what all other blocks here say themselves.
    "dissipation_by_default": (
        BLOCKS["path_spring"].replace("<dissipation>0.4</dissipation>", ""),
        by_default("PathSpring", "<dissipation>0.4</dissipation>"),
    ),
    "expression_by_default": (
        BLOCKS["expression_bushing"].replace("<Mx_expression>5*theta_x - 3*theta_y^3</Mx_expression>", ""),
        by_default("ExpressionBasedBushingForce", "<Mx_expression>50*theta_x</Mx_expression>"),
    ),
    **{
        f"expression_{words}": (expression(words), str)
        for words in ("010*theta_x", "20*theta_x;", "1E2 * .5*theta_x;;", "2 3*theta_x")
    },
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_documents_are_read_as_opensim_reads_them(odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks, change = ODD[odd]
    write_case(tmp_path, blocks)
    model = tmp_path / "model.osim"
    model.write_text(change(model.read_text(encoding="utf-8")), encoding="utf-8")
    ours, theirs, _ = moments(tmp_path, monkeypatch)
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)
    assert (tmp_path / "ours" / "all_passive_forces.sto").exists()


@pytest.mark.parametrize("words", ["ALL", "pads"])
def test_opensim_lets_forces_beyond_the_force_set_act(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = '<ObjectGroup name="pads"><members>pad spring_q2_2</members></ObjectGroup>'
    write_case(tmp_path, BLOCKS["spring"], groups=groups)
    model = tmp_path / "model.osim"
    model.write_text(set_aside(BLOCKS["bushing"], "ComponentSet")(model.read_text(encoding="utf-8")), encoding="utf-8")
    ours, theirs, _ = moments(tmp_path, monkeypatch, f"Muscles {words}")
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)
    outcome = run_setup(tmp_path / "all.xml", tmp_path / "without_compat")
    assert any("excludes pad by name, or beyond" in remark for remark in outcome.remarks) == (words == "ALL")


def test_a_commented_group_excludes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = '<!-- <ObjectGroup name="pads"><members>pad</members></ObjectGroup> -->'
    write_case(tmp_path, BLOCKS["bushing"], groups=group)
    ours, theirs, worth = moments(tmp_path, monkeypatch, "Muscles pads")
    assert np.abs(worth).max() > 0.5
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)


@pytest.mark.parametrize("words", ["+theta_x", "2*+theta_x", "True*theta_x", "1_0*theta_x", "theta_x**2", "Add(theta_x,1)", "0x10"])
def test_expressions_that_opensim_refuses_are_named(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path, expression(words))
    (tmp_path / "id.xml").write_text(SETUP.format(excluded="Muscles", out="id"), encoding="utf-8")
    assert any("pad_of_words would act" in remark for remark in run_setup(tmp_path / "id.xml", tmp_path / "ours").remarks)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError, match="bool OpenSim::InverseDynamicsTool::run"):
        osim.InverseDynamicsTool("id.xml").run()


DRIVEN = f'<Thelen2003Muscle name="muscle">{OVER}</Thelen2003Muscle>' + "".join(
    f'<CoordinateActuator name="drive_{name}"><coordinate>{name}</coordinate><optimal_force>1</optimal_force></CoordinateActuator>'
    for name in ("q0_0", "q0_1", "q0_2", "q1_0", "q2_0", "q2_1", "q2_2")
)


@pytest.mark.parametrize("kind", BLOCKS)
def test_muscle_forces_and_reactions_have_them_as_opensim_has(kind: str, tmp_path: Path) -> None:
    """Forces that balance a motion give OpenSim's model that motion, and its joints what they carry here."""
    # In this pose a ligament of 0.9 m is slack.
    write_case(tmp_path, BLOCKS[kind].replace("<slack_length>0.9", "<slack_length>0.5") + DRIVEN, last="Gimbal")
    actuated = read_actuated(tmp_path / "model.osim")
    q, rate, second = np.random.default_rng(3).uniform(-0.6, 0.6, (3, 1, 7))
    equations = force_equations(actuated, RecordedMotion(np.zeros(1), q, rate, second), compat=True)
    force = np.full((1, 8), 40.0)
    force[:, 1:] = equations.tau - equations.arms[:, :, 0] * force[:, :1]
    without = force_equations(replace(actuated, passive=PassiveForces()), equations.motion, compat=True)
    assert np.abs(without.tau - equations.tau).max() > 0.1
    model = osim.Model(str(tmp_path / "model.osim"))
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(k) for k in range(7)]
    for k, coordinate in enumerate(coordinates):
        coordinate.setValue(state, float(q[0, k]), False)
        coordinate.setSpeedValue(state, float(rate[0, k]))
    for name, value in zip(actuated.names, force[0].tolist(), strict=True):
        actuator = osim.ScalarActuator.safeDownCast(model.getForceSet().get(name))
        actuator.overrideActuation(state, True)
        actuator.setOverrideActuation(state, value)
    model.realizeAcceleration(state)
    np.testing.assert_allclose([each.getAccelerationValue(state) for each in coordinates], second[0], atol=1e-6)
    ours = reactions_under(equations, force)
    theirs = [model.getJointSet().get(name).calcReactionOnChildExpressedInGround(state) for name in ours.joints]
    for k, values in enumerate((ours.moment_Nm, ours.force_N)):
        np.testing.assert_allclose(values[0], [each.get(k).to_numpy() for each in theirs], atol=1e-6)


def write_case(folder: Path, blocks: str, *, groups: str = "", last: str = "Ball") -> None:
    forces = f"<ForceSet><objects>{blocks}</objects><groups>{groups}</groups></ForceSet>{SURFACES}"
    text = chain_document(["Custom", "Pin", last], 1).replace("</Model>", f"{forces}</Model>")
    at = text.index("</Body>", text.index('<Body name="b1">'))
    (folder / "model.osim").write_text(text[:at] + WRAP + text[at:], encoding="utf-8")
    write_motion(folder, ["q0_0", "q0_1", "q0_2", "q1_0", "q2_0", "q2_1", "q2_2"])


def write_motion(folder: Path, names: list[str]) -> None:
    time, n = np.linspace(0.0, 1.0, 41), len(names)
    q = 0.5 * np.sin(np.add.outer(7.0 * time, np.arange(n))) * np.linspace(1.0, 0.6, n)
    rows = "\n".join("\t".join(f"{value:.12f}" for value in row) for row in np.column_stack([time, q]))
    head = f"motion\nversion=1\nnRows=41\nnColumns={n + 1}\ninDegrees=no\nendheader\n{chr(9).join(['time', *names])}\n"
    (folder / "motion.sto").write_text(head + rows + "\n", encoding="utf-8")


def moments(folder: Path, monkeypatch: pytest.MonkeyPatch, excluded: str = "Muscles") -> tuple[Any, Any, FloatArray]:
    """Tables of both programs, and what the forces are worth by OpenSim."""
    for out, words in (("all", excluded), ("without", "ALL")):
        (folder / f"{out}.xml").write_text(SETUP.format(excluded=words, out=out), encoding="utf-8")
    outcome = run_setup(folder / "all.xml", folder / "ours", compat=True)
    assert not [remark for remark in outcome.remarks if REMARKED not in remark]
    monkeypatch.chdir(folder)
    assert osim.InverseDynamicsTool("all.xml").run()
    assert osim.InverseDynamicsTool("without.xml").run()
    theirs, without = read_storage(folder / "all.sto"), read_storage(folder / "without.sto")
    ours = read_storage(folder / "ours" / "all.sto")
    assert ours.columns == theirs.columns
    return ours, theirs, without.values - theirs.values


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Muscles", ["pad", "spring_q0_0", "spring_q2_2"]),
        ("actuators pads", ["spring_q0_0", "spring_q2_2"]),
        # OpenSim 4.6 heeds no names of single forces.
        ("spring_q0_0 PAD Pads", ["pad", "spring_q0_0", "spring_q2_2"]),
        ("spring_q2_2 aLL", []),
    ],
)
def test_what_a_setup_excludes_is_left_out(words: str, left: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    off = BLOCKS["points"].replace("<socket_body1>", "<appliesForce>false</appliesForce><socket_body1>")
    groups = '<ObjectGroup name="pads"><members>pad band</members></ObjectGroup>'
    write_case(tmp_path, BLOCKS["spring"] + BLOCKS["bushing"] + off, groups=groups)
    ours, theirs, worth = moments(tmp_path, monkeypatch, f"Muscles {words}")
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)
    assert worth.any() == bool(left)
    own = tmp_path / "ours" / "all_passive_forces.sto"
    assert own.exists() == bool(left)
    if left:
        assert sorted({name.partition("|")[0] for name in read_storage(own).columns}) == left


def test_names_that_a_setup_excludes_are_heeded_by_default(tmp_path: Path) -> None:
    write_case(tmp_path, BLOCKS["spring"] + BLOCKS["bushing"])
    (tmp_path / "id.xml").write_text(SETUP.format(excluded="Muscles spring_q0_0 PAD", out="id"), encoding="utf-8")
    outcome = run_setup(tmp_path / "id.xml", tmp_path / "ours")
    own = read_storage(tmp_path / "ours" / "id_passive_forces.sto")
    assert {name.partition("|")[0] for name in own.columns} == {"pad", "spring_q2_2"}
    (remark,) = (remark for remark in outcome.remarks if REMARKED not in remark)
    assert "spring_q0_0 by name" in remark


OLD = """<OpenSimDocument Version="30000"><Model name="old"><gravity>0 -9.8 0</gravity><BodySet><objects>
<Body name="ground"><mass>0</mass><mass_center>0 0 0</mass_center></Body>
<Body name="rod"><mass>2</mass><mass_center>0 -0.2 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.08</inertia_yy>
<inertia_zz>0.15</inertia_zz><Joint><PinJoint name="hinge"><parent_body>ground</parent_body><location_in_parent>0 0.4 0
</location_in_parent><orientation_in_parent>0.1 0.2 0</orientation_in_parent><location>0 0 0</location>
<orientation>0 0 0</orientation>
<CoordinateSet><objects><Coordinate name="q"><range>-9 9</range></Coordinate></objects></CoordinateSet></PinJoint></Joint></Body>
</objects></BodySet><defaults><CoordinateLimitForce name="default">
<damping>0.3</damping></CoordinateLimitForce></defaults><ForceSet><defaults><CoordinateLimitForce name="default">
<damping>9</damping>
</CoordinateLimitForce></defaults><objects>
<CoordinateLimitForce name="limit"><isDisabled>false</isDisabled><coordinate>q</coordinate><upper_limit>9</upper_limit>
</CoordinateLimitForce>
<BushingForce name="pad"><body_1>ground</body_1><body_2>rod</body_2><location_body_1>0.1 0.2 0.1</location_body_1>
<orientation_body_1>0.1 0.2 0.3</orientation_body_1><location_body_2>0 -0.2 0.1</location_body_2><orientation_body_2>0.3 0 0.1
</orientation_body_2><rotational_stiffness>10 20 30</rotational_stiffness><translational_stiffness>100 200 300
</translational_stiffness></BushingForce>
<HuntCrossleyForce name="step"><HuntCrossleyForce::ContactParametersSet name="contact_parameters"><objects>
<HuntCrossleyForce::ContactParameters><geometry>floor ball</geometry><stiffness>5000</stiffness><dissipation>0.2</dissipation>
<static_friction>0.8</static_friction><dynamic_friction>0.4</dynamic_friction><viscous_friction>0.1</viscous_friction>
</HuntCrossleyForce::ContactParameters></objects></HuntCrossleyForce::ContactParametersSet></HuntCrossleyForce>
<Ligament name="strap"><GeometryPath><PathPointSet><objects><PathPoint name="a"><body>ground</body><location>0.2 0.1 0</location>
</PathPoint><PathPoint name="b"><body>rod</body><location>0 -0.4 0.1</location></PathPoint></objects></PathPointSet></GeometryPath>
<resting_length>0.15</resting_length><pcsa_force>200</pcsa_force></Ligament>
</objects></ForceSet><ContactGeometrySet><objects>
<ContactHalfSpace name="floor"><body_name>ground</body_name><location>0 0 0</location>
<orientation>0 0 -1.5</orientation></ContactHalfSpace>
<ContactSphere name="ball"><body_name>rod</body_name><location>0 -0.4 0</location>
<radius>0.1</radius></ContactSphere></objects></ContactGeometrySet></Model></OpenSimDocument>"""


def test_blocks_of_older_versions_act_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.osim").write_text(OLD, encoding="utf-8")
    write_motion(tmp_path, ["q"])
    ours, theirs, worth = moments(tmp_path, monkeypatch)
    assert len(read_storage(tmp_path / "ours" / "all_passive_forces.sto").columns) == 4
    assert np.abs(worth).max() > 1.0
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)


@pytest.mark.parametrize("kind", BLOCKS)
def test_each_kind_acts_as_in_opensim(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path, BLOCKS[kind])
    ours, theirs, worth = moments(tmp_path, monkeypatch)
    assert np.abs(worth).max() > 0.5
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-6)
    own = read_storage(tmp_path / "ours" / "all_passive_forces.sto")
    for k, column in enumerate(ours.columns):
        parts = [own[name] for name in own.columns if name.endswith(f"|{column}")]
        np.testing.assert_allclose(np.sum(parts, axis=0) if parts else 0.0, worth[:, k], atol=1e-6)
