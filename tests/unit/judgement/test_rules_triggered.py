"""Every rule has a file that triggers it, and the healthy file triggers none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c3d_builder import C3D, healthy

from biomech_id.errors import Severity
from biomech_id.judgement.check import check_file, iter_check
from biomech_id.readers.c3d.labels import _axis_families
from docs.generate.rules import PAGE, findings_of, page

RULES = findings_of("reading") | findings_of("check")
Break = Callable[[C3D], None]


def parameter(group: str, name: str, value: object) -> Break:
    def apply(file: C3D) -> None:
        file.groups[group][name] = value

    return apply


def group(name: str, values: dict[str, object]) -> Break:
    def apply(file: C3D) -> None:
        file.groups[name] = values

    return apply


def without(group: str, name: str | None = None) -> Break:
    def apply(file: C3D) -> None:
        if name is None:
            del file.groups[group]
        else:
            del file.groups[group][name]

    return apply


def header(**values: object) -> Break:
    return lambda file: file.header.update(values)


def keep_frames(count: int) -> Break:
    def apply(file: C3D) -> None:
        file.points, file.analog = file.points[:count], file.analog[: count * file.ratio]
        file.groups["POINT"]["FRAMES"] = count

    return apply


def labels(change: Callable[[list[str]], list[str]]) -> Break:
    def apply(file: C3D) -> None:
        file.groups["POINT"]["LABELS"] = change(file.labels())

    return apply


def exchange(one: str, other: str, frames: slice) -> Break:
    def change(file: Any) -> None:
        paths = file.path(one), file.path(other)
        paths[0][frames], paths[1][frames] = paths[1][frames].copy(), paths[0][frames].copy()

    return change


def marker(name: str, change: Callable[[np.ndarray], None]) -> Break:
    return lambda file: change(file.path(name))


def points(change: Callable[[np.ndarray], None]) -> Break:
    return lambda file: change(file.points)


def analog(change: Callable[[np.ndarray], None]) -> Break:
    return lambda file: change(file.analog)


def assign(where: object, value: object) -> Callable[[np.ndarray], None]:
    def change(array: np.ndarray) -> None:
        array[where] = value

    return change


def add(where: object, value: object) -> Callable[[np.ndarray], None]:
    def change(array: np.ndarray) -> None:
        array[where] += value

    return change


def corners(half_length: float, low: float, high: float) -> list[list[list[float]]]:
    x = half_length
    return [[[x, low, 0.0], [-x, low, 0.0], [-x, high, 0.0], [x, high, 0.0]]]


def turned_y_up(file: C3D) -> None:
    """The laboratory's (x, y, z) written as (x, z, -y)."""
    y, z = file.points[..., 1].copy(), file.points[..., 2].copy()
    file.points[..., 1], file.points[..., 2] = z, -y
    file.groups["FORCE_PLATFORM"]["CORNERS"] = [[[c[0], c[2], -c[1]] for c in file.groups["FORCE_PLATFORM"]["CORNERS"][0]]]


def lies_down(file: C3D) -> None:
    turned_y_up(file)
    file.groups["FORCE_PLATFORM"]["CORNERS"] = healthy().groups["FORCE_PLATFORM"]["CORNERS"]


def clipped_header(file: C3D) -> None:
    """More frames than a header can count, with few numbers each."""
    n = 65_600
    file.points, file.analog = np.tile(file.points[:1, :2], (n, 1, 1)), np.zeros((0, 6))
    for name in ("ANALOG", "FORCE_PLATFORM", "EVENT"):
        del file.groups[name]
    file.groups["POINT"] |= {"USED": 2, "LABELS": file.labels()[:2], "FRAMES": 65535}
    file.header.update(last=65535)


def two_plates(file: C3D) -> None:
    plate = file.groups["FORCE_PLATFORM"]
    for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL"):
        plate[name] = plate[name] * 2
    plate["USED"] = 2


