"""What came in: the trials of one subject, which of them is the static one, and who the subject is.

A broken file is named and the others go on; what stops the session is one sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray, percentiles_seen
from biomech_id.errors import BiomechError, Cure, Finding, MissingInputError, OptionError, OutputError, option
from biomech_id.feet.feet import classify
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.files.atomic import check_writable, whole_file
from biomech_id.models.poses.points import with_pose_points
from biomech_id.models.still_window import SHORT_S, stillest_window
from biomech_id.movement.feet import NO_STRIDES
from biomech_id.readers import read
from biomech_id.request.job import Job
from biomech_id.request.subject_file import apply_subject_file, examination_of, subject_toml
from biomech_id.session.values.step import Progress, Step
from biomech_id.trial import Subject, Trial
from biomech_id.values import dataclass, replace

#: Reads one file; `readers.formats.read` in the product.
Reader = Callable[[Path], Trial]

#: A marker of somebody standing still stays within this (m); walking moves it by metres, a swinging leg by decimetres.
STILL_RANGE_M = 0.06
#: In less time (s) somebody who walks slowly stays within it as well.
STILL_LEAST_S = 0.2
#: Share of the markers that must stay still. Below it legs may move under a resting trunk: a treadmill, a functional trial.
STILL_SHARE = 0.75
#: Somebody who sways keeps both feet in place, and the pelvis within this of where it was, across and up (m).
PLANTED_RANGE_M, SWAY_RANGE_M, SINK_RANGE_M = 0.03, 0.25, 0.05
#: In a single frame somebody stands whose feet are on one height, and side by side, to within this (m).
LEVEL_M, ABREAST_M = 0.02, 0.2


@dataclass(frozen=True)
class Refused:
    """A file that could not be used, and the sentence that says why.

    Attributes
    ----------
    path : Path
        The file that could not be read.
    sentence : str
        Why it could not be used.
    names_file : bool, optional
        Whether the sentence names the file itself.
    """

    path: Path
    sentence: str
    names_file: bool = False

    @classmethod
    def by(cls, error: BiomechError, path: Path) -> Refused:
        """Return what an error says about a file; readers name the file themselves.

        Parameters
        ----------
        error : BiomechError
            Why it was refused.
        path : Path
            The file.
        """
        return cls(path, error.message, Path(error.where).name == path.name)


@dataclass(frozen=True)
class Intake:
    """The readable trials of one subject, in the order of their names, and the files that were refused.

    Attributes
    ----------
    trials : tuple[Trial, ...]
        Those that were read, in the order of their names.
    refused : tuple[Refused, ...]
        Files that were not read.
    """

    trials: tuple[Trial, ...]
    refused: tuple[Refused, ...]


def read_all(paths: Sequence[Path], reader: Reader, progress: Progress | None = None) -> Intake:
    """Read every file; a file that is refused is recorded and the others go on.

    Parameters
    ----------
    paths : Sequence[Path]
        The files, in the order wanted.
    reader : Reader
        Reads one file, and refuses what it cannot.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Raises
    ------
    MissingInputError
        If no file could be read; the message holds every file's sentence.
    """
    trials: list[Trial] = []
    refused: list[Refused] = []
    for number, path in enumerate(paths, start=1):
        if progress:
            progress(Step("read", path.name, number, len(paths)))
        try:
            trials.append(reader(path))
        except BiomechError as error:
            refused.append(Refused.by(error, path))
    if not trials:
        raise MissingInputError(
            "No file could be read. " + " ".join(r.sentence for r in refused),
            value=[r.path.name for r in refused], expected="at least one readable C3D file", where=str(paths[0].parent),
        )  # fmt: skip
    return Intake(tuple(trials), tuple(refused))


def with_markers(trials: Sequence[Trial]) -> tuple[tuple[Trial, ...], tuple[Finding, ...]]:
    """Return the trials that show a movement, by markers or by poses, and what each of the others holds: valid, but no movement.

    Of a recording without markers the points of the body that its poses show stand in for them.

    Parameters
    ----------
    trials : Sequence[Trial]
        Those that were read, at least one.

    Raises
    ------
    MissingInputError
        None shows markers; the message says what each file holds.
    """
    trials = tuple(trial if trial.markers.names else with_pose_points(trial) for trial in trials)
    kept = tuple(trial for trial in trials if trial.markers.names)
    others = tuple(_without_markers(trial) for trial in trials if not trial.markers.names)
    if not kept:
        raise MissingInputError(
            " ".join(finding.message for finding in others),
            value=[finding.where for finding in others], expected="at least one recording with markers",
            where=str(Path(trials[0].path).parent),
        )  # fmt: skip
    return kept, others


def _without_markers(trial: Trial) -> Finding:
    file, analog = Path(trial.path).name, trial.analog
    values = {"file": file, "channels": len(analog.names), "rate_hz": analog.rate_hz, "segments": len(trial.rotations.names)}
    return Finding("no-markers", values, trial.name)


def stands_still(trial: Trial) -> bool:
    """Whether the trial shows somebody standing still: most markers stay within a few centimetres.

    The range of each marker is taken between its 2nd and 98th percentile, so that a flicker does not count as motion.

    Parameters
    ----------
    trial : Trial
        The recording, with its markers.
    """
    position = trial.markers.position_m
    seen = np.isfinite(position).all(axis=2)
    usable = seen.sum(axis=0) >= max(1, trial.n_frames // 2)
    if usable.sum() < 4:
        return False
    low, high = percentiles_seen(position[:, usable], (2.0, 98.0))
    ranges = np.linalg.norm(high - low, axis=1)
    return bool(np.mean(ranges < STILL_RANGE_M) > STILL_SHARE)


def _ranges_m(path_m: FloatArray) -> FloatArray:
    """How far (n, ..., 3) goes along each axis, between the 2nd and 98th percentile."""
    seen = path_m[np.isfinite(path_m).reshape(len(path_m), -1).any(axis=1)]
    high, low = percentiles_seen(seen, (98.0, 2.0)) if len(seen) else (np.nan, np.nan)
    return np.broadcast_to(high - low, path_m.shape[1:])


def sways(trial: Trial) -> bool:
    """Whether the trial shows somebody who stands on one spot, though not still: both feet in place, the pelvis above them.

    Parameters
    ----------
    trial : Trial
        The recording; feet and pelvis by their markers' roles or common names.
    """
    try:
        landmarks = find_landmarks(trial)
    except MissingInputError:
        return False
    feet = [path for paths in (landmarks.heel_lab_m, landmarks.toe_lab_m) for path in paths.values()]
    if len(feet) < 4 or any(not np.linalg.norm(_ranges_m(path)) < PLANTED_RANGE_M for path in feet):
        return False
    across_up_m = _ranges_m(landmarks.pelvis_lab_m)
    return bool(np.linalg.norm(across_up_m[:2]) < SWAY_RANGE_M and across_up_m[2] < SINK_RANGE_M)


def only_frame(trial: Trial) -> int | None:
    """Return the only frame that shows markers, where somebody stands in it: feet on one height and side by side; else None.

    Parameters
    ----------
    trial : Trial
        The recording; feet by their markers' roles or common names.
    """
    shown = np.flatnonzero(np.isfinite(trial.markers.position_m[:, :, 0]).sum(axis=1) > 0)
    if len(shown) != 1:
        return None
    try:
        landmarks = find_landmarks(trial)
    except MissingInputError:
        return None
    at = int(shown[0])
    for paths in (landmarks.heel_lab_m, landmarks.toe_lab_m):
        if len(paths) < 2 or not abs(paths["L"][at, 2] - paths["R"][at, 2]) < LEVEL_M:
            return None
        if not abs((paths["L"][at, :2] - paths["R"][at, :2]) @ landmarks.facing_lab[at]) < ABREAST_M:
            return None
    return at


def is_functional(trial: Trial, job: Job) -> bool:
    """Whether a trial was named as one in which hips circle or knees bend.

    Parameters
    ----------
    trial : Trial
        One of the session's.
    job : Job
        What was asked for.
    """
    return Path(trial.path).resolve() in {path.resolve() for path in job.functional}


def find_static(trials: Sequence[Trial], chosen: Path | None, wears_markers: Callable[[Trial], bool]) -> Trial | None:
    """Return the static trial: the chosen one, or the only one in which somebody who wears the markers stands still.

    Where nobody stands still, a trial that shows a single frame of somebody standing serves, else one of somebody who sways; never
    what little is left of a recording that was cut.

    Parameters
    ----------
    trials : Sequence[Trial]
        All trials that could be read.
    chosen : Path | None
        The file of ``--static``, or None.
    wears_markers : Callable[[Trial], bool]
        Whether a trial holds the markers that the model is calibrated with.

    Raises
    ------
    MissingInputError
        The chosen file could not be read.
    OptionError
        Several candidates; the message lists them.
    """
    if chosen is not None:
        for trial in trials:
            if trial.path and Path(trial.path).resolve() == chosen.resolve():
                return trial
        raise MissingInputError(
            f"The static trial {chosen} could not be read (`biomech-id check` says why), or {option('exclude')} leaves it out.",
            value=str(chosen), expected="a readable C3D file", where=option("static"),
        )  # fmt: skip
    wearing = [trial for trial in trials if wears_markers(trial) and not _is_stump(trial)]
    kinds: tuple[Callable[[Trial], bool], ...] = (
        lambda trial: trial.n_frames > 1 and stands_still(trial),
        lambda trial: _stands_a_while(trial, wearing),
        lambda trial: only_frame(trial) is not None,
        stands_still,
        sways,
    )
    candidates = next((standing for stood in kinds if (standing := [trial for trial in wearing if stood(trial)])), [])
    if len(candidates) > 1:
        names = ", ".join(Path(t.path).name for t in candidates)
        folder = Path(candidates[0].path).parent
        raise OptionError(
            f"Several trials could be the static one: {names}; name the right one with {option('static')}.",
            value=names, expected="one static trial", where=str(folder),
        ).cured_by(Cure("static", "--static", tuple((trial.name,) for trial in candidates)))  # fmt: skip
    return candidates[0] if candidates else None


def _stands_a_while(trial: Trial, others: Sequence[Trial]) -> bool:
    """Whether somebody stands still in a part of a trial and only there: no movement that begins so, and others that move."""
    if trial.n_frames < 2 or classify(trial) in NO_STRIDES:
        return False
    window = stillest_window(trial.markers)
    return (
        window.stands
        and window.length_s >= SHORT_S
        and all(not stillest_window(other.markers).stands for other in others if other is not trial)
        and len(others) > 1
    )


def _is_stump(trial: Trial) -> bool:
    """Whether a recording was cut, and what is left is too short to tell standing from walking."""
    return trial.n_frames < STILL_LEAST_S * trial.rate_hz and any(finding.rule == "data-cut" for finding in trial.findings)


def one_subject(trials: Sequence[Trial]) -> str:
    """Return the subject's name that the files agree on, or an empty one.

    Parameters
    ----------
    trials : Sequence[Trial]
        Recordings that should be of one subject.

    Raises
    ------
    OptionError
        Files of two subjects; the message lists which file is whose.
    """
    files_of: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.subject.code:
            files_of.setdefault(trial.subject.code, []).append(trial)
    if len(files_of) > 1:
        listed = "; ".join(f"{code}: {', '.join(trial.name for trial in its)}" for code, its in sorted(files_of.items()))
        others = {code: [Path(trial.path).name for of in files_of if of != code for trial in files_of[of]] for code in files_of}
        raise OptionError(
            f"The files belong to {len(files_of)} subjects ({listed}); analyse one at a time, or leave files out "
            f"with {option('exclude')}.",
            value=sorted(files_of), expected="files of one subject", where="subject",
        ).cured_by(Cure("subject", "--exclude", tuple(tuple(others[code]) for code in sorted(others))))  # fmt: skip
    return next(iter(files_of), "")


def subject_of(job: Job, trials: Sequence[Trial], static: Trial | None) -> Subject:
    """Return the subject: what the static trial says, completed by the other trials, overruled by subject.toml and options.

    Parameters
    ----------
    job : Job
        What is to be analysed, and how.
    trials : Sequence[Trial]
        Recordings of one subject, with what their files say.
    static : Trial | None
        The static trial; None if there is none.
    """
    first = static or trials[0]
    # Of one recording: the others may be walked otherwise.
    subject = replace(first.subject, aid=None, footwear=None)
    for trial in trials:
        subject = _completed(subject, trial.subject, trial.name)
    if subject.session_date is None:
        dates = sorted({t.session_date for t in trials if t.session_date})
        subject = subject.with_values("file", session_date=dates[0]) if dates else subject
    if job.subject_toml:
        subject = apply_subject_file(subject, job.subject_toml)
    if job.examination_csv:
        subject = subject.with_examination(examination_of(job.examination_csv), job.examination_csv.name)
    if subject.age_years is None and (age := _age_years(subject)) is not None:
        subject = subject.with_values("birth date and session date", age_years=age)
    if job.mass_kg is not None:
        subject = subject.with_values("option --mass", mass_kg=job.mass_kg)
    if job.code:
        subject = subject.with_values("option --code", code=job.code)
    return subject


def _age_years(subject: Subject) -> float | None:
    """Age on the day of the session, in years of 365.2425 days; None where one of the two days is not known."""
    try:
        born, came = (date.fromisoformat(str(day)) for day in (subject.birth_date, subject.session_date))
    except ValueError:
        return None
    return (came - born).days / 365.2425 if came >= born else None


def _completed(subject: Subject, other: Subject, name: str) -> Subject:
    """Fill what ``subject`` lacks with what ``other`` knows; nothing that is known is changed."""
    missing = {
        field: value
        for field, value in other.__dict__.items()
        if field not in ("sources", "aid", "footwear")
        and value not in (None, "", ())
        and value != {}
        and getattr(subject, field) in (None, "", {}, ())
    }
    return subject.with_values(f"{name}", **missing) if missing else subject


def write_subject_template(folder: Path) -> Path:
    """Write ``subject.toml`` into a folder, filled with what its files say, and return its path.

    Parameters
    ----------
    folder : Path
        Where it is, or is to be.

    Raises
    ------
    OutputError
        There is one already, or the folder cannot be written to.
    """
    target = folder / "subject.toml"
    if target.exists():
        words = f"{target} exists already; edit it, or rename it first."
        raise OutputError(words, value=str(target), expected="no subject.toml", where=str(folder))
    check_writable(target)
    job = Job((folder,))
    intake = read_all(job.files(), read)
    subject = subject_of(job, intake.trials, None)
    for measure in ("aid", "footwear"):
        stated = {getattr(trial.subject, measure) for trial in intake.trials}
        if len(stated) == 1 and not getattr(subject, measure):
            subject = replace(subject, **{measure: stated.pop()})
    with whole_file(target) as part:
        part.write_text(subject_toml(subject), encoding="utf-8", newline="\n")
    return target
