"""What means, norms and studies leave out: every subject, trial and cycle by name, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from biomech_id.conventions import LAYERS_OF_MEANS, Aspect
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import layers_taken
from biomech_id.movement.grades import Grade
from biomech_id.session.tables.means import WALKING
from biomech_id.session.tables.session_tables import cycle_layers
from biomech_id.values import dataclass


@dataclass(frozen=True)
class Omission:
    """One subject, trial or group of cycles that does not count.

    Attributes
    ----------
    subject : str
        Code of the subject, or its folder.
    trial : str
        Name of the trial, or the file that could not be analysed; empty where the whole subject is left out.
    side : str
        "L" or "R"; empty for a whole trial.
    cycles : tuple[int, ...]
        Their numbers; empty for a whole trial.
    of : str
        What they are left out of: "means", or only "kinetics".
    why : Sentence
        The reason, as a sentence of the languages.
    """

    subject: str
    trial: str
    side: str
    cycles: tuple[int, ...]
    of: str
    why: Sentence

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.cycles))
        place = " ".join(filter(None, (self.subject, self.trial, self.side, numbers)))
        return f"{place} not in the {self.of}: {self.why}."

    def rows(self) -> Iterator[dict[str, object]]:
        """Rows of ``left_out.csv``, one for each cycle; 0 stands for a whole trial or subject."""
        for cycle in self.cycles or (0,):
            yield {
                "subject": self.subject, "trial": self.trial, "side": self.side, "cycle": cycle, "of": self.of,
                "rule": self.why.rule, "reason": str(self.why),
            }  # fmt: skip


def omissions_of(
    subject: str, summary: Mapping[str, Any], condition: str | None = None, *, movement: str = WALKING
) -> tuple[Omission, ...]:
    """Return what of one session the means do not hold, and what of it they hold without kinetics.

    Parameters
    ----------
    subject : str
        What the session is called.
    summary : Mapping[str, Any]
        What the session's ``summary.json`` holds.
    condition : str | None, optional
        The one that is wanted; None for every one.
    movement : str, optional
        Whose means, one of `means.AVERAGED`.
    """
    omissions = [
        Omission(subject, failed["file"], "", (), "means", Sentence("not-analysed", {"error": failed["error"].rstrip(".")}))
        for failed in summary.get("failed", ())
    ]
    trials = summary.get("trials", ())
    for trial in trials:
        omissions += _of_trial(subject, trial, condition, movement)
    wanted = [trial for trial in trials if condition in (None, trial["condition"]) and _is_of(trial, movement)]
    if not any(_enters(cycle, trial) for trial in wanted for cycle in trial["cycles"]):
        omissions.append(Omission(subject, "", "", (), "means", Sentence("no-cycle-used")))
    return tuple(omissions)


def _enters(cycle: Mapping[str, Any], trial: Mapping[str, Any], answer: str = "counts") -> bool:
    """Whether a cycle is in the means of its movement, angles or loads."""
    layers = cycle_layers(cycle, trial["kind"])
    return any(layers[layer][answer] for layer in LAYERS_OF_MEANS)


def _is_of(trial: Mapping[str, Any], movement: str) -> bool:
    """Whether cycles of a trial may be in the means of a movement."""
    return bool(trial["kind"] == {WALKING: "straight"}.get(movement, movement))


def _of_trial(subject: str, trial: Mapping[str, Any], condition: str | None, movement: str) -> Iterator[Omission]:
    name, cycles = trial["name"], trial["cycles"]
    why = _whole_trial(trial, condition, movement)
    if why is not None:
        yield Omission(subject, name, "", (), "means", why)
        return
    unused = [(cycle, _reasons(cycle, of_kinetics=False)) for cycle in cycles if not _enters(cycle, trial)]
    yield from _grouped(subject, name, "means", unused)
    without = [cycle for cycle in cycles if _enters(cycle, trial) and cycle["kinetics_valid"] == "false"]
    bare = [(cycle, _reasons(cycle, of_kinetics=True)) for cycle in without]
    yield from _grouped(subject, name, "kinetics", bare)


def _whole_trial(trial: Mapping[str, Any], condition: str | None, movement: str) -> Sentence | None:
    """Why no cycle of a trial counts; None where some may."""
    if condition not in (None, trial["condition"]):
        return Sentence("other-condition", {"condition": trial["condition"], "wanted": condition})
    by_hand = any(_enters(cycle, trial) and not _enters(cycle, trial, "by_rules") for cycle in trial["cycles"])
    if trial["verdict"] == Grade.REJECT and not by_hand:
        return Sentence("trial-rejected", {"reasons": trial["reasons"]})
    if not _is_of(trial, movement):
        return Sentence("not-straight" if movement == WALKING else "not-a-run", {"kind": trial["kind"]})
    return None if trial["cycles"] else Sentence("no-cycle")


def _reasons(cycle: Mapping[str, Any], *, of_kinetics: bool) -> tuple[Sentence, ...]:
    stated = list(map(Sentence.from_dict, cycle.get("reasons", ())))
    taken = [(why, layers_taken(why.rule)) for why in stated]
    of_layer = tuple(why for why, layers in taken if layers and (Aspect.KINEMATICS not in layers) is of_kinetics)
    # Tables of the first version have words only.
    return of_layer or (Sentence("note", {"text": cycle["reason"] or "no reason given"}),)


def _grouped(
    subject: str, trial: str, of: str, cycles: Iterable[tuple[Mapping[str, Any], Sequence[Sentence]]]
) -> Iterator[Omission]:
    """Cycles of one side that are left out for the same reason, together."""
    groups: dict[tuple[str, str], tuple[Sentence, list[int]]] = {}
    for cycle, reasons in cycles:
        why = reasons[0] if len(reasons) == 1 else Sentence("note", {"text": "; ".join(map(str, reasons))})
        groups.setdefault((cycle["side"], str(why)), (why, []))[1].append(cycle["cycle"])
    for (side, _), (why, numbers) in groups.items():
        yield Omission(subject, trial, side, tuple(numbers), of, why)