def long_label(file: C3D) -> None:
    file.groups["POINT"]["LABELS"] = ["N" * 200, *file.labels()[1:]]


def stored_angle_with_a_spike(file: C3D) -> None:
    curve = np.zeros((len(file.points), 1, 4))
    curve[:, 0, 0] = 30.0 * np.sin(np.arange(len(curve)) / 10.0)
    curve[40, 0, 0] = 900.0
    file.points = np.concatenate([file.points, curve], axis=1)
    names = [*file.labels(), "LKneeAngles"]
    file.groups["POINT"] |= {"USED": len(names), "LABELS": names}


def never_unloaded(file: C3D) -> None:
    file.analog[:, 2] = -WEIGHT_N
    file.analog[:, 4] = 0.0


def damaged_parameters(file: C3D) -> None:
    """A parameter of type 7, which does not exist, at the very end."""
    file.groups["ZZZ"] = {"A": (7, [1], b"\0")}


def tilted(file: C3D) -> None:
    corners = np.array(file.groups["FORCE_PLATFORM"]["CORNERS"])
    corners[0, :, 2] = 0.15 * corners[0, :, 0]
    file.groups["FORCE_PLATFORM"]["CORNERS"] = corners


WEIGHT_N = 700.0
PLATE = "FORCE_PLATFORM"

