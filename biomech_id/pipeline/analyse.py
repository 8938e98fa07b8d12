"""The main job as values: of a folder, of files, of trials in memory, of recordings that were read already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from biomech_id.arguments import Kind, a, a_path, a_str, one_or_several, or_none, takes
from biomech_id.dynamics.external import External
from biomech_id.errors import MissingInputError
from biomech_id.files.settings import refuse_unknown_options
from biomech_id.pipeline.second_forces import with_forces_beside
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.pipeline.stages import OF_RECORDINGS, analysed
from biomech_id.privacy.pseudonym import Pseudonym
from biomech_id.readers import read
from biomech_id.request.in_memory import InMemory, forces_by_trial, named_trial, own_functions, trials_in_memory
from biomech_id.request.input_hashes import make_key
from biomech_id.request.intake import Intake
from biomech_id.request.job import Job, refuse_alike
from biomech_id.request.recipe import Recipe, Settings
from biomech_id.session.session import Session
from biomech_id.session.values.step import Progress
from biomech_id.trial import Trial
from biomech_id.trial.subject import BODY_MASS

_RECORDING = Kind(
    "a str, PathLike or Trial", lambda v: isinstance(v, str | PathLike | Trial), hint="give a file's path, or a Trial"
)
_RECORDINGS = Kind(
    "a folder, recordings or Trials",
    one_or_several(_RECORDING).of_type,
    hint="give the subject's folder, its recordings, or Trials",
)


@takes(
    folder=_RECORDINGS, recipe=or_none(a(Recipe)),
    static=or_none(_RECORDING), functional=one_or_several(_RECORDING), extra=or_none(a((Mapping, Sequence, External))),
    exclude=one_or_several(a_str()), subject_file=or_none(a_path("name a subject.toml")), mass_kg=or_none(BODY_MASS),
    norm=or_none(a_path("name a norm.csv")), code=or_none(a_str()), review=or_none(a_path("name a review.toml")),
    key=or_none(a_path("name the file of the laboratory's key")),
)  # fmt: skip
def analyse(
    folder: str | Path | Trial | Sequence[str | Path | Trial],
    *,
    recipe: Recipe | None = None,
    static: str | Path | Trial | None = None,
    functional: str | Path | Trial | Sequence[str | Path | Trial] = (),
    extra: Mapping[str, External | Sequence[External]] | Sequence[External] | External | None = None,
    exclude: str | Sequence[str] = (),
    subject_file: str | Path | None = None,
    mass_kg: float | None = None,
    norm: str | Path | None = None,
    code: str | None = None,
    review: str | Path | None = None,
    key: str | Path | None = None,
    **settings: Unpack[Settings],
) -> Session:
    """Analyse a subject's folder: the whole main job, as values.

    Parameters
    ----------
    folder : str | Path | Trial | Sequence[str | Path | Trial]
        Holds the session's C3D files; or the files themselves; or trials in memory, one or several, without any file.
    recipe : Recipe, optional
        Settings to start from; the default recipe unless given.
    static : str | Path | Trial | None, optional
        The static trial; found unless given.
    functional : str | Path | Trial | Sequence[str | Path | Trial], optional
        Trials in which hips circle or knees bend, for functional joint centres: one, or one for each joint.
    extra : Mapping[str, External | Sequence[External]] | Sequence[External] | External | None, optional
        Name of a trial -> further wrenches on segments ("R shank", "R hand"), one row a video frame: a crutch, a handrail, an
        exoskeleton, a prosthesis. Without a name where there is one trial to be analysed.
    exclude : str | Sequence[str], optional
        Patterns of file names to leave out, as in a shell (``walk1*``); the whole name of a file means that file alone.
    subject_file : str | Path | None, optional
        A subject.toml in place of the folder's own.
    mass_kg : float, optional
        Body mass (kg) that beats every file.
    norm : str | Path | None, optional
        Path of a norm file.
    code : str, optional
        Replaces the subject's name everywhere.
    review : str | Path | None, optional
        A review.toml in place of the folder's own.
    key : str | Path | None, optional
        The laboratory's key for hashes under a code of what somebody typed; written where there is no such file. Without it the
        manifest has no such hashes.
    settings : Settings
        Fields of `Recipe` by name: ``kinetics="vicon"``, ``cutoff_hz=6.0``, ... Three may be functions of your own:
        ``lowpass(values, rate_hz, cutoff_hz)``, ``event_source(trial, motion)`` that returns events, and
        ``hip_centre(side, pelvis_size)`` that returns (3,) metres from mid-ASIS in the pelvis' ISB axes.

    Returns
    -------
    Session
        Every table as an attribute, and what was computed, in SI; trials that could not be analysed are in ``failures``.

    Raises
    ------
    OptionError
        A setting that does not exist, or a value that does not fit.
    BiomechError
        See `analyse_job`.

    Examples
    --------
    >>> import biomech_id as bid
    >>> person = bid.virtual_subject()
    >>> result = bid.analyse([person.static().trial, person.walk().trial])
    >>> result.trials["walk"].verdict
    'accept'
    """
    refuse_unknown_options(settings, [*Job.__dataclass_fields__, *Settings.__annotations__], where="analyse")
    several = (folder,) if isinstance(folder, str | PathLike | Trial) else tuple(folder)
    in_memory = [each for each in several if isinstance(each, Trial)]
    if not several or 0 < len(in_memory) < len(several):
        words = "an empty sequence" if not several else "trials and paths together"
        raise MissingInputError(
            f"analyse takes a folder, recordings or Trials as its folder, not {words}.",
            value=[str(each)[:60] for each in several], expected="a path or several, or a Trial or several", where="analyse",
        )  # fmt: skip
    functional = (functional,) if isinstance(functional, str | PathLike | Trial) else tuple(functional)
    named: dict[str, Any] = {"static": static, "functional": functional}
    beside = [
        each for each in (static, *functional) if isinstance(each, Trial) and each.name not in [own.name for own in in_memory]
    ]
    trials = trials_in_memory([*beside, *in_memory] if in_memory else [])
    if trials:
        named = {"static": named_trial(static, trials, "static")}
        named["functional"] = tuple(named_trial(each, trials, "functional") for each in functional)
    # A job takes paths and patterns as people write them.
    named |= {"exclude": exclude, "subject_file": subject_file, "norm": norm, "review": review, "key": key}
    make_key(None if key is None else Path(key), coded=bool(code))
    paths = tuple(Path(each.path) for each in trials) or tuple(Path(each) for each in several if not isinstance(each, Trial))
    with own_functions(settings) as (by_name, functions):
        forces = (
            {}
            if extra is None
            else forces_by_trial(extra, [path.stem for path in paths if path not in (named["static"], *named["functional"])])
        )
        chosen = (recipe or Recipe()).replaced(**by_name)
        given = InMemory(trials, forces, functions)
        return made(analysed(Job(paths, recipe=chosen, mass_kg=mass_kg, code=code, given=given, **named), Analysis()))


def analyse_job(job: Job, *, progress: Progress | None = None, trust: bool = False, written: bool = False) -> Session:
    """Analyse one subject and return everything as values; nothing is written.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    trust : bool, optional
        Whether the files are read in this process, without the sandbox.
    written : bool, optional
        Whether the results will be written to a folder.

    Returns
    -------
    Session
        As ``analyse`` returns it; trials that could not be analysed are in ``failures``.

    Raises
    ------
    BiomechError
        Nothing could be analysed; the sentence says what is missing and what to do.
    """
    return made(analysed(job, Analysis(progress=progress, trust=trust, written=written)))


def analyse_named(
    job: Job, *, progress: Progress | None = None, trust: bool = False, written: bool = False
) -> tuple[Session, Pseudonym]:
    """Analyse one subject, and say what everything is called under its code (see `analyse_job`).

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    trust : bool, optional
        Whether the files are read in this process, without the sandbox.
    written : bool, optional
        Whether the results will be written to a folder.

    Raises
    ------
    BiomechError
        As for `analyse_job`.
    """
    session = analysed(job, Analysis(progress=progress, trust=trust, written=written))
    return made(session), session.names


def analyse_intake(job: Job, intake: Intake, *, progress: Progress | None = None) -> Session:
    """Analyse recordings that were read already; nothing is written, and no norm is asked for.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how; without a code.
    intake : Intake
        Its recordings, and the files that could not be read.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Returns
    -------
    Session
        As of `analyse_job`, without hashes of its inputs.

    Raises
    ------
    BiomechError
        Nothing could be analysed; its ``cures`` say what somebody can do about it.
    """
    refuse_alike(Path(trial.path) for trial in intake.trials)
    reader = partial(read, marker_set=job.recipe.chosen_marker_set)
    intake = replace(intake, trials=with_forces_beside(intake.trials, reader))
    return made(analysed(job, Analysis(intake=intake, progress=progress, written=True), OF_RECORDINGS))


def made(analysis: Analysis) -> Session:
    """Return the session that went through all stages.

    Parameters
    ----------
    analysis : Analysis
        As of `stages.analysed`.
    """
    assert analysis.session is not None
    return analysis.session
