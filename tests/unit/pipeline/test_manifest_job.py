"""A job, what its manifest says of it, and the same job again from that."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.errors import MissingInputError
from biomech_id.files.inputs import sha256_of
from biomech_id.pipeline.manifest_job import find_input, job_from_manifest
from biomech_id.pipeline.study.resume import differences
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.output.manifest import build_manifest


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Recordings in one folder, and a marker set, an inertial table and a norm of the laboratory's own in another."""
    for name in ("anna/walk.c3d", "anna/static.c3d", "settings/ours.toml", "settings/ours.csv", "settings/norm.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    return tmp_path


@pytest.fixture
def job(lab: Path) -> Job:
    settings = lab / "settings"
    recipe = Recipe(
        model="six-dof", marker_set=str(settings / "ours.toml"), inertia_table=str(settings / "ours.csv"), cutoff_hz=6.5
    )
    return Job(
        (lab / "anna",), recipe=recipe, static=lab / "anna" / "static.c3d", exclude=("a*", "b c"), mass_kg=61.25,
        norm=settings / "norm.csv",
    )  # fmt: skip


def manifest_of(job: Job) -> dict[str, object]:
    return build_manifest(command=job.command(), recipe=job.settings(), inputs=job.inputs())


def test_a_laboratorys_own_files_are_inputs_and_no_path_of_this_machine_is_told(job: Job, lab: Path) -> None:
    manifest = manifest_of(job)
    assert set(job.inputs()) == {"walk.c3d", "static.c3d", "ours.toml", "ours.csv", "norm.csv"}
    assert str(lab) not in str(manifest)
    assert job.settings()["model"]["marker_set"] == "ours.toml"


def test_the_job_comes_back_from_its_manifest(job: Job, lab: Path) -> None:
    again = job_from_manifest(manifest_of(job), lab / "anna", also=[lab / "settings"])
    assert again == job


@pytest.mark.parametrize("name", ["settings/ours.toml", "settings/ours.csv", "settings/norm.csv", "anna/walk.c3d"])
def test_a_changed_file_is_the_only_difference(job: Job, lab: Path, name: str) -> None:
    manifest = manifest_of(job)
    assert differences(job, manifest) == []
    (lab / name).write_text("changed", encoding="utf-8")
    again = job_from_manifest(manifest, lab / "anna", also=[lab / "settings"])
    assert [line.partition(": was ")[0] for line in differences(again, manifest)] == [f"input {Path(name).name}"]


def test_a_missing_file_is_named_with_what_to_do(job: Job, lab: Path) -> None:
    with pytest.raises(MissingInputError, match=r"anna does not hold ours\.toml, .* name it with --also"):
        job_from_manifest(manifest_of(job), lab / "anna")


def test_content_counts_before_the_name(lab: Path) -> None:
    """Where a code replaced a patient's name the manifest knows a file by another; of two with one name the right one is taken."""
    folder, other = lab / "anna", lab / "settings"
    assert find_input("P007.c3d", sha256_of(folder / "walk.c3d"), folder, ()) == folder / "walk.c3d"
    (other / "walk.c3d").write_text("what it was made with", encoding="utf-8")
    assert find_input("walk.c3d", sha256_of(other / "walk.c3d"), folder, [other]) == other / "walk.c3d"
    assert find_input("walk.c3d", "0" * 64, folder, [other]) == folder / "walk.c3d"


def test_what_was_computed_before_plates_were_matched_is_computed_so_again(job: Job, lab: Path) -> None:
    manifest = manifest_of(job)
    recipe = {name: dict(settings) for name, settings in job.settings().items()}
    assert recipe["filter"].pop("plate_cutoff_hz") == "auto"
    again = job_from_manifest({**manifest, "recipe": recipe}, lab / "anna", also=[lab / "settings"])
    assert again.recipe.plate_cutoff_hz == "raw"
    assert job_from_manifest(manifest, lab / "anna", also=[lab / "settings"]).recipe.plate_cutoff_hz == "auto"
