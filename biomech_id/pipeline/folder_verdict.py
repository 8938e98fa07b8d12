"""Whether a folder will run, and with what: everything that a run decides before it analyses the first trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biomech_id.conventions import SCHEMA
from biomech_id.errors import BiomechError, MissingInputError, Severity, on_command_line, typed
from biomech_id.pipeline.choose_model import known_markers
from biomech_id.pipeline.conditions import choose_models
from biomech_id.pipeline.emg import analyse_emg, muscles_alone
from biomech_id.request.intake import one_subject, with_markers
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Trial

RUNS, RUNS_WITH_WARNINGS, LACKS = "runs", "runs_with_warnings", "lacks"


@dataclass(frozen=True)
class FolderVerdict:
    """What ``biomech-id run`` will do with a folder of recordings.

    Attributes
    ----------
    folder : str
        As given.
    verdict : str
        "runs", "runs_with_warnings" or "lacks".
    model : str | None
        The body model that will be taken; None where none can be, or where muscle signals stand alone.
    static : str | None
        Name of the static trial, or of each where conditions have their own; None where there is none.
    lacks : tuple[str, ...]
        What keeps it from running, else what it will be warned of, in sentences.
    command : str
        What to type next.
    """

    folder: str
    verdict: str
    model: str | None
    static: str | None
    lacks: tuple[str, ...]
    command: str

    def to_dict(self) -> dict[str, Any]:
        """Return the last object of ``check --json`` for a folder."""
        return {"schema": SCHEMA, **asdict(self), "lacks": list(self.lacks)}

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == LACKS:
            return f"{self.folder} will not run as it is."
        stood = f"calibrated on {self.static}" if self.static else "without a static trial"
        how = f"the {self.model} model, {stood}" if self.model else "muscle signals alone"
        return f"{self.folder} will run with {how}{', and with warnings' if self.verdict == RUNS_WITH_WARNINGS else ''}."


def folder_verdict(folder: Path, trials: Sequence[Trial], *, unreadable: int = 0, marker_set: str | None = None) -> FolderVerdict:
    """Return whether a folder's recordings will run, and with what.

    Parameters
    ----------
    folder : Path
        That holds them.
    trials : Sequence[Trial]
        Those of its recordings that could be read.
    unreadable : int, optional
        How many could not be read: the others run, with warnings.
    marker_set : str | None, optional
        Name or file of the marker set that they were read with; None finds the one that fits.
    """
    run = f"biomech-id run {typed(folder)} -o OUT" + (f" --marker-set {typed(marker_set)}" if marker_set else "")
    job = Job((folder,), Recipe().replaced(marker_set=marker_set))
    with on_command_line():
        try:
            one_subject(trials)
            if trials and muscles_alone(tuple(trials), job.recipe):
                return FolderVerdict(str(folder), RUNS_WITH_WARNINGS if unreadable else RUNS, None, None, (), run)
            shown, _ = with_markers(trials)
            groups = choose_models(job, shown)
        except BiomechError as error:
            strange = isinstance(error, MissingInputError) and bool(trials) and not known_markers(trials)
            if strange and analyse_emg(trials, (), job.recipe).trials:
                return FolderVerdict(str(folder), RUNS_WITH_WARNINGS, None, None, (error.message,), run)
            command = next(iter(getattr(error, "__notes__", ())), run)
            return FolderVerdict(str(folder), LACKS, None, None, (error.message,), command)
        findings = [finding for chosen in groups for finding in (*chosen.findings, *chosen.model.findings)]
        warned = tuple(dict.fromkeys(finding.message for finding in findings if finding.severity is not Severity.INFO))
        verdict = RUNS_WITH_WARNINGS if warned or unreadable else RUNS
        static = ", ".join(chosen.static.name for chosen in groups if chosen.static) or None
    return FolderVerdict(str(folder), verdict, groups[0].job.recipe.model, static, warned, run)
