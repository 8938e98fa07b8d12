"""What can be used of a session, layer by layer and side by side: the grade, how many cycles count, and why others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from biomech_id.conventions import SIDES, Aspect
from biomech_id.feet.movements import TrialKind
from biomech_id.languages import Sentence
from biomech_id.movement.grades import Grade, together
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.values.emg import SessionEmg
from biomech_id.values import dataclass


@dataclass(frozen=True)
class LayerVerdict:
    """Verdict on one layer of one side, of a trial or of a session.

    Attributes
    ----------
    grade : Grade
        Reject means that nothing of it can be shown.
    cycles : int
        How many cycles are in the means.
    reasons : tuple[Sentence, ...]
        Why others are not, the commonest first, each once.
    """

    grade: Grade
    cycles: int
    reasons: tuple[Sentence, ...]

    def to_dict(self) -> dict[str, object]:
        """As ``summary.json`` holds it."""
        return {"verdict": str(self.grade), "cycles": self.cycles, "reasons": [why.to_dict() for why in self.reasons]}


#: Layer -> side -> verdict.
Verdicts = Mapping[Aspect, Mapping[str, LayerVerdict]]


def trial_verdicts(trial: Solved, signals: SessionEmg) -> Verdicts:
    """Return the verdicts on one trial.

    Parameters
    ----------
    trial : Solved
        The trial with its rules applied: `Solved.quality`.
    signals : SessionEmg
        Muscle signals of its session.
    """
    return {layer: {side: _verdict(trial, layer, side, signals) for side in SIDES} for layer in Aspect}


def session_verdicts(session: Session) -> Verdicts:
    """Return the verdicts on a session: of its straight walks, of runs where it has no walk, else of all that was recorded.

    Parameters
    ----------
    session : Session
        The session with every trial judged.
    """
    every = [trial_verdicts(trial, session.muscle_signals) for trial in judged_trials(session)]
    return {layer: {side: _of_all([each[layer][side] for each in every]) for side in SIDES} for layer in Aspect}


def judged_trials(session: Session) -> tuple[Solved, ...]:
    """Return the trials that a session is judged by: its straight walks, its runs where it has no walk, else all.

    Parameters
    ----------
    session : Session
        The session with every trial solved.
    """
    trials = session.movements
    kinds = (kind for kind in (TrialKind.STRAIGHT, TrialKind.RUN) if any(trial.kind is kind and trial.cycles for trial in trials))
    kind = next(kinds, None)
    return tuple(trial for trial in trials if kind in (None, trial.kind))


def _of_all(verdicts: Sequence[LayerVerdict]) -> LayerVerdict:
    reasons = _commonest(why for verdict in verdicts for why in verdict.reasons)
    return LayerVerdict(together(verdict.grade for verdict in verdicts), sum(verdict.cycles for verdict in verdicts), reasons)


def _verdict(trial: Solved, layer: Aspect, side: str, signals: SessionEmg) -> LayerVerdict:
    own = [cycle for cycle in trial.cycles if cycle.side == side]
    counted = sum(trial.counts(cycle, layer) for cycle in own)
    lacking = [why for cycle in own if not trial.counts(cycle, layer) for why in cycle.lacks(layer)]
    if layer is not Aspect.EMG:
        return LayerVerdict(trial.grade_of(layer, side), counted, _commonest(lacking))
    grades, dead = _of_channels(signals, trial.name, side)
    return LayerVerdict(together(grades), counted if Grade.ACCEPT in grades else 0, _commonest([*dead, *lacking]))


def _of_channels(signals: SessionEmg, trial: str, side: str) -> tuple[list[Grade], list[Sentence]]:
    """Grades of a side's channels, and why some are not shown; not measured without a channel."""
    channels = [
        channel for record in signals.trials if record.trial == trial for channel in record.record.channels
        if channel.input.named.side == side
    ]  # fmt: skip
    grades = [Grade.ACCEPT if channel.live else Grade.REJECT for channel in channels] or [Grade.NOT_MEASURED]
    return grades, [channel.health.reason for channel in channels if not channel.live]


def _commonest(reasons: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Each rule once, the commonest first."""
    listed = list(reasons)
    first = {why.rule: why for why in reversed(listed)}
    return tuple(first[rule] for rule, _ in Counter(why.rule for why in listed).most_common())