TRIGGERS: dict[str, list[Break]] = {
    "parameters-damaged": [damaged_parameters],
    "parameters-stray": [lambda file: setattr(file, "stray_parameter", True)],
    "counts-disagree": [parameter("POINT", "USED", 11)],
    "frames-disagree": [parameter("POINT", "FRAMES", 98)],
    "frames-clipped": [clipped_header],
    "data-cut": [lambda file: setattr(file, "drop_bytes", 20_000)],
    "data-longer": [header(last=90), parameter("POINT", "FRAMES", 90)],
    "rates-disagree": [parameter("POINT", "RATE", 120.0)],
    "first-frame-disagrees": [lambda file: file.groups.update(TRIAL={"ACTUAL_START_FIELD": [5, 0], "ACTUAL_END_FIELD": [104, 0]})],
    "analog-rate-missing": [without("ANALOG", "RATE")],
    "analog-rate-disagrees": [parameter("ANALOG", "RATE", 1001.7)],
    "analog-missing": [lambda file: setattr(file, "analog", np.zeros((0, 0))), parameter("ANALOG", "USED", 0)],
    "analog-uncalibrated": [parameter("ANALOG", "SCALE", [1.0] * 4)],
    "labels-missing": [labels(lambda names: names[:-2])],
    "labels-spare": [labels(lambda names: [*names, "GHOST"])],
    "labels-duplicate": [labels(lambda names: ["LTOE", *names[1:]])],
    "labels-unlabelled": [labels(lambda names: ["*1", *names[1:]])],
    "labels-long": [long_label],
    "subjects-several": [labels(lambda names: ["Stick:A", *("Anna:" + name for name in names[1:])])],
    "units-guessed": [without("POINT", "UNITS")],
    "units-implausible": [parameter("POINT", "UNITS", "m"), points(lambda array: np.multiply(array, 0.05, out=array))],
    "vertical-rotated": [turned_y_up],
    "vertical-unsure": [lies_down],
    "positions-impossible": [marker("LTOE", assign(7, np.inf))],
    "markers-never-seen": [points(assign((slice(None), 1, 3), -1.0))],
    "markers-all-missing": [points(assign((..., 3), -1.0))],
    "points-none": [
        lambda file: setattr(file, "points", file.points[:, :0]), parameter("POINT", "USED", 0), parameter("POINT", "LABELS", []),
    ],
    "events-outside": [parameter("EVENT", "TIMES", [[0.0, 0.4], [1.0, 0.6]])],
    "events-incomplete": [parameter("EVENT", "LABELS", ["Foot Strike"])],
    "events-in-header": [without("EVENT"), lambda file: file.header_events.append(("RHS ", 0.5))],
    "mass-implausible": [parameter("PROCESSING", "Bodymass", 1.0)],
    "height-implausible": [parameter("PROCESSING", "Height", 9.0)],
    "measurement-implausible": [parameter("PROCESSING", "LKneeWidth", 980.0)],
    "measurement-unread": [group("PATIENT", {"Left knee width (mm)": "980"})],
    "measurement-unit": [group("PATIENT", {"Left_KneeWidth_cm": "98"})],
    "measurements-disagree": [group("PATIENT", {"Body weight": "81 kg"})],
    "offset-implausible": [parameter("PROCESSING", "LStaticPlantFlex", 980.0)],
    "plates-none": [without(PLATE)],
    "plate-broken": [parameter(PLATE, "TYPE", [21])],
    "plate-applied": [analog(lambda array: np.negative(array, out=array))],
    "plate-unloaded": [analog(assign(..., 0.0))],
    "plate-baseline": [analog(add((..., 2), -8.0))],
    "plate-baseline-large": [analog(add((..., 2), -28.0))],
    "plate-moment-unit": [analog(lambda array: np.multiply(array, [1, 1, 1, 1e-3, 1e-3, 1e-3], out=array))],
    "plate-impossible": [analog(assign((17, 2), np.inf))],
    "frame-single": [keep_frames(1)],
    "trial-short": [keep_frames(30)],
    "rate-low": [
        lambda file: setattr(file, "rate_hz", 40.0), parameter("POINT", "RATE", 40.0), parameter("ANALOG", "RATE", 400.0),
    ],
    "gap-long": [points(assign((slice(30, 60), 3, 3), -1.0))],
    "marker-spike": [marker("LKNE", add((50, 2), 150.0))],
    "marker-jump": [marker("LKNE", add((slice(50, None), 1), 400.0))],
    "markers-exchanged": [exchange("LKNE", "LTIB", slice(40, 60))],
    "marker-frozen": [marker("LKNE", assign(..., [10.0, 20.0, 480.0]))],
    "markers-coincide": [lambda file: assign(..., file.path("LKNE"))(file.path("LTIB"))],
    "markers-below-floor": [marker("LTOE", add((slice(60, None), 2), -110.0))],
    "sides-swapped": [labels(lambda names: [{"LASI": "RASI", "RASI": "LASI"}.get(name, name) for name in names])],
    "leg-labels-exchanged": [labels(lambda names: [{"LKNE": "LANK", "LANK": "LKNE"}.get(name, name) for name in names])],
    "leg-sides-swapped": [labels(lambda names: [{"LKNE": "RKNE", "RKNE": "LKNE"}.get(name, name) for name in names])],
    "markerset-incomplete": [labels(lambda names: ["Kopf" if name == "LTOE" else name for name in names])],
    "height-unlike-markers": [parameter("PROCESSING", "Height", 1200.0)],
    "mass-missing": [without("PROCESSING", "Bodymass")],
    "mass-unlike-weight": [never_unloaded, parameter("PROCESSING", "Bodymass", 50.0)],
    "events-none": [without("EVENT")],
    "events-order": [parameter("EVENT", "LABELS", ["Foot Strike", "Foot Strike"])],
    "plate-cop-outside": [parameter(PLATE, "CORNERS", corners(60.0, -50.0, 50.0))],
    "plate-far-from-feet": [
        parameter(PLATE, "CORNERS", corners(300.0, 950.0, 1450.0)),
    ],
    "plate-always-loaded": [never_unloaded],
    "plate-clipped": [analog(lambda array: np.maximum(array, -600.0, out=array, where=[False, False, True, False, False, False]))],
    "plate-spike": [analog(add((400, 2), -400.0))],
    "labels-odd": [labels(lambda names: ["Ferse_l\u00e4nks", *names[1:]])],
    "names-doubtful": [labels(lambda names: ["RAN?" if name == "RANK" else name for name in names])],
    "calibration-odd": [parameter("ANALOG", "SCALE", [1.0, 1.0, 1.0, 1.0, 1.0, 8.0])],
    "plate-corners-skew": [parameter(PLATE, "CORNERS", [[*corners(300.0, -250.0, 250.0)[0][:3], [302.0, 250.0, 0.0]]])],
    "data-start-disagrees": [parameter("POINT", "DATA_START", 6)],
    "output-spike": [stored_angle_with_a_spike],
    "plates-overlap": [two_plates],
    "plate-size": [parameter(PLATE, "CORNERS", corners(3000.0, -250.0, 250.0))],
    "plate-tilted": [tilted],
}  # fmt: skip
#: Not about the contents of a file, or of a file that holds poses; tested below, in the sandbox's tests and in those of rotations.
ELSEWHERE = {"unreadable", "no-such-path", "no-files", "sandbox-unlimited", "rotations-impossible"}


