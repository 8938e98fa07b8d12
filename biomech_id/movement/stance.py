"""One foot on the floor, and whether a force plate saw it and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.dynamics.body import FootContact
from biomech_id.errors import Finding
from biomech_id.languages import Sentence
from biomech_id.values import dataclass, field

#: Part of stance in which the foot lies flat on the floor (share of its duration).
FLAT_SHARE = (0.2, 0.5)


class Verdict(StrEnum):
    """Why a stance has kinetics, or has none."""

    CLEAN = "clean"
    TWO_PLATES = "two_plates"
    OTHER_FOOT = "other_foot"
    LEFT_PLATE = "left_plate"
    BESIDE_FOOT = "beside_foot"
    OUTLINE = "outline"
    LIGHT = "light"
    CUT = "cut"
    PART = "part"
    NO_PLATE = "no_plate"
    OVERRIDE = "override"

    @property
    def accepted(self) -> bool:
        """Whether the whole stance has kinetics, from strike to off: only such a stance opens a cycle with kinetics."""
        return self in (Verdict.CLEAN, Verdict.TWO_PLATES, Verdict.OVERRIDE)

    @property
    def solved(self) -> bool:
        """Whether frames of the stance have kinetics: all of an accepted one, those with a certain wrench of one in part."""
        return self.accepted or self is Verdict.PART


#: What each rule about a stance decides.
DECIDES: dict[str, Verdict] = {
    "foot-alone": Verdict.CLEAN, "foot-by-file": Verdict.CLEAN, "foot-on-plates": Verdict.TWO_PLATES,
    "other-foot-on-plate": Verdict.OTHER_FOOT, "loaded-before-strike": Verdict.OTHER_FOOT, "loaded-after-off": Verdict.OTHER_FOOT,
    "force-ends-early": Verdict.LEFT_PLATE, "force-vanishes": Verdict.LEFT_PLATE, "force-begins-late": Verdict.LEFT_PLATE,
    "force-beside-foot": Verdict.BESIDE_FOOT,
    "foot-unseen": Verdict.OUTLINE, "foot-beyond-plate": Verdict.OUTLINE, "foot-too-light": Verdict.LIGHT,
    "foot-alone-cut": Verdict.PART, "foot-by-file-cut": Verdict.PART,
    "stance-cut": Verdict.CUT, "no-loaded-plate-cut": Verdict.CUT, "no-loaded-plate": Verdict.NO_PLATE,
    "foot-on-other-level": Verdict.NO_PLATE,
    "plate-by-hand": Verdict.OVERRIDE, "no-plate-by-hand": Verdict.NO_PLATE,
    "unloaded-by-hand": Verdict.NO_PLATE,
}  # fmt: skip


@dataclass(frozen=True)
class Stance:
    """One foot on the floor from strike to off, half-open [start, end).

    Attributes
    ----------
    side : str
        Foot that stands: "L" or "R".
    start_s : float
        Absolute seconds; NaN where the trial begins or ends within the stance.
    end_s : float
        Absolute seconds; NaN where the trial begins or ends within the stance.
    plates : tuple[str, ...]
        Names of the plates the foot is on, whether or not the stance is accepted; empty if none.
    reason : Sentence
        The rule that decided, a key of `DECIDES`, with what a technician can act on.
    """

    side: str
    start_s: float
    end_s: float
    plates: tuple[str, ...]
    reason: Sentence

    @property
    def verdict(self) -> Verdict:
        """What the rule decides."""
        return DECIDES[self.reason.rule]


@compact_repr
@dataclass(frozen=True, eq=False)
class Assignment:
    """Every stance of a trial with its verdict, and the ground's wrench on each foot.

    Attributes
    ----------
    stances : tuple[Stance, ...]
        In order of time.
    contacts : Mapping[str, FootContact], optional
        Side -> `FootContact` at the video rate.
    findings : tuple[Finding, ...], optional
        Light stances, and what speaks against verdicts set by hand.
    recorded : Mapping[str, FootContact], optional
        The same as ``contacts`` where the plates have not been given the markers' response: to be shown, and to check feet with.
    silent : tuple[Finding, ...], optional
        Stances without kinetics whose foot stands wholly on a plate that reads too little for it, or stops reading.
    """

    stances: tuple[Stance, ...]
    contacts: Mapping[str, FootContact] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    recorded: Mapping[str, FootContact] = field(default_factory=dict)
    silent: tuple[Finding, ...] = ()
