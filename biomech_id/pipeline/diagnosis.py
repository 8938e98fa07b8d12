"""The diagnosis of a subject's walks, for whoever asks for it: nothing of the main job changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from biomech_id.conventions import SCHEMA
from biomech_id.errors import BiomechError
from biomech_id.files.atomic import whole_folder
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import json_text
from biomech_id.judgement.diagnosis import Diagnosis, diagnose
from biomech_id.judgement.diagnosis.likely_causes import diagnosis_table, whether_aided
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stages import analysed
from biomech_id.request.job import Job
from biomech_id.request.subject_file import condition_of, worn_in
from biomech_id.session.folder.read_write import check_replaceable
from biomech_id.session.tables.csv_text import write_csv
from biomech_id.session.values.step import Progress, Step
from biomech_id.values import asdict, dataclass, replace

#: What is written; the listing names the other.
TABLE, LISTING = "diagnosis.csv", "diagnosis.json"


@dataclass(frozen=True)
class Diagnosed:
    """What the walks of one subject say.

    Attributes
    ----------
    walks : tuple[Diagnosis, ...]
        Diagnosis of each walk, in the order of the files.
    refused : tuple[tuple[str, str], ...]
        Name of a trial or file that cannot be diagnosed, and why.
    """

    walks: tuple[Diagnosis, ...]
    refused: tuple[tuple[str, str], ...]


def diagnose_job(
    job: Job, *, unimpaired: bool = False, prostheses: Sequence[str] = (), progress: Progress | None = None
) -> Diagnosed:
    """Diagnose every walk of one subject; nothing is written.

    Parameters
    ----------
    job : Job
        Whose recordings, and how they are calibrated.
    unimpaired : bool, optional
        Whether the person is known to be built and to walk as most do (see `biomech_id.judgement.diagnosis.diagnosis.diagnose`).
    prostheses : Sequence[str], optional
        Sides on which shank or foot is artificial (see the same); empty takes those of ``amputation`` in the subject file.
    progress : Progress | None, optional
        Told of every walk.

    Returns
    -------
    Diagnosed
        Walks in the order of the session.

    Raises
    ------
    BiomechError
        Nothing could be calibrated; the sentence says what is missing and what to do.
    """
    # What errors of the calibration do to angles and loads is asked of nobody here.
    bare = replace(job, recipe=job.recipe.replaced(uncertainty=False, budget=False))
    session = analysed(bare, Analysis(), until="line_up")
    walks, condition = list[Diagnosis](), condition_of(job.subject_toml)
    refused = [(file.path.name, file.sentence) for file in (*session.intake.refused, *session.refused)]
    for number, walk in enumerate(session.walks, start=1):
        if progress:
            progress(Step("analyse", walk.trial.name, number, len(session.walks)))
        try:
            aid, _ = worn_in(walk.trial, walk.model.subject, condition(Path(walk.trial.path).stem))
            person = {"unimpaired": unimpaired, "aided": whether_aided(aid), "prostheses": prostheses}
            walks.append(diagnose(walk.trial, walk.model, **person))  # type: ignore[arg-type]
        except BiomechError as error:
            cut = (finding.message for finding in walk.trial.findings if finding.rule == "data-cut")
            refused.append((walk.trial.name, " ".join([*cut, error.message])))
    return Diagnosed(tuple(walks), tuple(refused))


def write_diagnosis(diagnosed: Diagnosed, out: Path) -> Path:
    """Write ``diagnosis.csv`` and ``diagnosis.json``, whole or not at all.

    Parameters
    ----------
    diagnosed : Diagnosed
        What the walks say.
    out : Path
        Folder that takes both; one of an earlier diagnosis is replaced.

    Raises
    ------
    OutputError
        The folder cannot be written, or holds something else.
    """
    check_replaceable(out, listing=LISTING)
    with whole_folder(out) as folder:
        write_csv(diagnosis_table(diagnosed.walks), folder / TABLE)
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "outputs": {TABLE: sha256_of(folder / TABLE)},
            "trials": [_document(walk) for walk in diagnosed.walks],
            "refused": [{"trial": trial, "why": why} for trial, why in diagnosed.refused],
        }
        (folder / LISTING).write_text(json_text(content), encoding="utf-8", newline="\n")
    return out


def _document(walk: Diagnosis) -> dict[str, Any]:
    return {
        "trial": walk.name, "residuals_compared": len(walk.values), "misfit": walk.misfit, "causes_compared": walk.n_causes,
        "likely": [asdict(likely) for likely in walk.likely], "residuals": list(_residuals(walk)),
        "unexplained": [{"residual": name, "of": of, "sds": sds} for (name, of), sds in walk.unexplained.items()],
        "not_seen_below": {cause: {"size": size, "unit": unit} for cause, (size, unit) in walk.told_from.items()},
    }  # fmt: skip


def _residuals(walk: Diagnosis) -> Iterator[dict[str, Any]]:
    for key, value in walk.values.items():
        mean, sd = walk.expected[key]
        yield {"residual": key[0], "of": key[1], "value": value, "expected": mean, "sd": sd}