def found(file: C3D, folder: Path) -> dict[str, Severity]:
    report = check_file(file.write(folder / "trial.c3d"), trust=True)
    assert report.readable, report.error
    return {finding.rule: finding.severity for finding in report.findings}


def with_axes(names: tuple[str, str, str], noise_mm: float, oblique: float = 0.0) -> Break:
    """A shank's origin and the ends of two axes, computed from a pose that swings by 40 degrees; the second is below the floor.

    With ``oblique`` both lean, and are points of a rigid body but no axes.
    """

    def change(file: C3D) -> None:
        angle = 0.35 * np.sin(np.arange(len(file.points)) / 10.0)
        ends = np.zeros((3, len(angle), 4))
        knee = file.path("LKNE")[:, :3]
        forward = np.stack([np.cos(angle), 0.0 * angle, -np.sin(angle)], axis=1)
        down = np.stack([-np.sin(angle), 0.0 * angle, -np.cos(angle)], axis=1)
        left = np.array([0.0, 1.0, 0.0])
        for end, offset in zip(ends, (0.0 * down, 0.3 * forward + oblique * down, 1.25 * down + oblique * left), strict=True):
            end[:, :3] = knee + 500.0 * offset
        ends[..., :3] += noise_mm * np.random.default_rng(0).normal(size=ends[..., :3].shape)
        file.points = np.concatenate([file.points, ends.swapaxes(0, 1)], axis=1)
        file.groups["POINT"] |= {"USED": file.points.shape[1], "LABELS": [*file.labels(), *names]}

    return change


@pytest.mark.parametrize(("noise_mm", "oblique", "said"), [(0.0, 0.0, False), (0.3, 0.0, True), (0.0, 0.05, True)])
def test_the_end_of_a_computed_axis_is_no_marker_below_the_floor(
    noise_mm: float, oblique: float, said: bool, tmp_path: Path
) -> None:
    """Software writes axes among the markers: LTI_MA, 14 cm below the floor, is none; one with noise or at no right angle is."""
    file = healthy()
    with_axes(("LTI_OR", "LTI_AP", "LTI_MA"), noise_mm, oblique)(file)
    report = check_file(file.write(tmp_path / "trial.c3d"), trust=True)
    below = [finding.values["marker"] for finding in report.findings if finding.rule == "markers-below-floor"]
    assert below == (["LTI_MA"] if said else [])


def test_a_marker_below_the_floor_is_said_beside_a_computed_axis(tmp_path: Path) -> None:
    file = healthy()
    with_axes(("LTI_OR", "LTI_AP", "LTI_MA"), 0.0)(file)
    marker("LTOE", add((slice(60, None), 2), -110.0))(file)
    report = check_file(file.write(tmp_path / "trial.c3d"), trust=True)
    assert [finding.values["marker"] for finding in report.findings if finding.rule == "markers-below-floor"] == ["LTOE"]


