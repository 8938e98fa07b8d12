"""Verdicts set by hand: which stance is meant, whether the plate that is named carries it, and what is said where it does not.

Who looks at a recording may know better than the rules, and is believed; but a force is never invented. A plate that nobody stands
on gives no kinetics, and one that carries little, or stands away from the foot, is used and said aloud.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.errors import Finding, OptionError
from biomech_id.feet.feet_on_plates import PlateLoad, carried_N, distance_to_foot
from biomech_id.feet.stance_intervals import Interval
from biomech_id.gait.plate_events import FOOT_REACH_M
from biomech_id.gait.verdict import Scene
from biomech_id.languages import Sentence
from biomech_id.movement.stance import Stance
from biomech_id.values import dataclass, replace

#: A time names the stance that begins nearest to it, within this.
NEAREST_S = 0.04
#: A foot stands on a plate that is loaded for at least this part of its stance; in walking the other foot's load overlaps less.
LEAST_LOADED_SHARE = 0.5
#: A plate that carries less than this share of body weight at its peak hardly bears the foot that is put on it.
LEAST_WEIGHT_SHARE = 0.5

Judged = tuple[Stance, tuple[PlateLoad, ...]]


@dataclass(frozen=True)
class StanceVerdict:
    """One stance and the plates somebody says its foot is on.

    Attributes
    ----------
    trial : str
        Name of the trial.
    side : str
        Foot of the stance: "L" or "R".
    plates : tuple[str, ...] | None
        Names of the plates; empty for none, None for those the rules see it on.
    number : int | None, optional
        Which of that side's stances, counted from 1.
    start_s : float | None, optional
        Its strike instead, absolute seconds: the stance that begins nearest, within `NEAREST_S`.
    reason : str, optional
        Why it was set by hand; printed with the verdict.
    author : str, optional
        Who set it, as it was written.
    """

    trial: str
    side: str
    plates: tuple[str, ...] | None
    number: int | None = None
    start_s: float | None = None
    reason: str = ""
    author: str = ""

    def __str__(self) -> str:
        plates = "its plates" if self.plates is None else " + ".join(self.plates) or "none"
        return f"{self.trial} {self.side} {self.which} = {plates}"

    @property
    def which(self) -> str:
        """Which stance, in words: "2", or "2.33 s"."""
        return str(self.number) if self.start_s is None else f"{self.start_s:.9g} s"


def overruled(
    scene: Scene, judged: Mapping[str, Sequence[Judged]], verdicts: Sequence[StanceVerdict]
) -> tuple[dict[str, list[Judged]], tuple[Finding, ...]]:
    """Put verdicts set by hand in place of the rules'.

    Parameters
    ----------
    scene : Scene
        What verdicts are given from.
    judged : Mapping[str, Sequence[Judged]]
        Side -> its stances with their loads, as the rules have them.
    verdicts : Sequence[StanceVerdict]
        Those of this trial; where two mean one stance the later one counts.

    Returns
    -------
    judged : dict[str, list[Judged]]
        The stances, in the same order.
    findings : tuple[Finding, ...]
        What speaks against a verdict.

    Raises
    ------
    OptionError
        A verdict names a stance or a plate that does not exist.
    """
    meant: dict[tuple[str, int], StanceVerdict] = {}
    findings: list[Finding] = []
    for each in verdicts:
        key = (each.side, _number_of(scene, each))
        earlier, verdict = meant.get(key), _with_plates(scene, judged[each.side][key[1] - 1][0], each)
        if earlier is not None and earlier.plates != verdict.plates:
            findings.append(Finding("verdict-superseded", {"verdict": str(earlier), "later": str(verdict)}, scene.trial.name))
        meant[key] = verdict
    decided = {side: list(stances) for side, stances in judged.items()}
    for (side, number), verdict in meant.items():
        stance, interval = judged[side][number - 1][0], scene.intervals[side][number - 1]
        plates = _plate_indices(scene, verdict)
        loads = _loads(scene, interval, plates)
        findings += _against(scene, interval, verdict, loads) if plates else []
        rule = "plate-by-hand" if loads else "unloaded-by-hand" if plates else "no-plate-by-hand"
        values = {"plates": _names(scene, plates), "verdict": stance.verdict, "why": stance.reason}
        values |= {"author": verdict.author, "reason": verdict.reason}
        decided[side][number - 1] = (
            Stance(side, stance.start_s, stance.end_s, _names(scene, plates), Sentence(rule, values)),
            loads,
        )
    for (side, number), verdict in meant.items():
        findings += _given_twice(scene, decided, decided[side][number - 1], verdict)
    return decided, tuple(findings)


def _with_plates(scene: Scene, stance: Stance, verdict: StanceVerdict) -> StanceVerdict:
    """The verdict with the plates of the stance where it names none of its own."""
    if verdict.plates is not None:
        return verdict
    if stance.plates:
        return replace(verdict, plates=stance.plates)
    raise OptionError(
        f"The stance of {scene.trial.name}, {verdict.side} {verdict.which}, cannot be put in: it is on no plate ({stance.reason}). "
        "Name the plate in a [[verdict]].",
        value=str(verdict), expected="a stance on a plate", where=scene.trial.name,
    )  # fmt: skip


def _number_of(scene: Scene, verdict: StanceVerdict) -> int:
    """Number of the stance that a verdict means, from 1."""
    intervals, name = scene.intervals[verdict.side], scene.trial.name
    side = {"L": "left", "R": "right"}[verdict.side]
    if verdict.start_s is None:
        if verdict.number is not None and 1 <= verdict.number <= len(intervals):
            return verdict.number
        raise OptionError(
            f"The verdict {str(verdict)!r} names a stance that {name} has not: it has {len(intervals)} {side} stances.",
            value=verdict.number, expected=f"stance 1 to {len(intervals)}", where=name,
        )  # fmt: skip
    starts_s = np.array([interval.start_s for interval in intervals])
    apart_s = np.abs(starts_s - verdict.start_s)
    if not np.isfinite(apart_s).any():
        raise OptionError(
            f"The verdict {str(verdict)!r} names a stance, and {name} has no {side} stance whose strike is seen.",
            value=verdict.start_s, expected=f"a {side} stance with a strike", where=name,
        )  # fmt: skip
    nearest = int(np.nanargmin(apart_s))
    # A float's last digit does not decide.
    if apart_s[nearest] > NEAREST_S + 1e-9:
        raise OptionError(
            f"The verdict {str(verdict)!r} names no stance of {name}: the nearest {side} one begins at {starts_s[nearest]:.3f} s.",
            value=verdict.start_s, expected=f"{starts_s[nearest]:.3f} s, within {NEAREST_S * 1e3:.0f} ms", where=name,
        )  # fmt: skip
    return nearest + 1


def _plate_indices(scene: Scene, verdict: StanceVerdict) -> tuple[int, ...]:
    """Which of the trial's plates a verdict names, from 0; a number counts them where they have names of their own."""
    names = [plate.name for plate in scene.trial.plates]
    numbered = any(re.fullmatch(r"plate \d+", name) for name in names)
    indices = []
    for name in verdict.plates or ():
        number = re.fullmatch(r"(?:plate )?(\d+)", name)
        called = f"plate {number[1]}" if number and name not in names else name
        if called in names:
            indices.append(names.index(called))
        elif number and not numbered and 1 <= int(number[1]) <= len(names):
            indices.append(int(number[1]) - 1)
        else:
            raise OptionError(
                f"The verdict {str(verdict)!r} names {name}; {scene.trial.name} has {', '.join(names) or 'no plates'}.",
                value=name, expected=", ".join(names) or "a trial with plates", where=scene.trial.name,
            )  # fmt: skip
    return tuple(dict.fromkeys(indices))


