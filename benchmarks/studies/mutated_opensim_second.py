# ruff: noqa: E501
"""A second set of kinds of mutations for `benchmarks.studies.mutated_opensim`, written down before the rules were looked at.

80 of its 489 cases were silent, by which rules were set since: it is a seen one.
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
    _exchange,
    _marker_names,
    _trc_word,
    case_start,
    chosen,
    forces,
    head_line,
    inside,
    marker_threes,
    moved,
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

SECOND: list[Kind] = []
Numbers = Callable[[np.ndarray], np.ndarray]


def second(part: str, tools: str, *kinds: tuple[str, Callable[[Case], None]] | tuple[str, Callable[[Case], None], str]) -> None:
    """Put kinds into the list."""
    SECOND.extend(Kind(part, name, do, tuple(tools.split()), *valid) for name, do, *valid in kinds)


def columns(names: Callable[[Table], list[str]] | list[str], rule: Numbers) -> Callable[[Table], None]:
    """Whole columns become others: one rule over time."""

    def changed(table: Table) -> None:
        found = [name for name in (names(table) if callable(names) else names) if name in table.names]
        if not found:
            raise NotHere
        for name in found:
            at = table.names.index(name)
            for row, value in zip(table.rows, rule(np.array(table.column(name))), strict=True):
                row[at] = f"{value:.10g}"

    return changed


def angles(table: Table) -> list[str]:
    """Columns of angles."""
    return [name for name in table.names if name not in ("time", *translations(table))]


def ending(*ends: str) -> Callable[[Table], list[str]]:
    """Columns whose names end so."""
    return lambda table: [name for name in table.names if name.endswith(ends)]


def one(table: Table) -> list[str]:
    """The column in the body's middle."""
    return [table.names[chosen(table)]]


