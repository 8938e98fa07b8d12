"""A synthetic person whose tissue moves otherwise than the fit's shapes: centres, angles and bands beside scaling by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies import fit_person
from biomech_id.conventions import ANGLE_VARIABLE
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.fit.findings import fit_findings
from biomech_id.osim.fit.outputs import fit_files
from biomech_id.osim.fit.person import fit
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, skeletal_model
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.session.session import Session
from biomech_id.trial import Markers, Trial

pytestmark = pytest.mark.real

#: Centre -> body, share of today's error and error in mm that are allowed; the shared sheet's gates.
CENTRES = {"hip": ("femur", 0.80, 9.5), "knee": ("tibia", 0.90, 8.5), "ankle": ("talus", 0.90, 7.5)}


@pytest.fixture(scope="module")
def folder(shared_dir: Path) -> Path:
    return shared_dir / "opensim_refs/fit/gait2392_101"


def test_two_persons_centres_are_nearer_than_by_scaling(folder: Path, tmp_path: Path) -> None:
    """Root mean square over persons, walks and sides, as the sheet has it."""
    square_mm: dict[str, list[tuple[float, float]]] = {name: [] for name in CENTRES}
    for person in ("gait2392_101", "gait2392_102"):
        own = folder.with_name(person)
        files = [own / f"{name}.trc" for name in ("static", "walk1", "walk2")]
        fitted, _, findings = fit_files(folder / "model.osim", files, tmp_path / person)
        assert [finding for finding in findings if finding.rule == "fit-marker-misplaced"] == []
        truth = json.loads((own / "truth.json").read_text())
        skeleton = Skeleton(fitted.model)
        for motion in fitted.motions[1:]:
            pose = skeleton.pose(motion.q)
            for name, (body, *_) in CENTRES.items():
                off = [
                    pose.origin_m[:, skeleton.body_index(f"{body}_{side}")]
                    - truth["trials"][motion.name]["centres"][f"{body}_{side}"]
                    for side in "rl"
                ]
                own_mm2 = 1e6 * float(np.mean(np.sum(np.square(off), axis=-1)))
                square_mm[name].append((own_mm2, truth["today"][motion.name][name] ** 2))
            true_q = np.array(truth["trials"][motion.name]["q"])
            columns = [fitted.model.index(name) for name in truth["coordinates"]]
            angles = [k for k, turns in enumerate(truth["rotational"]) if turns]
            off_rad = np.abs(motion.q[:, columns] - true_q)[:, angles]
            assert np.mean(off_rad < 1.96 * motion.sd[:, columns][:, angles]) >= 0.90
        for name, (length, sd) in fitted.lengths_m.items():
            assert abs(length - truth["lengths_m"][name]) < 1.96 * sd
        written = read_osim(tmp_path / person / "scaled.osim")
        # The file has ten digits.
        np.testing.assert_allclose(written.bodies[1].com_m, fitted.model.bodies[1].com_m, atol=1e-9)
    for name, (_, share, most_mm) in CENTRES.items():
        own_mm, today_mm = np.sqrt(np.mean(square_mm[name], axis=0))
        assert own_mm < min(share * today_mm, most_mm), (name, own_mm, today_mm)


def test_a_run_with_the_fitted_model_has_the_fits_limits(folder: Path, tmp_path: Path) -> None:
    """Of two persons: in the table and in the manifest, gone with ``fit.json``, and as wide as the angles are off."""
    z = []
    for person in ("gait2392_101", "gait2392_102"):
        files = [folder.with_name(person) / f"{name}.trc" for name in ("static", "walk1")]
        fit_files(folder / "model.osim", files, tmp_path / person)
        fit_beside = tmp_path / person / "fit.json"
        session = bid.analyse(files, model=str(tmp_path / person / "scaled.osim"), report=False)
        assert "fit.json" in session.manifest["inputs"]
        assert "osim-fitted" in [finding["rule"] for finding in session.tables().summary["findings"]]
        table = session.tables().uncertainty
        assert table["hip_centre"].max() == 0.0 == table["pelvis"].max()
        truth = json.loads((files[0].parent / "truth.json").read_text())
        z.append(off_by_bands(session, truth["trials"]["walk1"], truth["coordinates"], fit_beside.with_name("scaled.osim")))
    fit_beside.unlink()
    alone = bid.analyse(files, model=str(fit_beside.with_name("scaled.osim")), report=False).tables().uncertainty
    knee = [each.loc[each["variable"] == "KneeAngles", "segment_axes"].mean() for each in (table, alone)]
    assert knee[0] > 0.2 > 0.0 == knee[1]
    off = np.concatenate(z)
    print(f"{100 * np.mean(np.abs(off) < 1.96):.0f} %, error over SD {np.sqrt(np.mean(off**2)):.2f}")
    assert np.mean(np.abs(off) < 1.96) >= 0.90
    assert 0.4 <= np.sqrt(np.mean(off**2)) <= 1.4


def off_by_bands(session: Session, truth: dict[str, Any], coordinates: list[str], file: Path) -> np.ndarray:
    """Errors of the angles that vary, all cycles and percents in one row, over one SD of the limits of the run."""
    model = skeletal_model(read_osim(file, muscles=False))
    (walk,) = session.computed.trials
    trial = Trial(walk.name, walk.markers)
    pose = model.coordinates(trial)
    q = np.array(pose.q)
    q[:, [model.osim.index(name) for name in coordinates]] = truth["q"]
    found, true = (model.motion(trial, each).joint_angles_rad for each in (pose, replace(pose, q=q)))
    cycles = session.cycle_list.set_index(["side", "cycle"])
    table = session.tables().uncertainty
    rows, joint_of = [], {variable: joint for joint, variable in ANGLE_VARIABLE.items()}
    for (side, cycle, variable, axis), band in table.groupby(["side", "cycle", "variable", "component"]):
        key = side, joint_of[variable]
        off_deg = np.degrees((found[key] - true[key])[:, "XYZ".index(axis)])
        start_s, end_s = cycles.loc[(side, cycle), ["start_s", "end_s"]]
        at = np.interp(np.linspace(start_s, end_s, 101), trial.time_s, off_deg)
        # A knee of this model only flexes: its other angles are known.
        if band["total"].mean() > 0.1:
            rows.append(at / band["total"].to_numpy())
    return np.concatenate(rows)


def test_trials_disagree_only_where_one_is_of_another_person(shared_dir: Path) -> None:
    """Silent on like walks; speaks where the second walk is of somebody whose thighs are 5 % longer."""
    kit = fit_person.shipped(shared_dir)
    for number in (0, 8):
        like = bid.fit(kit.model, fit_person.person(kit, number).trials)
        (pair,) = like.disagreements
        assert pair.trials == ("walk1", "walk2")
        assert abs(pair.apart_m) < 2.0 * pair.sd_m
    who = fit_person.person(kit, 1)
    longer = scaled_model(who.model, {f"femur_{side}": (1.0, 1.05, 1.0) for side in "rl"})
    skeleton = Skeleton(longer)
    moved = skeleton.markers(who.q[2]) - Skeleton(who.model).markers(who.q[2])
    walk = who.trials[2]
    other = replace(walk, markers=Markers(walk.markers.names, walk.markers.position_m + moved @ R_LAB_SURROUNDINGS.T, 60.0))
    unlike = bid.fit(kit.model, [*who.trials[:2], other])
    (finding,) = [each for each in fit_findings(unlike) if each.rule == "fit-trials-disagree"]
    assert finding.values["measure"].startswith("thigh")
    assert 12.0 < finding.values["apart_mm"] < 25.0


def test_an_exchanged_knee_marker_is_named(folder: Path) -> None:
    trials = [bid.read(folder / f"{name}.trc") for name in ("static", "walk1")]
    swapped = []
    for trial in trials:
        swap = {"R.Knee.Lat": "R.Shank.Front", "R.Shank.Front": "R.Knee.Lat"}
        names = tuple(swap.get(name, name) for name in trial.markers.names)
        markers = Markers(names, trial.markers.position_m, trial.markers.rate_hz)
        swapped.append(bid.Trial(trial.name, markers))
    fitted = bid.fit(folder / "model.osim", swapped)
    assert "R.Knee.Lat" in [finding.where for finding in fit_findings(fitted) if finding.rule == "fit-marker-misplaced"]


def tables() -> dict[str, str]:
    """The study's tables: model -> text."""
    parts = fit_person.TABLE.read_text(encoding="utf-8").split("biomech_id ")[1:]
    return dict(zip(fit_person.MODELS, parts, strict=True))