def _names(scene: Scene, plates: Sequence[int]) -> tuple[str, ...]:
    return tuple(scene.trial.plates[index].name for index in plates)


def _loads(scene: Scene, interval: Interval, plates: Sequence[int]) -> tuple[PlateLoad, ...]:
    """Loads of the plates in the stance; none where they are loaded for too little of it to be this foot's."""
    standing = scene.frames(interval.lower_s, interval.upper_s)
    loads = tuple(load for load in scene.loads if load.contact.plate in plates and load.within(standing).loaded.any())
    return loads if _loaded_share(scene, interval, loads) >= LEAST_LOADED_SHARE else ()


def _loaded_share(scene: Scene, interval: Interval, loads: Sequence[PlateLoad]) -> float:
    loaded = carried_N(loads, scene.frames(interval.lower_s, interval.upper_s)) > 0.0
    return float(loaded.mean()) if loaded.size else 0.0


def _against(scene: Scene, interval: Interval, verdict: StanceVerdict, loads: Sequence[PlateLoad]) -> list[Finding]:
    """What speaks against the plates a verdict names: each rule with the number it is judged by."""
    plates = _plate_indices(scene, verdict)
    standing, values = scene.frames(interval.lower_s, interval.upper_s), _sentence_values(verdict)
    if not loads:
        every = [load for load in scene.loads if load.contact.plate in plates]
        share = _loaded_share(scene, interval, every)
        named = {"plates": _names(scene, plates), "percent": 100.0 * share}
        return [Finding("verdict-unloaded", values | named, scene.trial.name)]
    objections = []
    idle = [index for index in plates if not any(load.contact.plate == index for load in loads)]
    if idle:
        objections.append(Finding("verdict-plate-idle", values | {"plates": _names(scene, idle)}, scene.trial.name))
    peak_N = float(carried_N(loads, standing).max())
    if scene.body_mass_kg is not None and peak_N < LEAST_WEIGHT_SHARE * scene.body_mass_kg * GRAVITY_M_S2:
        percent = 100.0 * peak_N / (scene.body_mass_kg * GRAVITY_M_S2)
        named = {"plates": _names(scene, plates), "percent": percent, "peak_N": peak_N}
        objections.append(Finding("verdict-light", values | named, scene.trial.name))
    for load in loads:
        part = load.within(standing)
        distance = distance_to_foot(scene.landmarks, verdict.side, part.cop_lab_m, part.frames)
        seen = part.loaded & np.isfinite(distance)
        apart_m = float(np.average(distance[seen], weights=part.vertical_N[seen])) if seen.any() else 0.0
        if apart_m > FOOT_REACH_M:
            named = {"plate": scene.trial.plates[load.contact.plate].name, "apart_mm": apart_m * 1e3}
            objections.append(Finding("verdict-foot-elsewhere", values | named, scene.trial.name))
    return objections


def _given_twice(scene: Scene, judged: Mapping[str, Sequence[Judged]], chosen: Judged, verdict: StanceVerdict) -> list[Finding]:
    """A load that another stance has too: the same force on two feet."""
    stance, loads = chosen
    others = [(other, theirs) for stances in judged.values() for other, theirs in stances if other is not stance]
    return [
        Finding(
            "verdict-load-twice",
            {
                **_sentence_values(verdict),
                "plate": scene.trial.plates[load.contact.plate].name,
                "other": other.side,
                "other_start_s": other.start_s,
            },
            scene.trial.name,
        )
        for load in loads
        for other, theirs in others
        if other.verdict.accepted and any(load is one for one in theirs)
    ]


def _sentence_values(verdict: StanceVerdict) -> dict[str, object]:
    return {"stance": f"{verdict.side} {verdict.which}", "side": verdict.side}