def later(rule: Numbers) -> Numbers:
    """The rule from the middle on."""
    return lambda x: np.where(np.arange(len(x)) < len(x) // 2, x, rule(x))


def amid(rule: Numbers, rows: int = 10) -> Numbers:
    """The rule for some rows in the middle."""
    return lambda x: np.where(np.abs(np.arange(len(x)) - len(x) // 2) <= rows // 2, rule(x), x)


def mean_over(share: float) -> Numbers:
    """A moving mean over a share of the trial."""

    def mean(x: np.ndarray) -> np.ndarray:
        n = max(3, int(share * len(x)) // 2 * 2 + 1)
        return np.convolve(np.pad(x, n // 2, mode="edge"), np.full(n, 1.0 / n), mode="valid")

    return mean


def noise(size: float) -> Numbers:
    """White noise of this size."""
    return lambda x: x + np.random.default_rng(7).normal(0.0, size, x.shape)


def held(x: np.ndarray) -> np.ndarray:
    """Stands still from the middle's start on."""
    return np.full_like(x, x[len(x) // 2 - len(x) // 10])


def every(n: int) -> Callable[[Table], None]:
    """Every n-th row."""

    def changed(table: Table) -> None:
        table.rows = table.rows[::n]

    return changed


def exchanged(*pairs: tuple[str, str]) -> Callable[[Table], None]:
    """Names of columns change places."""

    def changed(table: Table) -> None:
        for first, second in pairs:
            table.swap(first, second)

    return changed


def copied(rule: Callable[[str], str]) -> Callable[[Table], None]:
    """Columns hold what another column holds."""

    def changed(table: Table) -> None:
        for name in list(table.names):
            if (source := rule(name)) != name and source in table.names:
                for row in table.rows:
                    row[table.names.index(name)] = row[table.names.index(source)]

    return changed


def row_before(words: Callable[[Table], list[str]], at: int = 0) -> Callable[[Table], None]:
    """A row that is none."""
    return lambda table: table.rows.insert(at, words(table))


def time_last(table: Table) -> None:
    """Time stands in the last column."""
    for row in [table.names, *table.rows]:
        row.append(row.pop(0))


def derived(table: Table) -> None:
    """Speeds under the coordinates' names."""
    t = np.array(table.column("time"))
    columns(angles, lambda x: np.gradient(x, t))(table)


def nth_load(n: int, rule: Callable[[str], str]) -> Callable[[Case], None]:
    """The n-th load's element becomes another one."""

    def changed(case: Case) -> None:
        found = re.findall(r"<ExternalForce name.*?</ExternalForce>", case.words("loads"), re.DOTALL)
        if len(found) <= n or rule(found[n]) == found[n]:
            raise NotHere
        case.text["loads"] = case.words("loads").replace(found[n], rule(found[n]))

    return changed


def second_as_first(case: Case) -> None:
    """The second load takes the first one's columns."""
    text = case.words("loads")
    for name in ("force_identifier", "point_identifier", "torque_identifier"):
        first = re.search(tag(name), text)
        if first is None:
            raise NotHere
        text = re.sub(tag(name), lambda m, word=first[2]: m[1] + word + m[3], text)  # type: ignore[misc]
    case.text["loads"] = text


def body_text(name: str, rule: Callable[[str], str]) -> Callable[[Case], None]:
    """One body's element becomes another one."""

    def changed(case: Case) -> None:
        match = re.search(rf'<Body name="(?:{name})">.*?</Body>', case.words("model"), re.DOTALL)
        if match is None or rule(match[0]) == match[0]:
            raise NotHere
        case.text["model"] = case.words("model").replace(match[0], rule(match[0]))

    return changed


def exchanged_bodies(tag_name: str, first: str, second: str) -> Callable[[Case], None]:
    """Two bodies have each other's number."""

    def changed(case: Case) -> None:
        found = [
            re.search(rf'<Body name="{body}">.*?<{tag_name}>([^<]*)<', case.words("model"), re.DOTALL) for body in (first, second)
        ]
        if found[0] is None or found[1] is None:
            raise NotHere
        inside("Body", first, tag_name, found[1][1])(case)
        inside("Body", second, tag_name, found[0][1])(case)

    return changed


def about_joint(case: Case) -> None:
    """One inertia about the body's origin where it is about the mass centre."""

    def moved_out(text: str) -> str:
        mass = float(re.search(tag("mass"), text)[2])  # type: ignore[index]
        x, y, z = map(float, re.search(tag("mass_center"), text)[2].split())  # type: ignore[index]
        more = mass * np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])
        return re.sub(
            tag("inertia"),
            lambda m: m[1] + " ".join(f"{float(n) + a:.9g}" for n, a in zip(m[2].split(), more, strict=True)) + m[3],
            text,
        )

    body_text("femur_r|r_humerus", moved_out)(case)


def number_words(rule: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    """Numbers of a text in another order or with other signs."""
    return lambda text: " ".join(rule(text.split()))


def of(name: str, part: str) -> Callable[[Case], None]:
    """Another file of the same folder under this part's name."""

    def changed(case: Case) -> None:
        path = REFERENCES / case.name / name
        if not path.is_file():
            raise NotHere
        case.text[part] = path.read_text(encoding="utf-8")

    return changed


def within_range(
    rule: Numbers, number: int = 0, axes: tuple[int, ...] = (0, 1, 2), frames: slice = slice(None)
) -> Callable[[Case], None]:
    """One marker's places become others in some of the frames that the setup asks for."""

    def changed(case: Case) -> None:
        table = case.table("markers")
        rows = [row for row in table.rows if float(row[1]) >= case_start(case)][frames]
        for axis in axes:
            at = 2 + 3 * number + axis
            for row, value in zip(rows, rule(np.array([float(row[at]) for row in rows])), strict=True):
                row[at] = f"{value:.6f}"
        case.text["markers"] = table.text

    return changed


def two_markers(case: Case, frames: slice = slice(5, None)) -> None:
    """Two markers change places during the recording."""
    table = case.table("markers")
    for row in [row for row in table.rows if float(row[1]) >= case_start(case)][frames]:
        row[2:5], row[5:8] = row[5:8], row[2:5]
    case.text["markers"] = table.text


def marker_words(word: str) -> Callable[[Case], None]:
    """One marker's places are a word for some frames of the range."""

    def changed(case: Case) -> None:
        table = case.table("markers")
        for row in [row for row in table.rows if float(row[1]) >= case_start(case)][5:10]:
            row[2:5] = [word] * 3
        case.text["markers"] = table.text

    return changed


def shaken(size: float) -> Callable[[list[float]], list[float]]:
    """Noise on each number."""
    rng = np.random.default_rng(7)
    return lambda v: [x + rng.normal(0.0, size) for x in v]


def last_pair_first(case: Case) -> None:
    """The first measurement has the last one's pair."""
    last = re.findall(tag("markers"), case.words("setup"))[-1][1]
    case.sub("setup", tag("markers"), lambda m: m[1] + last + m[3], 1)


VERTICAL = ending("vy")
#: Why a shorter time is right: the numbers of its frames are those of before.
AS_ASKED = "a shorter time is another valid wish: its frames have the same numbers"

second(
    "motion", "id",
    ("second half in radians", tabled("motion", columns(angles, later(np.deg2rad)))),
    ("names in quotes", tabled("motion", lambda t: t.names.__setitem__(slice(None), [f'"{n}"' for n in t.names]))),
    ("a name in quotes", tabled("motion", lambda t: t.names.__setitem__(chosen(t), f'"{t.names[chosen(t)]}"'))),
    ("a comment between names and numbers", written("motion", lambda text: re.sub(r"(\ntime[^\n]*\n)", r"\1# exported by hand\n", text))),
    ("a line of units below the names", tabled("motion", row_before(lambda t: ["s"] + ["deg"] * (len(t.names) - 1)))),
    ("empty lines between rows", written("motion", lambda text: re.sub(r"(endheader.*)", lambda m: m[1].replace("\n", "\n\n"), text, flags=re.DOTALL))),
    ("every tenth row", tabled("motion", every(10))),
    ("times 0.1 s early", tabled("motion", lambda t: moved(t, lambda x: x - 0.1))),
    ("times as numbers of rows", tabled("motion", lambda t: columns(["time"], lambda x: np.arange(len(x)) + 0.0)(t))),
    ("times in minutes", tabled("motion", lambda t: moved(t, lambda x: x / 60.0))),
    ("times stretched by 1.2", tabled("motion", lambda t: moved(t, lambda x: 1.2 * x))),
    ("times with one stamp far ahead", tabled("motion", lambda t: columns(["time"], amid(lambda x: x + 0.004, 1))(t))),
    ("angles within 0 to 360", tabled("motion", columns(angles, lambda x: np.mod(x, 360.0)))),
    ("noise of 3 degrees", tabled("motion", columns(angles, noise(3.0)))),
    ("a fifth of the trial frozen", tabled("motion", columns(lambda t: t.names[1:], amid(held, 24)))),
    ("root jumps by 0.3 m in the middle", tabled("motion", columns(["pelvis_tx"], later(lambda x: x + 0.3)))),
    ("one hip of the other side", tabled("motion", exchanged(("hip_flexion_r", "hip_flexion_l")))),
    ("left columns hold the right ones", tabled("motion", copied(lambda n: re.sub(r"_l$", "_r", n)))),
    ("signs of the left leg", tabled("motion", columns(ending("_l"), lambda x: -x))),
    ("tilt and list exchanged", tabled("motion", exchanged(("pelvis_tilt", "pelvis_list")))),
    ("root stands still as on a belt", tabled("motion", columns(["pelvis_tx", "pelvis_tz"], lambda x: np.full_like(x, x[0])))),
    ("root's height from the first frame", tabled("motion", columns(["pelvis_ty"], lambda x: x - x[0]))),
    ("knee as the enclosed angle", tabled("motion", columns(["knee_angle_r", "knee_angle_l", "r_elbow_flex"], lambda x: 180.0 + x))),
    ("signs of all angles", tabled("motion", columns(angles, lambda x: -x))),
    ("pelvis turned by 90 degrees", tabled("motion", columns(["pelvis_rotation"], lambda x: x + 90.0))),
    ("lumbar 20 degrees off", tabled("motion", columns(["lumbar_extension"], lambda x: x + 20.0))),
    ("ankle 90 degrees off", tabled("motion", columns(["ankle_angle_r"], lambda x: x + 90.0))),
    ("exponents with D", written("motion", lambda text: re.sub(r"(\d\.\d+)(?=[\t\n])", r"\1D+00", text))),
    ("time in the last column", tabled("motion", time_last)),
    ("speeds under the coordinates' names", tabled("motion", derived)),
    ("a number more in one row", tabled("motion", lambda t: t.rows[20].append("1.0"))),
    ("a cell empty", tabled("motion", lambda t: t.rows[20].__setitem__(chosen(t), ""))),
    ("a dash for a number", tabled("motion", lambda t: t.rows[20].__setitem__(chosen(t), "-"))),
    ("9999 where nothing was measured", tabled("motion", columns(one, amid(lambda x: np.full_like(x, 9999.0), 5)))),
    ("0 where nothing was measured", tabled("motion", columns(one, amid(np.zeros_like, 6)))),
    ("smoothed over a third of the trial", tabled("motion", columns(lambda t: t.names[1:], mean_over(0.33)))),
    ("a blank within a name", tabled("motion", lambda t: t.names.__setitem__(chosen(t), t.names[chosen(t)].replace("_", " ", 1)))),
    ("inDegrees=1", tabled("motion", head_line("inDegrees=", "inDegrees=1"))),
    ("gradians", tabled("motion", columns(angles, lambda x: x / 0.9))),
)  # fmt: skip

second(
    "forces", "id",
    ("10 % too large", tabled("forces", columns(forces, lambda x: 1.1 * x))),
    ("per kilogram", tabled("forces", columns(forces, lambda x: x / 72.6))),
    ("one plate by half too large", tabled("forces", columns(lambda t: forces(t)[:3], lambda x: 1.5 * x))),
    ("free moments with the other sign", tabled("forces", columns(torques, lambda x: -x)), "either sign is as possible: both leave as much at the root"),
    ("points stand still", tabled("forces", columns(points, lambda x: np.full_like(x, x[len(x) // 4])))),
    ("points in inches", tabled("forces", columns(points, lambda x: x / 0.0254))),
    ("points 0.1 m high", tabled("forces", columns(ending("py"), lambda x: x + 0.1))),
    ("points mirrored", tabled("forces", columns(ending("pz"), lambda x: -x))),
    ("all forces without sign", tabled("forces", columns(forces, np.abs))),
    ("negative forces cut", tabled("forces", columns(forces, lambda x: np.maximum(x, 0.0)))),
    ("smoothed over 0.3 s", tabled("forces", columns(forces, mean_over(0.12)))),
    ("20 rows a second", tabled("forces", lambda t: every(round(0.05 / (t.column("time")[1] - t.column("time")[0])))(t))),
    ("noise of 30 N", tabled("forces", columns(forces, noise(30.0)))),
    ("drift up to 100 N", tabled("forces", columns(VERTICAL, lambda x: x + np.linspace(0.0, 100.0, len(x))))),
    ("a spike of 5000 N", tabled("forces", columns(lambda t: VERTICAL(t)[:1], amid(lambda x: x + 5000.0, 20)))),
    ("forces 0 for a tenth of the trial", tabled("forces", columns(forces, lambda x: amid(np.zeros_like, len(x) // 10)(x)))),
    ("forces 0.1 s early", tabled("forces", lambda t: moved(t, lambda x: x - 0.1))),
    ("half a stride late", tabled("forces", lambda t: moved(t, lambda x: x + 0.55))),
    ("times as numbers of rows", tabled("forces", columns(["time"], lambda x: np.arange(len(x)) + 0.0))),
    ("forward and sideways exchanged", tabled("forces", turned(forces, lambda v: [v[2], v[1], v[0]]))),
    ("one plate turned by 180 degrees", tabled("forces", turned(lambda t: forces(t)[:3], lambda v: [-v[0], v[1], -v[2]]))),
    ("second plate holds the first one's columns", tabled("forces", copied(lambda n: re.sub(r"^1_|_l_", lambda m: "" if m[0] == "1_" else "_r_", n)))),
    ("names of forces and moments exchanged", tabled("forces", lambda t: exchanged(*zip(forces(t), torques(t), strict=True))(t))),
    ("-9999 where nothing was measured", tabled("forces", columns(one, amid(lambda x: np.full_like(x, -9999.0), 20)))),
    ("a line of units below the names", tabled("forces", row_before(lambda t: ["s"] + ["N"] * (len(t.names) - 1)))),
    ("an empty column at the end", tabled("forces", lambda t: t.names.append("remark"))),
    ("a mean force throughout", tabled("forces", columns(forces, lambda x: np.full_like(x, x.mean())))),
    ("turned by 10 degrees about the vertical", tabled("forces", turned(forces, lambda v: [0.985 * v[0] + 0.174 * v[2], v[1], 0.985 * v[2] - 0.174 * v[0]]))),
)  # fmt: skip

second(
    "loads", "id",
    ("force in the pelvis' axes", nth_load(0, lambda t: re.sub(r"(<force_expressed_in_body>)[^<]*", r"\1pelvis", t))),
    ("second load takes the first one's columns", second_as_first),
    ("moments of the other foot", nth_load(0, lambda t: re.sub(r"(<torque_identifier>\s*)(ground_torque)(_r)?_", lambda m: m[1] + ("ground_torque_l_" if m[3] else "1_ground_torque_"), t))),
    ("applied to a thigh", nth_load(0, lambda t: t.replace("calcn_r", "femur_r"))),
    ("applied to the trunk", nth_load(1, lambda t: t.replace("calcn_l", "torso"))),
    ("point identifier that of the moment", nth_load(0, lambda t: re.sub(r"ground_force(_r)?_p", r"ground_torque\1_", t))),
    ("identifiers in capitals", nth_load(0, lambda t: re.sub(r"(_identifier>)([^<]*)", lambda m: m[1] + m[2].upper(), t))),
    ("body as a path", nth_load(0, lambda t: t.replace("calcn_r", "/bodyset/calcn_r"))),
    ("both loads of one name", nth_load(1, lambda t: re.sub(r'name="\w+"', 'name="right"', t, count=1))),
    ("a comment around the force identifier", nth_load(0, lambda t: re.sub(r"(<force_identifier>.*?</force_identifier>)", r"<!-- \1 -->", t))),
)  # fmt: skip

second(
    "setup", "id",
    ("unscaled model", lambda case: of("gait2392_thelen2003muscle.osim" if case.name == "gait2392" else "Rajagopal2016.osim", "model")(case)),
    ("time range of one sample", subbed("setup", tag("time_range"), r"\g<1>1.0 1.001\3"), AS_ASKED),
    ("time range of three numbers", subbed("setup", tag("time_range"), r"\g<1>0.5 1.0 1.5\3")),
    ("time range in frames", subbed("setup", tag("time_range"), r"\g<1>0 100\3")),
    ("time range negative", subbed("setup", tag("time_range"), r"\g<1>-1 0.2\3")),
    ("cut-off 1.5 Hz", subbed("setup", tag(LOWPASS), r"\g<1>1.5\3")),
    ("cut-off -6", subbed("setup", tag(LOWPASS), r"\g<1>-6\3"), "the document's words: a negative value is no filter"),
    ("cut-off with its unit", subbed("setup", tag(LOWPASS), r"\g<1>6 Hz\3")),
    ("cut-off of two numbers", subbed("setup", tag(LOWPASS), r"\g<1>6 12\3")),
    ("two tools in one document", subbed("setup", r"<InverseDynamicsTool>.*</InverseDynamicsTool>", lambda m: m[0] + m[0].replace("0.5", "0.6"))),
    ("motion's tag misspelt", subbed("setup", "coordinates_file", "coordinate_file")),
    ("time range's tag misspelt", subbed("setup", "time_range", "timerange")),
    ("model the motion", subbed("setup", tag("model_file"), r"\1ik_1e-9.mot\3")),
)  # fmt: skip

second(
    "model", "id",
    ("all masses halved", subbed("model", tag("mass"), lambda m: scaled(m, 0.5))),
    ("one mass doubled", inside("Body", "(?:femur_r|r_humerus)", "mass", times(2.0))),
    ("masses of shank and trunk exchanged", exchanged_bodies("mass", "tibia_r", "torso")),
    ("masses of thigh and shank exchanged", exchanged_bodies("mass", "femur_r", "tibia_r")),
    ("one mass centre's axes exchanged", inside("Body", "(?:femur_r|r_humerus)", "mass_center", number_words(lambda n: [n[1], n[0], n[2]]))),
    ("one mass centre at the joint", inside("Body", "(?:torso|r_humerus)", "mass_center", "0 0 0")),
    ("one inertia about the joint", about_joint),
    ("one inertia's axes exchanged", inside("Body", "(?:torso|r_humerus)", "inertia", number_words(lambda n: [n[1], n[0], *n[2:]]))),
    ("inertias 10 times too small", subbed("model", tag("inertia"), lambda m: scaled(m, 0.1))),
    ("one hip on the other side", inside("PhysicalOffsetFrame", "(?:pelvis_offset)", "translation", number_words(lambda n: [n[0], n[1], f"{-float(n[2])}"]))),
    ("lengths in feet", subbed("model", tag("translation"), lambda m: scaled(m, 3.2808))),
    ("lengths 10 % larger", subbed("model", tag("translation"), lambda m: scaled(m, 1.1))),
    ("one frame's orientation in degrees", inside("PhysicalOffsetFrame", "(?:femur_r_offset|r_humerus_offset)", "orientation", "0 0 90")),
    ("gravity of the moon", subbed("model", tag("gravity"), r"\g<1>0 -1.62 0\3")),
    ("gravity with a decimal comma", subbed("model", tag("gravity"), r"\g<1>0 -9,80665 0\3")),
    ("gravity in feet", subbed("model", tag("gravity"), r"\g<1>0 -32.174 0\3")),
    ("a body's mass written twice", body_text("femur_r|r_humerus", lambda t: re.sub(tag("mass"), lambda m: m[0] + "<mass>1.0</mass>", t, count=1))),
    ("shank on the pelvis", lambda case: case.sub("model", r"(<CustomJoint name=\"(?:knee_r|walker_knee_r)\">.*?<socket_parent>)/bodyset/femur_r", r"\1/bodyset/pelvis", 1)),
    ("two coordinates of a joint exchanged", subbed("model", r"<coordinates>hip_(flexion|adduction)_r</coordinates>", lambda m: f"<coordinates>hip_{'adduction' if m[1] == 'flexion' else 'flexion'}_r</coordinates>")),
    ("a spline in mm", lambda case: case.sub("model", r"(<SimmSpline[^>]*>.*?<y>)([^<]*)(</y>)", lambda m: scaled(m, 1000.0), 3)),
    ("trunk's mass 0", inside("Body", "torso", "mass", "0")),
)  # fmt: skip

second(
    "model", "ik",
    ("all markers' places in cm", subbed("model", r"(<Marker name=.*?<location>)([^<]*)(</location>)", lambda m: scaled(m, 100.0))),
    ("one marker on the other thigh", subbed("model", r"(<Marker name=\"(?:R.Thigh.Upper|RTH1)\".*?<socket_parent_frame>/bodyset/)femur_r", r"\1femur_l", 1)),
    ("one marker mirrored", inside("Marker", r"(?:R\.ASIS|RASI|r_humerus_epicondyle)", "location", number_words(lambda n: [n[0], n[1], f"{-float(n[2])}"]))),
    ("one marker 0.1 m off", inside("Marker", r"(?:R\.ASIS|RASI|r_humerus_epicondyle)", "location", number_words(lambda n: [f"{float(n[0]) + 0.1}", *n[1:]]))),
    ("joints 10 % farther", subbed("model", tag("translation"), lambda m: scaled(m, 1.1))),
    ("unscaled model", lambda case: of("gait2392_thelen2003muscle.osim" if case.name == "gait2392" else "Rajagopal2016.osim", "model")(case)),
)  # fmt: skip

second(
    "markers", "ik",
    ("two markers change places on the way", two_markers),
    ("gap filled with zeros", within_range(np.zeros_like, frames=slice(5, 10))),
    ("gap filled with the last place", within_range(lambda x: np.full_like(x, x[0]), frames=slice(5, 15))),
    ("noise of 20 mm", tabled("markers", marker_threes(shaken(20.0)))),
    ("a spike of 0.5 m", within_range(lambda x: x + 500.0, frames=slice(8, 9))),
    ("all 1 m higher", tabled("markers", marker_threes(lambda v: [v[0], v[1] + 1000.0, v[2]])), "a laboratory's origin: the same person a metre higher"),
    ("10 % larger", tabled("markers", marker_threes(lambda v: [1.1 * x for x in v]))),
    ("one marker's x and y exchanged", tabled("markers", marker_threes(lambda v: [v[1], v[0], v[2]], lambda n: n == 1))),
    ("upside down", tabled("markers", marker_threes(lambda v: [v[0], -v[1], -v[2]]))),
    ("frames' numbers from 0", tabled("markers", lambda t: [row.__setitem__(0, str(n)) for n, row in enumerate(t.rows)] and None)),
    ("DataRate 200", tabled("markers", _trc_word(0, "200"))),
    ("-9999 where nothing was measured", marker_words("-9999")),
    ("dashes where nothing was measured", marker_words("-")),
    ("names with a number behind", tabled("markers", _marker_names(lambda names: [f"{name}_2" for name in names]))),
    ("one side exchanged in one pair", tabled("markers", _marker_names(_exchange(1, 2)))),
    ("one axis 10 % too long", tabled("markers", marker_threes(lambda v: [v[0], 1.1 * v[1], v[2]]))),
    ("every fifth row", tabled("markers", every(5))),
    ("names apart by spaces", tabled("markers", lambda t: t.names.__setitem__(slice(2, None), [" ".join(n for n in t.names[2:] if n.strip())]))),
    ("last column gone", tabled("markers", lambda t: [row.pop() for row in t.rows] and None)),
)  # fmt: skip

second(
    "scale setup", "scale",
    ("mass a tenth", subbed("setup", tag("mass"), lambda m: scaled(m, 0.1), 1)),
    ("mass with its unit", subbed("setup", tag("mass"), r"\g<1>72.6 kg\3", 1)),
    ("markers those of the walk", lambda case: of("subject01_walk1.trc" if case.name == "gait2392" else "motion_capture_walk.trc", "markers")(case)),
    ("a measurement switched off", subbed("setup", r"(<Measurement name.*?<apply>)[^<]*", r"\1false", 1)),
    ("a measurement twice", subbed("setup", r"<Measurement name.*?</Measurement>", lambda m: m[0] * 2, 1)),
    ("first pair the last one's", last_pair_first),
    ("time range in ms", subbed("setup", tag("time_range"), lambda m: scaled(m, 1000.0))),
    ("measurements' set gone", subbed("setup", r"<MeasurementSet .*?</MeasurementSet>", "")),
    ("marker set of the model misspelt", subbed("setup", "marker_set_file", "markers_set_file")),
    ("one axis for three", subbed("setup", tag("axes"), r"\g<1>X\3", 1)),
)  # fmt: skip

second(
    "scale markers", "scale",
    ("20 % larger", tabled("markers", marker_threes(lambda v: [1.2 * x for x in v]))),
    ("one marker 0 0 0", tabled("markers", marker_threes(lambda v: [0.0, 0.0, 0.0], lambda n: n == 0))),
    ("one axis 10 % too long", tabled("markers", marker_threes(lambda v: [v[0], 1.1 * v[1], v[2]]))),
    ("noise of 20 mm", tabled("markers", marker_threes(shaken(20.0)))),
    ("turned by 45 degrees about the vertical", tabled("markers", marker_threes(lambda v: [0.7071 * (v[0] + v[2]), v[1], 0.7071 * (v[2] - v[0])])), "a laboratory's axes: the same person stands another way"),
    ("a neighbouring pair exchanged", tabled("markers", _marker_names(_exchange(4, 5)))),
    ("names with the subject before", tabled("markers", _marker_names(lambda names: [f"Anna:{name}" for name in names]))),
)  # fmt: skip