@pytest.mark.parametrize(("model", "number"), [("gait2392", 19), ("Rajagopal", 0)])
def test_a_person_of_the_study_is_as_its_table_says(shared_dir: Path, model: str, number: int) -> None:
    """The first is a child: a model half as large again folded, and its pelvis lay 50 degrees off."""
    made = fit_person.outcome(fit_person.shipped(shared_dir, model), number)
    assert fit_person.line(number, made) in tables()[model]


def test_the_committed_tables_of_the_study_are_within_their_gates_but_for_one() -> None:
    beyond = []
    for model, text in tables().items():
        rows = [row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("| ")]
        gated = {row[0]: row[1:] for row in rows if row[0] in fit_person.GATES}
        assert gated.keys() == fit_person.GATES.keys()
        for name, (share, most) in fit_person.GATES.items():
            _, off, ratio, printed = gated[name]
            assert printed == f"{share:.2f}, {most:.1f}"
            beyond += [f"{model} {name}"] if float(ratio) > share or float(off) > most else []
        (bands,) = re.findall(r"cover (\d+) %.*SD ([\d.]+)\) and (\d+) %.*lengths \(([\d.]+)\).*misplaced: (\d+)\.", text)
        angles, angle_z, lengths, length_z, accused = map(float, bands)
        assert angles >= 90
        assert lengths >= 83
        assert all(0.4 <= z <= 1.4 for z in (angle_z, length_z))
        assert accused == 0
    # `docs/fit-the-person.md` says so.
    assert beyond == ["Rajagopal adduction, deg"]


