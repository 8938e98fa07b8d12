"""Setups of OpenSim's AnalyzeTool on a rod with a muscle: files, both analyses at once, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import BiomechError, FileRefusedError, InvalidValueError, MissingInputError, OptionError
from biomech_id.osim.run import run_setup
from biomech_id.readers.opensim.storage import read_storage

MODEL = """<OpenSimDocument Version="40000"><Model name="rod"><BodySet><objects><Body name="rod"><mass>2</mass>
<mass_center>0.2 0 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
<PinJoint name="hinge"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/rod</socket_child_frame>
<coordinates><Coordinate name="angle"/></coordinates></PinJoint></objects></JointSet><ForceSet><objects>
<DeGrooteFregly2016Muscle name="flexor"><max_isometric_force>900</max_isometric_force><GeometryPath><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/ground</socket_parent_frame><location>0 0.3 0</location></PathPoint>
<PathPoint name="b"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>0.1 0 0</location></PathPoint>
</objects></PathPointSet></GeometryPath></DeGrooteFregly2016Muscle>MORE</objects></ForceSet></Model></OpenSimDocument>"""
RESERVE = '<CoordinateActuator name="reserve"><coordinate>angle</coordinate></CoordinateActuator>'
FORCES = '<StaticOptimization name="so"><activation_exponent>2</activation_exponent></StaticOptimization>'
REACTION = '<JointReaction name="jr"><joint_names>ALL</joint_names><apply_on_bodies>parent</apply_on_bodies></JointReaction>'
SETUP = """<OpenSimDocument><AnalyzeTool name="rod"><model_file>rod.osim</model_file><initial_time>-Inf</initial_time>
<final_time>Inf</final_time><AnalysisSet><objects>{}</objects></AnalysisSet><coordinates_file>swing.sto</coordinates_file>
<lowpass_cutoff_frequency_for_coordinates>{}</lowpass_cutoff_frequency_for_coordinates></AnalyzeTool></OpenSimDocument>"""


def folder(path: Path, analyses: str, *, more: str = RESERVE, cutoff: str = "-1") -> Path:
    (path / "rod.osim").write_text(MODEL.replace("MORE", more))
    (path / "setup.xml").write_text(SETUP.format(analyses, cutoff))
    t = np.arange(30) / 50.0
    rows = [f"{a:.6f}\t{0.3 * np.sin(4 * a):.9f}" for a in t]
    (path / "swing.sto").write_text("\n".join(["swing", "version=1", "inDegrees=no", "endheader", "time\tangle", *rows]) + "\n")
    return path / "setup.xml"


def test_both_analyses_come_of_one_setup_and_fit_together(tmp_path: Path) -> None:
    outcome = run_setup(folder(tmp_path, FORCES + REACTION))
    names = ["rod_so_activation.sto", "rod_so_force.sto", "rod_jr_ReactionLoads.sto"]
    assert [path.name for path in outcome.written] == names
    assert outcome.remarks == ()
    activation, force, loads = (read_storage(tmp_path / name) for name in names)
    assert activation.columns == ("flexor", "reserve")
    assert (activation["flexor"] >= 0.01).all()
    # Weight and muscle hang on the hinge: at rest the rod pulls its parent down, the muscle presses the rod into it.
    assert loads.columns[1] == "hinge_on_ground_in_ground_fy"
    angle = read_storage(tmp_path / "swing.sto")["angle"]
    tip = 0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    along = np.array([0.0, 0.3]) - tip
    pull = force["flexor"][:, None] * along / np.linalg.norm(along, axis=1, keepdims=True)
    t = force.time_s
    second = np.gradient(np.gradient(angle, t), t)
    rate = np.gradient(angle, t)
    centre = 0.2 * np.stack(
        [-np.sin(angle) * second - np.cos(angle) * rate**2, np.cos(angle) * second - np.sin(angle) * rate**2], axis=1
    )
    hinge = 2.0 * (centre + [0.0, 9.80665]) - pull
    np.testing.assert_allclose(-loads.values[3:-3, :2], hinge[3:-3], atol=0.05)


def test_forces_that_act_by_themselves_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    pads = "".join(f'<ElasticFoundationForce name="pad{k}"/>' for k in range(5))
    (remark,) = run_setup(folder(tmp_path, FORCES, more=RESERVE + pads)).remarks
    assert "ElasticFoundationForce pad2 and 2 more would act" in remark


BALL = """<HuntCrossleyForce name="heel"><HuntCrossleyForce..ContactParametersSet><objects><HuntCrossleyForce..ContactParameters>
<geometry>floor ball</geometry><stiffness>1e3</stiffness></HuntCrossleyForce..ContactParameters></objects>
</HuntCrossleyForce..ContactParametersSet></HuntCrossleyForce>"""
SURFACES = """<ContactGeometrySet><objects><ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame>
<location>0 FLOOR 0</location><orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>
<ContactSphere name="ball"><socket_frame>/bodyset/rod</socket_frame><location>0 0 0</location><radius>0.06</radius></ContactSphere>
</objects></ContactGeometrySet></Model>"""
INVERSE = "</coordinates_file><forces_to_exclude>Muscles</forces_to_exclude><output_gen_force_file>id.sto</output_gen_force_file>"
LOADS = """<ExternalLoads><objects><ExternalForce name="f"><applied_to_body>rod</applied_to_body><force_identifier>f_v
</force_identifier><point_identifier>f_p</point_identifier></ExternalForce></objects><datafile>f.sto</datafile></ExternalLoads>"""


@pytest.mark.parametrize(("floor_m", "twice"), [(-0.05, True), (-1.0, False)])
def test_a_contact_that_presses_where_a_force_was_measured_is_named(floor_m: float, twice: bool, tmp_path: Path) -> None:
    setup = folder(tmp_path, FORCES, more=RESERVE + BALL)
    model = tmp_path / "rod.osim"
    model.write_text(model.read_text().replace("</Model>", SURFACES.replace("FLOOR", str(floor_m))))
    setup.write_text(
        setup.read_text().replace("<coordinates_file>", "<external_loads_file>l.xml</external_loads_file><coordinates_file>")
    )
    (tmp_path / "l.xml").write_text(LOADS)
    names, rows = (f"f_{word}{axis}" for word in "vp" for axis in "xyz"), [f"{k / 50:.2f} 0 1 0 0 0 0" for k in range(30)]
    (tmp_path / "f.sto").write_text("\n".join(["f", "version=1", "endheader", f"time {' '.join(names)}", *rows]).replace(" ", "\t"))
    sentence = "heel presses on rod, on which l.xml has a measured force too: both count; switch one off."
    assert (sentence in run_setup(setup).remarks) == twice
    moments = setup.read_text().replace("AnalyzeTool", "InverseDynamicsTool").replace("</coordinates_file>", INVERSE)
    setup.write_text(re.sub(r"<AnalysisSet>.*</AnalysisSet>", "", moments))
    assert (sentence in run_setup(setup).remarks) == twice


@pytest.mark.parametrize(
    ("analyses", "more", "cutoff", "error", "sentence"),
    [
        ("", RESERVE, "-1", FileRefusedError, "no analysis that is on"),
        (FORCES.replace("<activation", "<on>false</on><activation"), RESERVE, "-1", FileRefusedError, "no analysis that is on"),
        ('<Kinematics name="k"/>', RESERVE, "-1", FileRefusedError, "Kinematics k in setup.xml is not supported"),
        (FORCES.replace(">2<", ">1.5<"), RESERVE, "-1", OptionError, "no smooth optimum"),
        (FORCES.replace("<act", "<use_model_force_set>false</use_model_force_set><act"), "", "-1", OptionError, "inverse dynamics"),
        (REACTION, RESERVE, "-1", FileRefusedError, "names no forces_file"),
        (FORCES, RESERVE, "0", InvalidValueError, "low-pass filter at 0 Hz"),
        (FORCES, RESERVE, "25", InvalidValueError, "low-pass filter at 25 Hz"),
    ],
)
def test_setups_without_an_answer_are_refused(
    tmp_path: Path, analyses: str, more: str, cutoff: str, error: type[BiomechError], sentence: str
) -> None:
    setup = folder(tmp_path, analyses, more=more, cutoff=cutoff)
    with pytest.raises(error, match=sentence):
        run_setup(setup)
    assert not list(tmp_path.glob("rod_*"))


TOE = """</Body><Body name="toe"><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
<PinJoint name="end"><socket_parent_frame>/bodyset/rod</socket_parent_frame><socket_child_frame>/bodyset/toe</socket_child_frame>
<coordinates><Coordinate name="turn"/></coordinates></PinJoint>"""
#: What is wrong with a folder -> the file, what of it is replaced by what, and what is then said.
WRONG = {
    "forces lack an actuator": ("forces.sto", "\treserve", "\tother", "forces.sto lacks 1 of 2 actuators, reserve among them"),
    "model without muscles": ("rod.osim", "DeGrooteFregly2016Muscle", "Bushing", "rod.osim has no muscle that could be given"),
    "filter at 0": ("setup.xml", "coordinates>-1<", "coordinates>0<", "A low-pass filter at 0 Hz leaves nothing"),
    "filter at half the rate": ("setup.xml", "coordinates>-1<", "coordinates>25<", "A low-pass filter at 25 Hz leaves nothing"),
    "coordinate that is not recorded": ("rod.osim", "</Body></objects></BodySet><JointSet><objects>", TOE, "has no column turn"),
    "motion of another model": ("swing.sto", "\tangle", "\tknee", "has no column for any coordinate of rod"),
    "joint of another model": ("setup.xml", ">ALL<", ">ankle<", "The model rod has no joint 'ankle'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_one_sentence_on_the_command_line(case: str, tmp_path: Path) -> None:
    run_setup(folder(tmp_path, FORCES), tmp_path / "before")
    (tmp_path / "forces.sto").write_text((tmp_path / "before" / "rod_so_force.sto").read_text())
    setup = folder(tmp_path, FORCES + REACTION.replace("<joint", "<forces_file>forces.sto</forces_file><joint", 1))
    assert CliRunner().invoke(app, ["opensim-run", str(setup), "-o", str(tmp_path / "right")]).exit_code == 0
    file, old, new, sentence = WRONG[case]
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    result = CliRunner().invoke(app, ["opensim-run", str(setup), "-o", str(tmp_path / "wrong")])
    assert result.exit_code == 1
    (line,) = result.stderr.strip().splitlines()
    assert sentence in line
    assert not (tmp_path / "wrong").exists()


def test_a_session_refuses_a_model_without_muscles_before_it_reads_recordings(tmp_path: Path) -> None:
    setup, subject = folder(tmp_path, FORCES), tmp_path / "anna"
    subject.mkdir()
    (subject / "walk.c3d").write_bytes(b"no recording")
    words = ["run", str(subject), "-o", str(tmp_path / "out"), "--model", str(setup.parent / "rod.osim"), "--muscle-forces"]
    with_muscles = CliRunner().invoke(app, words)
    assert "walk.c3d" in with_muscles.stderr
    bare = MODEL.replace("DeGrooteFregly2016Muscle", "Bushing").replace("MORE", RESERVE)
    (tmp_path / "rod.osim").write_text(bare)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    (line,) = result.stderr.strip().splitlines()
    assert "rod.osim has no muscle that could be given a force" in line
    assert "walk.c3d" not in line
    assert not (tmp_path / "out").exists()


def test_forces_that_lack_an_actuator_are_refused(tmp_path: Path) -> None:
    run_setup(folder(tmp_path, FORCES), tmp_path / "out")
    text = (tmp_path / "out" / "rod_so_force.sto").read_text()
    (tmp_path / "forces.sto").write_text(text.replace("\treserve", "\tother"))
    reading = REACTION.replace("<joint", "<forces_file>forces.sto</forces_file><joint", 1)
    with pytest.raises(MissingInputError, match=r"forces.sto lacks 1 of 2 actuators, reserve among them"):
        run_setup(folder(tmp_path, reading))
    (tmp_path / "forces.sto").write_text(text)
    assert len(run_setup(folder(tmp_path, reading)).written) == 1


def test_rows_without_an_answer_are_not_written(tmp_path: Path) -> None:
    weak = RESERVE.replace("</coordinate>", "</coordinate><min_control>-3.4</min_control><max_control>3.4</max_control>")
    setup = folder(tmp_path, FORCES, more=weak)
    (tmp_path / "rod.osim").write_text((tmp_path / "rod.osim").read_text().replace(">900<", ">5<"))
    outcome = run_setup(setup)
    written = read_storage(tmp_path / "rod_so_force.sto")
    assert 0 < len(written.time_s) < 30
    assert np.isfinite(written.values).all()
    assert outcome.remarks[0].startswith(f"{30 - len(written.time_s)} of 30 rows have no answer and are not written")
