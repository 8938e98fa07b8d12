"""A plate whose numbers are mirrored, found by taking the mirror back: a repair is offered where that explains everything.

Every way in which plates can be mirrored is tried in memory: feet are put on the plates again, and the same rules are asked. It is
offered only where rules of two kinds speak against the plates as recorded, and one way alone leaves none of any kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from biomech_id.errors import Finding
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.tracked import with_plates
from biomech_id.judgement.foot_forces import force_directions, thrusts
from biomech_id.judgement.grade import pressures
from biomech_id.judgement.measures import inside_percent
from biomech_id.judgement.plausibility import AGAINST_THE_PLATE, ROLLING, plausibility_findings
from biomech_id.judgement.quality import RULES
from biomech_id.languages import Sentence
from biomech_id.movement.movement import Movement
from biomech_id.movement.stance import Stance
from biomech_id.session.solved import Solved
from biomech_id.trial.plates import PLATE_PARTS, ForcePlate, mirrored_plate
from biomech_id.values import dataclass, replace

#: Rule -> what kind of contradiction it is. Kinds rest on different numbers: the direction of the force on hips and pressure, the
#: sideways impulse on the hips' speed, the free moment on the plate's vertical moment, the place on feet.
CONTRADICTIONS: Mapping[str, str] = {
    "force-slope": "direction", "force-points-elsewhere": "direction", "force-beside-body": "direction",
    "force-sideways": "sideways", "impulse-sideways": "sideways", "free-moment-large": "free-moment",
    "free-moment-turned": "free-moment", "kinetics-expected": "place", "load-without-foot": "place",
}  # fmt: skip
#: Fore-aft force per kilogram over the hips' acceleration while one foot is alone: 0.22 to 0.86 in 62 stances of 26 walks.
LEAST_THRUST = 0.0
#: From strike to off the centre of pressure goes forward by 88 to 235 mm in these stances, and 10 where corners are mirrored.
LEAST_FORWARD_M = -0.03
#: Kinds of rules that have to speak against plates as recorded.
FEWEST_KINDS = 2
#: Ways in which a plate can be mirrored: axis of its own, and the part; "" is all of it, so that the pressure goes along.
MIRRORS = tuple(product(("x", "y"), ("", *PLATE_PARTS)))
#: Kind -> what is said of it.
_SPEAKS: Mapping[str, Sentence] = {
    "direction": Sentence("against-direction"), "sideways": Sentence("against-sideways"), "course": Sentence("against-course"),
    "free-moment": Sentence("against-free-moment"), "thrust": Sentence("against-thrust"), "place": Sentence("against-place"),
}  # fmt: skip
_INSIDE = next(rule for rule in RULES if rule.name == "cop-inside-foot")


@dataclass(frozen=True)
class _Mirror:
    """Plates by number, and the way in which all of them are mirrored."""

    numbers: tuple[int, ...]
    axis: str = "x"
    part: str = ""

    def of(self, plates: Sequence[ForcePlate]) -> tuple[ForcePlate, ...]:
        return tuple(
            mirrored_plate(plate, self.axis, self.part) if n in self.numbers else plate for n, plate in enumerate(plates, 1)
        )


def plate_repairs(results: Sequence[Solved]) -> Iterator[Finding]:
    """Yield the mirror that alone explains what speaks against plates, over all trials of a session.

    Parameters
    ----------
    results : Sequence[Solved]
        All solved trials of a session, with their findings.

    Yields
    ------
    Finding
        ``plates-mirrored``, with number, axis and part of each plate as a repair names them, the kinds of rules that speak against
        them as recorded, and the number of stances that are explained: one plate at a time, or all where that explains nothing.
    """
    suspect = [result for result in results if result.kind in ROLLING and _is_suspect(result)]
    if not suspect:
        return
    # What the other trials have put on the same plates has to go on fitting.
    asked = [result for result in results if result.kind in ROLLING and isinstance(result.motion, Movement)]
    n_plates = max(len(result.plates) for result in suspect)
    recorded = frozenset[tuple[str, int]]().union(
        *(_contradictions(_put_back(result, _Mirror(()), forced=True)) for result in asked)
    )
    single = [finding for number in range(1, n_plates + 1) for finding in _offered(asked, recorded, (number,))]
    yield from single or (_offered(asked, recorded, tuple(range(1, n_plates + 1))) if n_plates > 1 else ())


def _is_suspect(result: Solved) -> bool:
    """Whether any rule of the kinds speaks against a plate of a trial, and no repair of it is offered yet."""
    rules = {finding.rule for finding in result.findings}
    return bool(rules & {*CONTRADICTIONS, "pressure-outside-foot"}) and "plates-sideways-turned" not in rules


def _offered(results: Sequence[Solved], recorded: frozenset[tuple[str, int]], numbers: tuple[int, ...]) -> Iterator[Finding]:
    """The mirror of some plates, all in one way; ``recorded`` is what speaks against any plate as recorded."""
    against = _kinds(recorded, numbers)
    if len(against) < FEWEST_KINDS:
        return
    # The thrust turns with every mirror along the walk: hips that do not follow their forces, as a simulated walk's, tell nothing.
    asked = _SPEAKS.keys() - ({"thrust"} - against)
    fewest = max(1, sum(_n_stances(result, numbers) for result in results))
    explains: dict[_Mirror, int] = {}
    for way in MIRRORS:
        mirror, stances = _Mirror(numbers, *way), 0
        for result in results:
            again = _put_back(result, mirror)
            if _kinds(_contradictions(again), numbers) & asked:
                break
            stances += _n_stances(again, numbers)
        else:
            if stances >= fewest:
                explains[mirror] = stances
    if len(explains) == 1:
        ((mirror, stances),) = explains.items()
        plates = [(number, mirror.axis, mirror.part) for number in numbers]
        speaks = [_SPEAKS[kind] for kind in sorted(against)]
        values = {"plates": plates, "axis": mirror.axis, "part": mirror.part, "against": speaks, "stances": stances}
        yield Finding("plates-mirrored", values)


def _kinds(contradictions: Iterable[tuple[str, int]], numbers: Sequence[int]) -> frozenset[str]:
    """Kinds of rules that speak against some plates."""
    return frozenset(kind for kind, number in contradictions if number in numbers)


def _contradictions(result: Solved) -> frozenset[tuple[str, int]]:
    """Kinds of rules that speak against plates of a trial, each with the plate's number."""
    numbers = {plate.name: number for number, plate in enumerate(result.plates, 1)}
    against = [
        (CONTRADICTIONS[each.rule], _about(each, numbers)) for each in plausibility_findings(result) if each.rule in CONTRADICTIONS
    ]
    against += [("thrust", stance.plates[:1]) for stance, slope in thrusts(result) if slope < LEAST_THRUST]
    against += [
        ("course", each.stance.plates[:1])
        for each in force_directions(result)
        if each.whole and each.pressure_forward_m < LEAST_FORWARD_M
    ]
    against += [("place", stance.plates[:1]) for stance in _pressing_outside(result)]
    return frozenset((kind, numbers[name]) for kind, names in against for name in names if name in numbers)