def test_labels_of_the_other_side_are_said(folder: Path) -> None:
    """Left and right exchanged throughout: the markers are followed all the same, with proportions of nobody."""
    model = read_osim(folder / "model.osim", muscles=False)
    trials = [bid.read(folder / f"{name}.trc") for name in ("static", "walk1")]
    mirrored = []
    for trial in trials:
        names = tuple({"L.": "R.", "R.": "L."}.get(name[:2], name[:2]) + name[2:] for name in trial.markers.names)
        mirrored.append(replace(trial, markers=replace(trial.markers, names=names)))
    assert "fit-size-unlikely" in {finding.rule for finding in fit_findings(fit(model, mirrored))}
    assert {finding.rule for finding in fit_findings(fit(model, trials))} <= {"fit-coordinates-unseen"}


def test_a_leg_five_percent_shorter_is_said(shared_dir: Path) -> None:
    """Of a person whose sides are alike within a percent; of one in six so made a shank is called different at 2.3 SD."""
    shipped = fit_person.shipped(shared_dir)
    who = fit_person.person(shipped, 1)
    short = scaled_model(who.model, {"femur_l": np.full(3, 0.95), "tibia_l": np.full(3, 0.95)})
    rng, count = np.random.default_rng(41), len(short.markers)
    skin = rng.normal(size=(count, 2, 3)), rng.normal(size=(count, 8, 3))
    walks = [fit_person._recorded(shipped, short, who.q[k], name, skin, rng) for k, name in enumerate(("static", "walk1"))]
    differing = [finding.values for finding in fit_findings(fit(shipped.model, walks)) if finding.rule == "fit-sides-differ"]
    assert differing
    assert all(each["left_mm"] < each["right_mm"] for each in differing)
    assert "fit-sides-differ" not in {finding.rule for finding in fit_findings(fit(shipped.model, who.trials[:2]))}
