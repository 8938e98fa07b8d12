"""One gait cycle: from a foot strike to the next of the same side."""

from __future__ import annotations

from enum import StrEnum

from biomech_id.conventions import Aspect
from biomech_id.languages import Sentence
from biomech_id.movement.feet import ADDED_KINDS
from biomech_id.movement.stance import DECIDES
from biomech_id.values import dataclass


class KineticsValid(StrEnum):
    """Whether a cycle has kinetics: all of it, none, or from strike to foot off only."""

    TRUE = "true"
    FALSE = "false"
    STANCE_ONLY = "stance_only"


#: Reasons that name the movement: such cycles are averaged with others of their kind, and lack nothing for it.
_OF_MOVEMENTS = (
    "pelvis-unseen", "stands-still", "falls-freely", "rises", "comes-up", "squats", "on-the-spot", "goes-nowhere", "not-ahead",
    "beyond-walking", "up-and-down", "on-stairs", "over-a-curb", "one-step", "on-a-ramp", "turns", "in-flight",
)  # fmt: skip
#: Reasons that take something else of a cycle than all of it; those of stances, and of plates that are refused, take its kinetics.
_TAKES: dict[str, tuple[Aspect, ...]] = {
    **dict.fromkeys((*DECIDES, "no-plates", "no-stance", "touch-in-swing", "event-uncertain"), (Aspect.KINETICS,)),
    **dict.fromkeys(("plate-not-unloaded", "pressure-beside-foot", "pressure-elsewhere", "plate-clock-apart"), (Aspect.KINETICS,)),
    "next-strike-outside": (Aspect.KINEMATICS, Aspect.EMG, Aspect.WHOLE_BODY),
    **dict.fromkeys(_OF_MOVEMENTS, ()),
}  # fmt: skip


def layers_taken(rule: str) -> tuple[Aspect, ...]:
    """Return the layers of a cycle that a reason takes.

    Parameters
    ----------
    rule : str
        Name of the reason's rule, a key of the sentences.

    Returns
    -------
    tuple[Aspect, ...]
        Layers without which the cycle is left; of an unknown rule all that it can take.
    """
    return () if rule in ADDED_KINDS else _TAKES.get(rule, tuple(Aspect))


@dataclass(frozen=True)
class Cycle:
    """One gait cycle; times are absolute seconds, NaN where not known.

    Attributes
    ----------
    trial, side, number : str, str, int
        The trial's name, "L" or "R", and the cycle's number on that side, counted from 1.
    start_s, end_s : float
        The strike that opens it and the next strike of the same side. For a ``stance_only`` cycle, whose next strike lies outside
        the trial, ``end_s`` is start plus the mean cycle time of that side.
    foot_off_s, opposite_off_s, opposite_strike_s : float
        Events within the cycle.
    kinetics_valid : KineticsValid
        Whether joint kinetics exist for it.
    steady : bool, optional
        False for a flagged cycle (a turn, a start, a stop, an outlier) that stays out of means.
    reasons : tuple[Sentence, ...], optional
        Why kinetics are missing, the cycle is flagged or refused; none otherwise.
    refused : tuple[Aspect, ...], optional
        Layers that were measured too badly to be in any mean.
    chosen : bool | None, optional
        Whether somebody put it into the means or took it out of them; None leaves that to the rules.
    """

    trial: str
    side: str
    number: int
    start_s: float
    end_s: float
    foot_off_s: float
    opposite_off_s: float
    opposite_strike_s: float
    kinetics_valid: KineticsValid
    steady: bool = True
    reasons: tuple[Sentence, ...] = ()
    refused: tuple[Aspect, ...] = ()
    chosen: bool | None = None

    @property
    def reason(self) -> str:
        """The reasons in English, that of a refused stance after its verdict."""
        return "; ".join(f"{DECIDES[why.rule]}: {why}" if why.rule in DECIDES else str(why) for why in self.reasons)

    @property
    def duration_s(self) -> float:
        """Cycle time, seconds."""
        return self.end_s - self.start_s

    def has(self, layer: Aspect) -> bool:
        """Whether there is anything of a layer: kinetics where the foot was on a plate, all else where the next strike is known.

        Parameters
        ----------
        layer : Aspect
            Layer of results that is asked about.

        Returns
        -------
        bool
            Of this cycle alone, whatever anybody decided about it.
        """
        nothing = KineticsValid.FALSE if layer is Aspect.KINETICS else KineticsValid.STANCE_ONLY
        return self.kinetics_valid is not nothing

    def lacks(self, layer: Aspect) -> tuple[Sentence, ...]:
        """Its reasons that take a layer.

        Parameters
        ----------
        layer : Aspect
            Layer of results that is asked about.

        Returns
        -------
        tuple[Sentence, ...]
            In the order given; empty where nothing takes it.
        """
        return tuple(why for why in self.reasons if layer in layers_taken(why.rule))