def _pressing_outside(result: Solved) -> Iterator[Stance]:
    """Accepted stances that press outside their foot, those of a verdict set by hand too."""
    stances = result.assignment.stances if result.assignment else ()
    for side, middle_s, beyond_m in pressures(result):
        if inside_percent([beyond_m]) < _INSIDE.reject:
            yield from (
                each for each in stances if each.verdict.accepted and each.side == side and each.start_s <= middle_s < each.end_s
            )


def _about(finding: Finding, plates: Iterable[str]) -> tuple[str, ...]:
    """Names of the plates that a finding is about: all where it is about all stances of a trial together."""
    why = finding.values.get("why")
    if isinstance(why, Sentence) and why.rule not in AGAINST_THE_PLATE:
        return ()
    about: Any = finding.values.get("plates", finding.values.get("plate", tuple(plates)))
    return (about,) if isinstance(about, str) else tuple(about)


def _n_stances(result: Solved, numbers: Sequence[int]) -> int:
    """Number of stances with kinetics on some plates, each alone."""
    names = [plate.name for number, plate in enumerate(result.plates, 1) if number in numbers]
    stances = result.assignment.stances if result.assignment else ()
    return sum(stance.verdict.solved and len(stance.plates) == 1 and stance.plates[0] in names for stance in stances)


def _put_back(result: Solved, mirror: _Mirror, *, forced: bool = False) -> Solved:
    """The trial with plates mirrored and the feet put on them anew, without loads.

    ``forced`` puts feet on plates that do not fit them as well, so that everything else that speaks against these is seen.
    """
    movement = result.motion
    assert isinstance(movement, Movement)
    beside = [
        StanceVerdict(movement.trial.name, stance.side, stance.plates, start_s=stance.start_s)
        for stance in (result.assignment.stances if forced and result.assignment else ())
        if stance.reason.rule in AGAINST_THE_PLATE and len(stance.plates) == 1 and stance.start_s == stance.start_s
    ]
    if not mirror.numbers and not beside:
        return result
    smoothed = movement.trial.wrench_plates
    trial = replace(
        movement.trial, plates=mirror.of(movement.trial.plates), wrench_plates=None if smoothed is None else mirror.of(smoothed)
    )
    placed = replace(movement, trial=trial)
    again = with_plates(placed, feet=movement.feet, body_mass_kg=result.mass_kg, verdicts=beside)
    return replace(result, motion=again, plates=trial.plates, assignment=again.assignment, loads=None, whole_body=None)
