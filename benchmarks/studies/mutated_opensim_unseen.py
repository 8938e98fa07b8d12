# ruff: noqa: E501
"""Kinds of mutations that no rule was set from: the honest figure of `benchmarks.studies.mutated_opensim`.

Written from the list of what may go wrong (header, angles' units, names, units, order, time, axes, prefixes, encoding) before the
rules were looked at, and kept apart from the kinds of `benchmarks.studies.mutated_opensim_kinds` and
`benchmarks.studies.mutated_opensim_second`: a rule that is changed because of one of these makes it a seen one, and it moves there.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from benchmarks.studies.mutated_opensim_kinds import (
    LOWPASS,
    REFERENCES,
    Case,
    Kind,
    NotHere,
    Table,
    _marker_names,
    forces,
    inside,
    marker_threes,
    points,
    scaled,
    subbed,
    tabled,
    tag,
    times,
    torques,
    translations,
    turned,
    written,
)  # fmt: skip
from benchmarks.studies.mutated_opensim_second import (
    AS_ASKED,
    Numbers,
    amid,
    angles,
    columns,
    ending,
    exchanged,
    later,
    nth_load,
    number_words,
    within_range,
)  # fmt: skip

UNSEEN: list[Kind] = []


def unseen(part: str, tools: str, *kinds: tuple[str, Callable[[Case], None]] | tuple[str, Callable[[Case], None], str]) -> None:
    """Put kinds into the list."""
    UNSEEN.extend(Kind(part, name, do, tuple(tools.split()), *valid) for name, do, *valid in kinds)


def without(names: Callable[[Table], list[str]]) -> Callable[[Table], None]:
    """Columns are gone, and the header knows."""

    def changed(table: Table) -> None:
        kept = [at for at, name in enumerate(table.names) if name not in names(table)]
        table.names, table.rows = [table.names[at] for at in kept], [[row[at] for at in kept] for row in table.rows]
        table.head = [re.sub(r"^nColumns=.*", f"nColumns={len(table.names)}", line) for line in table.head]

    return changed


def seconds_late(seconds: float) -> Callable[[Table], Numbers]:
    """Numbers that come later by so much, the first one before them."""

    def rule(table: Table) -> Numbers:
        clock = table.column("time")
        rows = round(seconds / (clock[1] - clock[0]))
        return lambda x: np.concatenate([np.full(rows, x[0]), x[:-rows]])

    return rule


def delayed(names: Callable[[Table], list[str]], seconds: float) -> Callable[[Table], None]:
    """Some columns come later than the others."""
    return lambda table: columns(names, seconds_late(seconds)(table))(table)


def stretch_backwards(x: np.ndarray) -> np.ndarray:
    """The middle third runs backwards."""
    first, last = len(x) // 3, 2 * len(x) // 3
    return np.concatenate([x[:first], x[first:last][::-1], x[last:]])


def sides_from_the_middle(table: Table) -> None:
    """Left and right change places from the middle on."""
    pairs = [
        (table.names.index(name), table.names.index(name[:-2] + "_l"))
        for name in table.names
        if name.endswith("_r") and name[:-2] + "_l" in table.names
    ]
    for row in table.rows[len(table.rows) // 2 :]:
        for right, left in pairs:
            row[right], row[left] = row[left], row[right]


def leaning(degrees: float) -> Callable[[list[float]], list[float]]:
    """Turned about the axis ahead: the ground is not level."""
    cos, sin = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
    return lambda v: [v[0], cos * v[1] - sin * v[2], sin * v[1] + cos * v[2]]


def leaked(table: Table) -> None:
    """A twentieth of the vertical force stands in the forward one too."""
    for name in [name for name in forces(table) if name.endswith("vx")]:
        vertical = np.array(table.column(name[:-1] + "y"))
        columns([name], lambda x, more=0.05 * vertical: x + more)(table)


def load_again(case: Case) -> None:
    """The first load stands there a second time under another name."""
    case.sub(
        "loads", r"<ExternalForce name.*?</ExternalForce>", lambda m: m[0] + re.sub(r'name="\w+"', 'name="again"', m[0], count=1), 1
    )


def of_another(folder: str, file: str, part: str) -> Callable[[Case], None]:
    """The file of another person's recording under this part's name."""

    def changed(case: Case) -> None:
        if case.name == folder or part not in case.files:
            raise NotHere
        case.text[part] = (REFERENCES / folder / file).read_text(encoding="utf-8")

    return changed


def names_within(rule: Callable[[str], str]) -> Callable[[Table], None]:
    """Every marker's name by a rule."""
    return _marker_names(lambda names: [rule(name) for name in names])


