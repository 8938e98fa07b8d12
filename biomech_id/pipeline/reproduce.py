"""The same numbers again: a finished result computed anew in a temporary folder and compared byte for byte."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biomech_id.errors import BiomechError, FileRefusedError
from biomech_id.files.json_text import read_json
from biomech_id.pipeline.manifest_job import find_input, job_from_manifest
from biomech_id.pipeline.parity import add_parity, parity_of
from biomech_id.pipeline.redraw import DRAWN, DRAWN_APPENDIX, DRAWN_WITH, redraw
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.study.resume import compared, differences, unverified
from biomech_id.pipeline.study.tables import about_study, session_folders, write_study
from biomech_id.request.input_hashes import InputHashes, needs_key, read_key
from biomech_id.request.job import Job
from biomech_id.request.study_folders import recordings_of
from biomech_id.session.folder.difference import Difference, file_differences, folder_differences
from biomech_id.session.folder.read_write import damaged_outputs
from biomech_id.session.values.step import Progress, Step
from biomech_id.values import dataclass, field

#: What is compared, in words.
_COMPARED = ("the finished results", "the results computed again")


@dataclass(frozen=True)
class Reproduction:
    """One session, or the tables of a study, made anew.

    Attributes
    ----------
    subject : str
        Its folder relative to the study; "." for a single session, "study" for the tables of a study.
    causes : tuple[str, ...]
        What is not as it was: inputs, settings, versions, an output that has been changed since; in words.
    differences : tuple[str, ...]
        Outputs that came out otherwise; in words. Empty when every byte is the same.
    unverified : Mapping[str, str], optional
        Inputs that may have changed unseen, for somebody typed them and the laboratory's key was not used, then or now: name ->
        what the results tell of its content.
    """

    subject: str
    causes: tuple[str, ...]
    differences: tuple[str, ...]
    unverified: Mapping[str, str] = field(default_factory=dict)

    @property
    def equal(self) -> bool:
        """Whether every output came out the same."""
        return not self.differences


def reproduce_results(
    manifest: Path, input_dir: Path, *, also: Sequence[Path] = (), key: Path | None = None, progress: Progress | None = None
) -> Iterator[Reproduction]:
    """Compute a session, or every session of a study and then its tables, again.

    A report that was drawn again since, with a norm, style or review of its own or with a comparison at its end, is drawn again in
    the same way.

    Parameters
    ----------
    manifest : Path
        ``manifest.json`` of a session, its folder, or the folder of a study.
    input_dir : Path
        The folder with the recordings (of a study: with the subjects' folders).
    also : Sequence[Path], optional
        Files, and folders with files, that the results were made with and that do not lie there: a norm, a style.
    key : Path | None, optional
        The laboratory's key, with which hashes under a code were made; None leaves what somebody typed uncompared.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Raises
    ------
    FileRefusedError
        There is no finished session, or no key in its file.
    """
    if key is not None:
        read_key(key)
    root = manifest.parent if manifest.suffix == ".json" else manifest
    folders = session_folders(root) if root.is_dir() else ()
    if not folders:
        words = f"{manifest} is neither a manifest.json nor a folder with finished sessions."
        raise FileRefusedError.at(manifest, words, "manifest.json of run, or a folder of run or batch")
    recordings = recordings_of([folder.relative_to(root).as_posix() for folder in folders], input_dir)
    for number, (folder, (subject, place)) in enumerate(zip(folders, recordings.items(), strict=True), start=1):
        if progress:
            progress(Step("analyse", str(subject), number, len(folders)))
        try:
            yield _again(folder, subject, place, also, key)
        except BiomechError as error:
            # One subject without recordings must not keep the others from being compared.
            yield Reproduction(subject, (error.message,), ("nothing could be computed again",))
    if (root / "study" / "study.json").is_file():
        yield _tables_again(root)


def _again(folder: Path, subject: str, recordings: Path, also: Sequence[Path], key: Path | None) -> Reproduction:
    manifest = read_json(folder / "manifest.json")
    if manifest.get("released"):
        words = f"{folder} was written by `biomech-id release`: compute those results again that it was made of."
        return Reproduction(subject, (words,), ("nothing could be computed again",))
    # A session keeps the norm it was made with.
    job = job_from_manifest(manifest, recordings, also=(*also, folder / "norm.csv"), key=key)
    hashes = InputHashes.of(job.code, key)
    written_with = read_json(folder / "summary.json").get("recipe", manifest["recipe"])
    causes = [
        *_of_another_key(job, manifest),
        *differences(job, manifest),
        *compared("setting", _flat(written_with), _flat(manifest["recipe"])),
        *(f"output {name}: has been changed or removed since" for name in damaged_outputs(folder)),
    ]
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(temporary) / "again"
        run_job(job, out)
        try:
            _drawn_again(manifest, job, out, also, hashes)
        except BiomechError as error:
            causes.append(f"output report.pdf: {error.message}")
        unlike = folder_differences(folder, out, called=_COMPARED)
    every = [manifest.get(key, {}) for key in (DRAWN, DRAWN_APPENDIX)]
    files = {drawn[what]["name"]: drawn[what]["sha256"] for drawn in every for what in DRAWN_WITH if what in drawn}
    uncompared = {name: manifest["inputs"][name] for name in unverified(job, manifest)}
    uncompared |= {name: entry for name, entry in files.items() if not hashes.compares(entry)}
    return Reproduction(subject, tuple(causes), tuple(map(_in_words, unlike)), uncompared)


def _of_another_key(job: Job, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where not one hash made with a key fits, it is rather the key that is another than all the files."""
    keyed = {entry for entry in manifest["inputs"].values() if needs_key(entry)}
    if job.key is not None and keyed and keyed.isdisjoint(job.inputs().values()):
        yield f"key {job.key}: fits none of the {len(keyed)} hashes made with a key; is it the one these results were made with?"


def _flat(recipe: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {f"[{section}] {name}": value for section, settings in recipe.items() for name, value in settings.items()}


def _drawn_again(manifest: Mapping[str, Any], job: Job, out: Path, also: Sequence[Path], hashes: InputHashes) -> None:
    """Do again what was done to the results after they were computed: compare with the vendor's outputs, draw the report."""
    drawn, compared_since = manifest.get(DRAWN, {}), "parity.csv" in manifest["outputs"]
    if compared_since:
        add_parity(parity_of(out, job.folder), out)
    appendix = "appendix.pdf" in manifest["outputs"]
    if drawn or compared_since or ("report.pdf" in manifest["outputs"] and not job.recipe.report):
        redraw(out, **_asked(drawn, job, also, hashes))
    if appendix:
        # Older results do not say with what their appendix was drawn: with what the report was.
        asked = _asked(manifest.get(DRAWN_APPENDIX, drawn), job, also, hashes)
        redraw(out, **{**asked, "pages": None}, appendix=True)


def _asked(drawn: Mapping[str, Any], job: Job, also: Sequence[Path], hashes: InputHashes) -> dict[str, Any]:
    """What a report was drawn with, as `redraw` takes it."""
    files: dict[str, Any] = {
        what: find_input(drawn[what]["name"], drawn[what]["sha256"], job.folder, also, hashes)
        for what in DRAWN_WITH
        if what in drawn
    }
    return {**files, "pages": drawn.get("pages"), "mix": drawn.get("mix", ()), "norm_for": drawn.get("norm_for")}


def _tables_again(root: Path) -> Reproduction:
    """Make the tables of a study again from its sessions, each of which has been compared by itself."""
    about = read_json(root / "study" / "study.json")
    folders = [root.joinpath(*subject.split("/")) if (root / subject).is_dir() else root for subject in about["subjects"]]
    causes = compared("version of", about.get("dependencies", {}), about_study(about["format"] == "parquet")["dependencies"])
    try:
        with tempfile.TemporaryDirectory() as temporary:
            again = write_study(
                root,
                folders,
                parquet=about["format"] == "parquet",
                out=Path(temporary) / "study",
                large=about.get("large_tables", "whole"),
            )
            unlike = file_differences(root / "study", again, called=_COMPARED)
    except BiomechError as error:
        return Reproduction("study", (*causes, error.message), ("nothing could be made again",))
    return Reproduction("study", tuple(causes), tuple(map(_in_words, unlike)))


def _in_words(difference: Difference) -> str:
    return f"{difference.name}: {difference.what}"