@pytest.mark.parametrize("stem", ["LFE", "LTI_", "PEL"])
def test_a_family_of_four_axis_points_is_virtual_by_name(stem: str) -> None:
    names = [stem + end for end in "OALP"]
    assert _axis_families(names) == set(names)
    assert _axis_families(names[:3]) == set()


def test_the_healthy_file_has_nothing_to_report(tmp_path: Path) -> None:
    assert found(healthy(), tmp_path) == {}


@pytest.mark.parametrize("rule", TRIGGERS)
def test_rule_is_triggered(rule: str, tmp_path: Path) -> None:
    file = healthy()
    for change in TRIGGERS[rule]:
        change(file)
    rules = found(file, tmp_path)
    assert rule in rules, f"found only {sorted(rules)}"
    assert rules[rule] == RULES[rule]["severity"]


def test_every_rule_has_a_trigger() -> None:
    assert RULES.keys() == TRIGGERS.keys() | ELSEWHERE
    assert len(RULES) >= 30


def test_rules_are_well_written() -> None:
    for rule, entry in RULES.items():
        assert rule == rule.lower().replace(" ", "-")
        assert entry["meaning"].endswith(".")
        assert entry["hint"].endswith("."), rule


def test_the_page_is_current_and_explains_every_rule() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m docs.generate.rules"
    assert all(f"\n### {rule}\n" in page() for rule in RULES)


def test_an_unreadable_file_is_reported_not_raised(tmp_path: Path) -> None:
    path = tmp_path / "text.c3d"
    path.write_text("not a C3D file\n" * 100)
    report = check_file(path)
    assert not report.readable
    assert [finding.rule for finding in report.findings] == ["unreadable"]
    assert report.to_dict()["frames"] is None


def test_what_is_not_there_is_no_recording_to_be_exported_again(tmp_path: Path) -> None:
    """A misspelt path was called unreadable, with the advice to export the recording again."""
    (report,) = iter_check([tmp_path / "anna"])
    assert [finding.rule for finding in report.findings] == ["no-such-path"]
    assert report.error == f"There is no file or folder {tmp_path / 'anna'}."
    assert "spelt" in report.findings[0].hint
    assert not report.readable


def test_folders_are_walked_in_order_and_empty_ones_named(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "empty").mkdir()
    healthy().write(tmp_path / "b" / "Zweite.C3D")
    healthy().write(tmp_path / "a.c3d")
    (tmp_path / "notes.txt").write_text("no recording")
    reports = list(iter_check([tmp_path, tmp_path / "empty"]))
    assert [Path(report.path).name for report in reports] == ["a.c3d", "Zweite.C3D", "empty"]
    assert [report.readable for report in reports] == [True, True, False]
    assert (reports[-1].findings[0].rule, reports[-1].findings[0].severity) == ("no-files", "error")


def test_what_other_systems_hide_is_left_out_and_what_is_locked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    healthy().write(tmp_path / "a.c3d")
    (tmp_path / "._a.c3d").write_bytes(b"litter")
    for name in (".snapshot", "locked"):
        (tmp_path / name).mkdir()
        healthy().write(tmp_path / name / "b.c3d")
    scandir = os.scandir

    def refusing(folder: str) -> Any:
        if Path(folder).name == "locked":
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    locked, a = iter_check([tmp_path])
    assert locked.error == f"{tmp_path / 'locked'} cannot be looked into: Permission denied."
    assert (Path(a.path).name, a.readable) == ("a.c3d", True)
    # Who names a hidden file means it.
    (hidden,) = iter_check([tmp_path / "._a.c3d"])
    assert not hidden.readable


def test_a_folder_of_trc_files_is_looked_at_as_run_reads_it(tmp_path: Path) -> None:
    (tmp_path / "walk.TRC").touch()
    (report,) = iter_check([tmp_path])
    assert not report.readable
    assert report.findings[0].rule == "unreadable"
    (tmp_path / "walk.c3d").touch()
    assert [Path(report.path).name for report in iter_check([tmp_path])] == ["walk.c3d"]