def thighs(name: str) -> str:
    """A thigh's marker by the name of the other side's."""
    if re.match(r"[RL]\.?T(high|H\d)", name):
        return ("L" if name[0] == "R" else "R") + name[1:]
    return name


def blank_markers(names: str) -> Callable[[Case], None]:
    """Some markers were not seen at all."""

    def changed(case: Case) -> None:
        table = case.table("markers")
        labels = [name for at, name in enumerate(table.names) if at > 1 and name.strip()]
        numbers = [number for number, name in enumerate(labels) if re.fullmatch(names, name)]
        if not numbers:
            raise NotHere
        for row in table.rows:
            for number in numbers:
                row[2 + 3 * number : 5 + 3 * number] = [""] * 3
        case.text["markers"] = table.text

    return changed


def rows_late(numbers: Callable[[int], bool], rows: int) -> Callable[[Table], None]:
    """Some markers come some rows later than the others."""

    def changed(table: Table) -> None:
        before = [list(row) for row in table.rows]
        for at, row in enumerate(table.rows):
            for number in range((len(row) - 2) // 3):
                if numbers(number):
                    row[2 + 3 * number : 5 + 3 * number] = before[max(0, at - rows)][2 + 3 * number : 5 + 3 * number]

    return changed


def one_on_another(table: Table) -> None:
    """The second marker's numbers are the first one's."""
    for row in table.rows:
        row[5:8] = row[2:5]


def middle_backwards(table: Table) -> None:
    """The numbers of the middle third of the rows run backwards."""
    first, last = len(table.rows) // 3, 2 * len(table.rows) // 3
    part = [row[2:] for row in table.rows[first:last]][::-1]
    for row, numbers in zip(table.rows[first:last], part, strict=True):
        row[2:] = numbers


def lower_end(rule: Callable[[str], str]) -> Callable[[Case], None]:
    """The place of the ankle in the shank, or of the elbow in the upper arm, becomes another one."""
    place = r'(<PhysicalOffsetFrame name="(?:tibia_r|r_humerus)_offset">(?:(?!</PhysicalOffsetFrame>).)*?<translation>)([^<]*-0\.[2-9][^<]*)'
    return subbed("model", place, lambda m: m[1] + rule(m[2]))


def knee_task(case: Case) -> None:
    """A coordinate's task holds the knee at 60 degrees."""
    task = (
        '<IKCoordinateTask name="{}"><apply>true</apply><weight>1000</weight><value_type>manual_value</value_type><value>1.05</value></IKCoordinateTask>'
    ).format("r_elbow_flex" if case.name == "arm26" else "knee_angle_r")
    case.sub("setup", r"<IKMarkerTask", task + "<IKMarkerTask", 1)


unseen(
    "motion", "id",
    ("one leg in radians", tabled("motion", columns(ending("_r", "r_elbow_flex"), np.deg2rad))),
    ("the root's angles in radians", tabled("motion", columns(["pelvis_tilt", "pelvis_list", "pelvis_rotation"], np.deg2rad))),
    ("one hip's and knee's columns gone", tabled("motion", without(lambda t: ["hip_flexion_r", "knee_angle_r", "r_elbow_flex"]))),
    ("the root's place gone", tabled("motion", without(translations))),
    ("root's place in inches", tabled("motion", columns(translations, lambda x: x / 0.0254))),
    ("times from 0", tabled("motion", lambda t: columns(["time"], lambda x: x - x[0])(t))),
    ("the middle third runs backwards", tabled("motion", columns(lambda t: t.names[1:], stretch_backwards))),
    ("left and right change places in the middle", tabled("motion", sides_from_the_middle)),
    ("list and rotation exchanged", tabled("motion", exchanged(("pelvis_list", "pelvis_rotation")))),
    ("names with the model's before", tabled("motion", lambda t: t.names.__setitem__(slice(1, None), [f"subject01/{n}" for n in t.names[1:]]))),
    ("names with _value behind", tabled("motion", lambda t: t.names.__setitem__(slice(1, None), [f"{n}_value" for n in t.names[1:]]))),
    ("Latin-1 with a degree sign in the header", lambda case: case.text.__setitem__("motion", case.words("motion").replace("endheader", "unit \u00b0\nendheader", 1).encode("latin-1"))),
    ("one knee 50 ms late", tabled("motion", delayed(lambda t: ["knee_angle_r", "r_elbow_flex"], 0.05))),
    ("both legs 50 ms late", tabled("motion", delayed(ending("_r", "_l"), 0.05))),
    ("knees straight throughout", tabled("motion", columns(["knee_angle_r", "knee_angle_l"], np.zeros_like))),
    ("angles 15 % too large", tabled("motion", columns(angles, lambda x: 1.15 * x))),
    ("pelvis' tilt 15 degrees off", tabled("motion", columns(["pelvis_tilt"], lambda x: x + 15.0))),
    ("root sinks by 0.1 m", tabled("motion", columns(["pelvis_ty"], lambda x: x - np.linspace(0.0, 0.1, len(x))))),
    ("ankles of the other side", tabled("motion", exchanged(("ankle_angle_r", "ankle_angle_l")))),
    ("a row of zeros", tabled("motion", columns(lambda t: t.names[1:], amid(np.zeros_like, 1)))),
    ("the last fifth repeats one row", tabled("motion", columns(lambda t: t.names[1:], lambda x: np.where(np.arange(len(x)) < 0.8 * len(x), x, x[int(0.8 * len(x))])))),
    ("sign of the root's sideways place", tabled("motion", columns(["pelvis_tz"], lambda x: -x))),
    ("signs of both hips' rotation", tabled("motion", columns(["hip_rotation_r", "hip_rotation_l"], lambda x: -x))),
    ("a knee called the other hip's rotation", tabled("motion", exchanged(("knee_angle_r", "hip_rotation_l")))),
    ("the root's y from 0 to 1 by steps", tabled("motion", columns(["pelvis_ty"], lambda x: np.round(x, 1)))),
)  # fmt: skip

unseen(
    "forces", "id",
    ("vertical and forward exchanged", tabled("forces", turned(forces, lambda v: [v[1], v[0], v[2]]))),
    ("points' y and z exchanged", tabled("forces", turned(points, lambda v: [v[0], v[2], v[1]]))),
    ("forces in daN", tabled("forces", columns(forces, lambda x: 0.1 * x))),
    ("moments in N cm", tabled("forces", columns(torques, lambda x: 100.0 * x))),
    ("points of the other plate", tabled("forces", lambda t: exchanged(*zip(points(t)[:3], points(t)[3:6], strict=True))(t))),
    ("moments' columns gone", tabled("forces", without(torques))),
    ("points' columns gone", tabled("forces", without(points))),
    ("forces 50 ms early", tabled("forces", lambda t: columns(["time"], lambda x: x - 0.05)(t))),
    ("the middle third runs backwards", tabled("forces", columns(lambda t: t.names[1:], stretch_backwards))),
    ("second half with the other sign", tabled("forces", columns(forces, later(lambda x: -x)))),
    ("second plate 0.3 s late", tabled("forces", delayed(lambda t: [*forces(t)[3:6], *points(t)[3:6], *torques(t)[3:6]], 0.3))),
    ("no sideways force", tabled("forces", columns(ending("vz"), np.zeros_like))),
    ("no forward force", tabled("forces", columns(ending("vx"), np.zeros_like))),
    ("forward force 40 N off", tabled("forces", columns(ending("vx"), lambda x: x + 40.0))),
    ("vertical 30 N too small", tabled("forces", columns(ending("vy"), lambda x: x - 30.0))),
    ("first plate's points in mm", tabled("forces", columns(lambda t: points(t)[:3], lambda x: 1000.0 * x))),
    ("forces without their mean", tabled("forces", columns(forces, lambda x: x - x.mean()))),
    ("mirrored left to right", tabled("forces", columns(lambda t: [n for n in t.names if n.endswith(("vz", "pz"))], lambda x: -x))),
    ("times 2 % too short", tabled("forces", columns(["time"], lambda x: 0.98 * x))),
    ("5 % of the vertical in the forward force", tabled("forces", leaked)),
    ("points 50 mm aside", tabled("forces", columns(ending("pz"), lambda x: x + 0.05))),
    ("one plate 15 % too large", tabled("forces", columns(lambda t: forces(t)[:3], lambda x: 1.15 * x))),
    ("plates not level by 10 degrees", tabled("forces", turned(forces, leaning(10.0)))),
    ("a name with a blank before", written("forces", lambda text: text.replace("ground_force", "ground force"))),
)  # fmt: skip

unseen(
    "loads", "id",
    ("body's name with a capital", nth_load(0, lambda t: t.replace("calcn_r", "Calcn_r"))),
    ("identifiers with the file's name before", nth_load(0, lambda t: re.sub(r"(_identifier>\s*)(\w)", r"\1grf_\2", t))),
    ("point in the pelvis' axes", nth_load(0, lambda t: re.sub(r"(<point_expressed_in_body>\s*)\w+", r"\1pelvis", t))),
    ("force identifiers of the other foot", nth_load(0, lambda t: re.sub(r"(<force_identifier>\s*)(ground_force)(_r)?_", lambda m: m[1] + ("ground_force_l_" if m[3] else "1_ground_force_"), t))),
    ("first load again under another name", load_again),
    ("moment identifier that of the point", nth_load(0, lambda t: re.sub(r"ground_torque(_r)?_", r"ground_force\1_p", t))),
    ("second load applied to the pelvis", nth_load(1, lambda t: t.replace("calcn_l", "pelvis"))),
    ("identifiers of one axis", nth_load(0, lambda t: re.sub(r"(force_identifier>\s*\w+_v)(?=\W)", r"\1y", t, count=1))),
    ("an empty body", nth_load(0, lambda t: re.sub(r"(<applied_to_body>)[^<]*", r"\1", t))),
)  # fmt: skip

unseen(
    "setup", "id",
    ("cut-off 3 Hz", subbed("setup", tag(LOWPASS), r"\g<1>3\3")),
    ("cut-off 60 Hz", subbed("setup", tag(LOWPASS), r"\g<1>60\3")),
    ("motion of another person", of_another("gait10dof18musc", "ik_1e-9.mot", "motion")),
    ("forces of another person", of_another("gait2392", "subject01_walk1_grf.mot", "forces")),
    ("model of another person", of_another("gait10dof18musc", "subject01.osim", "model")),
    ("time range of 50 ms", subbed("setup", tag("time_range"), r"\g<1>1.0 1.05\3")),
    ("loads' file in a folder that is not there", subbed("setup", tag("external_loads_file"), r"\1nowhere/external_loads.xml\3")),
    ("half the motion's range by mistake of a digit", subbed("setup", tag("time_range"), lambda m: f"{m[1]}{m[2].split()[0]} 1{m[3]}"), AS_ASKED),
)  # fmt: skip

unseen(
    "model", "id",
    ("all masses 20 % larger", subbed("model", tag("mass"), lambda m: scaled(m, 1.2))),
    ("one shank 10 % longer", lower_end(times(1.1))),
    ("one shank's length 0", lower_end(lambda _: "0 0 0")),
    ("one shank upwards", lower_end(times(-1.0))),
    ("gravity leaning by 10 degrees", subbed("model", tag("gravity"), r"\g<1>1.703 -9.658 0\3")),
    ("gravity of 9.81 without its sign's digit", subbed("model", tag("gravity"), r"\g<1>0 -0.81 0\3")),
    ("inertias in g mm2", subbed("model", tag("inertia"), lambda m: scaled(m, 1e9))),
    ("a knee's spline in degrees", lambda case: case.sub("model", r"(<SimmSpline[^>]*>\s*<x>)([^<]*)(</x>)", lambda m: scaled(m, 57.29578))),
    ("trunk's mass centre below", inside("Body", "torso", "mass_center", number_words(lambda n: [n[0], f"{-float(n[1])}", n[2]]))),
    ("pelvis' mass that of the trunk", inside("Body", "pelvis", "mass", "34.2366")),
    ("trunk at the pelvis' middle with half its mass", inside("Body", "torso", "mass", times(0.5))),
    ("a version of 2 above a document of 4", subbed("model", r'<OpenSimDocument Version="\d+"', '<OpenSimDocument Version="20302"')),
)  # fmt: skip

unseen(
    "model", "ik",
    ("one shank 10 % longer", lower_end(times(1.1))),
    ("one marker's place 0 0 0", inside("Marker", r"(?:R\.ASIS|RASI|r_humerus_epicondyle)", "location", "0 0 0")),
    ("all markers' places 20 % farther", subbed("model", r"(<Marker name=.*?<location>)([^<]*)(</location>)", lambda m: scaled(m, 1.2))),
    ("one marker's axes exchanged", inside("Marker", r"(?:R\.ASIS|RASI|r_humerus_epicondyle)", "location", number_words(lambda n: [n[2], n[1], n[0]]))),
)  # fmt: skip

unseen(
    "markers", "ik",
    ("thighs' names of the other side", tabled("markers", names_within(thighs))),
    ("pelvis' markers not seen", blank_markers(r"[RL]\.?ASIS?|V\.Sacral|[RL]PSI|r_acromion")),
    ("second marker holds the first one's numbers", tabled("markers", one_on_another)),
    ("numbers in cm below Units mm", tabled("markers", marker_threes(lambda v: [0.1 * x for x in v]))),
    ("numbers in inches below Units mm", tabled("markers", marker_threes(lambda v: [x / 25.4 for x in v]))),
    ("mirrored front to back", tabled("markers", marker_threes(lambda v: [-v[0], v[1], v[2]]))),
    ("x, y, z in the order z, x, y", tabled("markers", marker_threes(lambda v: [v[2], v[0], v[1]]))),
    ("turned by 180 degrees about the vertical", tabled("markers", marker_threes(lambda v: [-v[0], v[1], -v[2]])), "a laboratory's axes: the same person walks another way"),
    ("the middle third runs backwards", tabled("markers", middle_backwards)),
    ("one marker 3 rows late", tabled("markers", rows_late(lambda n: n == 0, 3))),
    ("every second marker 6 rows late", tabled("markers", rows_late(lambda n: n % 2 == 0, 6))),
    ("one marker drifts by 100 mm", within_range(lambda x: x + np.linspace(0.0, 100.0, len(x)), axes=(0,))),
    ("one marker shakes by 30 mm", within_range(lambda x: x + np.random.default_rng(7).normal(0.0, 30.0, len(x)))),
    ("10 % smaller", tabled("markers", marker_threes(lambda v: [0.9 * x for x in v]))),
    ("leaning by 15 degrees", tabled("markers", marker_threes(leaning(15.0)))),
    ("one marker's axes in another order", tabled("markers", marker_threes(lambda v: [v[2], v[0], v[1]], lambda n: n == 2))),
    ("names in capitals", tabled("markers", names_within(str.swapcase))),
    ("tabs for blanks in the first line only", written("markers", lambda text: text.replace("\t", " ", 3))),
)  # fmt: skip

unseen(
    "setup", "ik",
    ("weight of the first marker 0", subbed("setup", tag("weight"), r"\g<1>0\3", 1), "a weight is the user's choice"),
    ("time range of one frame", subbed("setup", tag("time_range"), lambda m: f"{m[1]}{m[2].split()[0]} {m[2].split()[0]}{m[3]}"), AS_ASKED),
    ("a task's name with a letter wrong", subbed("setup", r'<IKMarkerTask name="(\w)([^"]+)"', r'<IKMarkerTask name="\1\2x"', 1)),
    ("a knee held at 60 degrees", knee_task),
    ("weights of 1e-6", subbed("setup", tag("weight"), r"\g<1>1e-6\3", 3)),
    ("another recording's markers", of_another("gait2392", "subject01_walk1.trc", "markers")),
)  # fmt: skip

unseen(
    "scale setup", "scale",
    ("mass in stone", subbed("setup", tag("mass"), lambda m: scaled(m, 0.1575), 1)),
    ("mass 10 % larger", subbed("setup", tag("mass"), lambda m: scaled(m, 1.1), 1), "a person's mass"),
    ("a factor 0.5", subbed("setup", tag("scales"), r"\g<1>0.5 0.5 0.5\3", 1)),
    ("a scaled body another", subbed("setup", r'<BodyScale name="femur_r"', '<BodyScale name="tibia_r"', 1)),
    ("a pair across the body", subbed("setup", tag("markers"), lambda m: m[1] + re.sub(r"\bR(?=[.A-Z])", "L", m[2].split()[0]) + " " + m[2].split()[1] + m[3])),
    ("time range of one frame", subbed("setup", tag("time_range"), lambda m: f"{m[1]}{m[2].split()[0]} {m[2].split()[0]}{m[3]}"), AS_ASKED),
    ("the model scaled already", lambda case: of_another("", f"{case.name}/scaled.osim", "model")(case)),
    ("only the last pair", subbed("setup", r"<MarkerPair name.*?</MarkerPair>(\s*)(?=<MarkerPair name)", "")),
)  # fmt: skip

unseen(
    "scale markers", "scale",
    ("10 % smaller", tabled("markers", marker_threes(lambda v: [0.9 * x for x in v]))),
    ("one marker 100 mm off", tabled("markers", marker_threes(lambda v: [v[0], v[1] + 100.0, v[2]], lambda n: n == 0))),
    ("mirrored front to back", tabled("markers", marker_threes(lambda v: [-v[0], v[1], v[2]]))),
    ("x and y exchanged", tabled("markers", marker_threes(lambda v: [v[1], v[0], v[2]]))),
    ("numbers in cm below Units mm", tabled("markers", marker_threes(lambda v: [0.1 * x for x in v]))),
    ("second marker holds the first one's numbers", tabled("markers", one_on_another)),
    ("pelvis' markers not seen", blank_markers(r"[RL]\.?ASIS?|V\.Sacral|[RL]PSI")),
    ("thighs' names of the other side", tabled("markers", names_within(thighs))),
)  # fmt: skip
