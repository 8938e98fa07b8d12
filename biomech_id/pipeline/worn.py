"""What is said of each trial's aid, and static trials that were recorded in other footwear than the walks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from biomech_id.errors import Cure, Finding, OptionError, option
from biomech_id.pipeline.choose_model import ChosenModel
from biomech_id.request.subject_file import condition_of, static_as_walked, statics_of, worn_in
from biomech_id.session.solved import Solved
from biomech_id.trial import Trial
from biomech_id.trial.worn import bears_weight, stated_in, unlike


def with_worn(result: Solved, aid_and_footwear: tuple[str, str]) -> Solved:
    """Return a trial's results with its aid and footwear; an aid that bears a part of the body is said.

    Parameters
    ----------
    result : Solved
        Solved, not graded yet.
    aid_and_footwear : tuple[str, str]
        Aid and footwear, as of `worn_in`.
    """
    aid, footwear = aid_and_footwear
    noticed = result.findings
    if bears_weight(aid) and result.loads is not None:
        # That a foot bears less than the body is no riddle then.
        noticed = tuple(each for each in noticed if each.rule != "stance-light")
        noticed += (Finding("walked-with-aid", {"trial": result.name, "aid": aid}, result.name),)
    return replace(result, aid=aid, footwear=footwear, findings=noticed)


def refuse_unlike_footwear(walks: Iterable[tuple[Trial, ChosenModel]], condition: Callable[[str], str]) -> None:
    """Refuse a barefoot static trial for a shod walk, and the reverse, until somebody answers.

    What a recording says of itself, or somebody of this recording, counts more here than what is said of the whole folder: where
    the two disagree nobody knows which is right, and one answer ends it.

    Parameters
    ----------
    walks : Iterable[tuple[Trial, ChosenModel]]
        Each trial with what it is analysed with.
    condition : Callable[[str], str]
        Name of a recording -> its condition, as the subject file says it.

    Raises
    ------
    OptionError
        Footwear of a static trial and of a walk are unlike, and ``static_as_walked`` does not say that they belong together.
    """
    for trial, chosen in walks:
        static = chosen.static
        if static is None or static is trial or static_as_walked(chosen.job.subject_toml):
            continue
        if condition(Path(trial.path).stem) in statics_of(chosen.job.subject_toml):
            continue  # somebody named it for this condition
        own = condition_of(chosen.job.subject_toml, own=True)
        stood, walked = (
            stated_in(own(Path(each.path).stem)).get("footwear")
            or each.subject.footwear
            or worn_in(each, chosen.subject, condition(Path(each.path).stem))[1]
            for each in (static, trial)
        )
        if unlike(stood, walked):
            error = OptionError(
                f"The static trial {static.name} was recorded {stood} and {trial.name} {walked}: markers on shoes do not stand "
                f"where they stood on feet. Name a static trial for each in [statics] of subject.toml, leave one out with "
                f"{option('exclude')}, or write static_as_walked = true there if they belong together.",
                value=[stood, walked], expected="one footwear", where=trial.name,
            )  # fmt: skip
            file = Path(trial.path).name
            raise error.cured_by(Cure("condition", option=option("exclude"), choices=((file,),), keys=("static_as_walked",)))
