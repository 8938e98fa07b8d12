"""The answer: the likeliest cause, its size, what it moves; the next on what is left; what could not have been said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import MissingInputError
from biomech_id.judgement.diagnosis.blocks import blocks_of, further
from biomech_id.judgement.diagnosis.causes import Possible, possible, where_to_look
from biomech_id.judgement.diagnosis.contacts import contacts
from biomech_id.judgement.diagnosis.curves import curves_moved
from biomech_id.judgement.diagnosis.exchanges import EXCHANGED_LABELS, exchanges
from biomech_id.judgement.diagnosis.gaits import AID, GAIT, gaits, unstated_aid
from biomech_id.judgement.diagnosis.of_legs import STEP_IN_MID_WALK, ResidualValues, marker_distances
from biomech_id.judgement.diagnosis.ranking import LEAST_EVIDENCE, Single, WalkSignatures, Whitening, block, least_sizes, single
from biomech_id.judgement.diagnosis.recorded import Recorded, recorded_walk
from biomech_id.judgement.diagnosis.residuals import JudgedWalk, changed_units, residuals
from biomech_id.judgement.diagnosis.spread import ResidualSpread, package_spread
from biomech_id.models.conventional.model import ConventionalModel
from biomech_id.trial import Trial
from biomech_id.values import dataclass, replace

#: So many of the best causes are looked at again at full size, at these shares of it, and further out where less is left there.
LOOKED_AGAIN, SHARES, SMALLEST_SHARE, LARGEST_SHARE = 6, (0.75, 1.0, 1.3), 0.5, 1.7
#: So often a marker that was moved back, along axes that it turned itself, is moved again, and what then differs is corrected.
INVERTED = 2
#: A walk's own signatures are worked out of causes along whose typical one its residuals lie this many SDs, and of blocks whose
#: evidence by typical ones is above this.
ASKED_SDS, ASKED_EVIDENCE = 2.0, 0.0
#: A cause with less evidence along a straight line is not looked at again at full size.
LEAST_STRAIGHT = -3.0
#: An error is at least this share of the size: signatures are straight lines.
LEAST_SHARE_SD = 0.15
#: A block must beat the best single cause by this much; causes nearer than this to the best are named beside it.
BLOCK_BEATS, ALIKE = 2.0, 2.0
#: Exchanges are tried where r' Cov^-1 r is above this times the number of residuals.
EXCHANGED_ABOVE = 1.5
#: Causes of less evidence are neither told nor named beside what is, and no block has to beat them.
UNHEARD = LEAST_EVIDENCE - max(BLOCK_BEATS, ALIKE)
#: A cause of this many least sizes is told in 86 % of the cases.
TOLD_SIZE = 1.5
#: What untouched sessions show was learnt from whole strides.
STRIDE_STRIKES = 2
#: Class of causes that lie in stored events.
EVENTS = "events"
#: How residuals end that are no distances alone where people may walk as they like.
_IN_MID_WALK = STEP_IN_MID_WALK.format("", "")[1:]
#: Classes that are no fault of a plate or a marker.
WALKS_SO = (GAIT, AID)
#: At most so many causes a session.
MOST_CAUSES = 5
#: A residual this many SDs from what is expected is unexplained where no cause takes it away: at most 4.9 in 27 of 28 untouched
#: walks of 17 people, each judged by the spread of the others; in the other one a plate is broken.
UNEXPLAINED_SDS = 6.0
#: Never unexplained: a toe walker's strike that markers do not show doubles the stride, and halves this.
OF_STRIDE = "impulse of the foot / half weight"


@dataclass(frozen=True)
class Found:
    """One cause that explains what contradicts itself.

    Attributes
    ----------
    cause : str
        Its name in the dictionary, of a block or of an exchange.
    group : str
        Its class: causes that one session cannot tell apart.
    unit : str
        Of size and SD; empty for blocks and exchanges.
    size, sd : float
        How much, and one standard deviation of it; NaN for blocks and exchanges.
    evidence : float
        l: orders causes, and is no chance.
    alike : tuple[str, ...]
        Causes that explain it nearly as well, best first.
    parts : Mapping[str, float]
        Of a block: its numbers by the names of their causes.
    residuals : tuple[tuple[str, str, float, float], ...]
        The residuals that it changes most: name, unit, SDs from what is expected with the cause and without it.
    moves : Mapping[str, float]
        Curve with its unit -> how far it lies elsewhere without the cause, root mean square.
    misfit_after : float
        r' Cov^-1 r without the cause.
    look : str
        What to look at.
    warns : bool
        Whether somebody has to act: not where a way of walking or an aid explains it, or does so nearly as well.
    kind, of : str
        The cause without what it is of, as the dictionary has it ("{}KNE forward, whole"), and "L", "R", the number of a plate,
        or what was exchanged.
    judged_by_curves : bool
        Whether ``moves`` can show it: stored events and what a plate or a filter did to a residual alone move no curve there.
    """

    cause: str
    group: str
    unit: str
    size: float
    sd: float
    evidence: float
    alike: tuple[str, ...]
    parts: Mapping[str, float]
    residuals: tuple[tuple[str, str, float, float], ...]
    moves: Mapping[str, float]
    misfit_after: float
    look: str
    warns: bool
    kind: str
    of: str
    judged_by_curves: bool


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What a walk says about what is wrong in it.

    Attributes
    ----------
    name : str
        Of the walk.
    values : ResidualValues
        (residual, unit) -> value, in the units of ``spread.csv``.
    expected : Mapping[tuple[str, str], tuple[float, float]]
        The same keys -> mean and SD of untouched sessions.
    misfit : float
        r' Cov^-1 r of all of them.
    n_causes : int
        How many causes were compared.
    likely : tuple[Found, ...]
        The likeliest first, each on what the ones before it leave.
    told_from : Mapping[str, tuple[float, str]]
        Cause -> 1.5 times its least size, told in 86 % of the cases, and its unit: a fault below it is not seen by this session.
        Empty where sizes were not asked for.
    unexplained : Mapping[tuple[str, str], float]
        Residuals that lie more than `UNEXPLAINED_SDS` from what is expected when all likely causes are taken away, the furthest
        first -> how many SDs.
    """

    name: str
    values: ResidualValues
    expected: Mapping[tuple[str, str], tuple[float, float]]
    misfit: float
    n_causes: int
    likely: tuple[Found, ...]
    told_from: Mapping[str, tuple[float, str]]
    unexplained: Mapping[tuple[str, str], float]


def diagnose(
    trial: Trial, model: ConventionalModel, *, unimpaired: bool = False, aided: bool | None = None,
    prostheses: Sequence[str] = (), spread: ResidualSpread | None = None, sizes: bool = True,
) -> Diagnosis:  # fmt: skip
    """Return what contradicts itself in a walk, and which causes explain it.

    Parameters
    ----------
    trial : Trial
        The walk as read, neither filled nor filtered.
    model : ConventionalModel
        The conventional model of the same person, calibrated on the same placement of the markers.
    unimpaired : bool, optional
        Whether the person is known to be built and to walk as most do; otherwise there is room for short legs, oblique pelvises,
        bowed shanks, short feet and ways of walking, and causes that look like them are told from larger sizes.
    aided : bool | None, optional
        Whether a crutch, a walker, a rail or a hand bears weight: plates then have a verdict on clock, zero and breaks alone. Where
        it is stated that none does, crutches and a walker explain nothing; None where nobody says.
    prostheses : Sequence[str], optional
        Sides, "L" and "R", on which shank or foot is artificial: what compares them with most people's has no verdict. Empty takes
        those of which the subject states an amputation.
    spread : ResidualSpread | None, optional
        What untouched sessions show; None for the package's.
    sizes : bool, optional
        Whether the sizes from which causes are told are worked out: most of the time that a walk without a fault takes. Every
        signature is then the walk's own; without, they are where typical ones ask for it, and few answers differ.

    Returns
    -------
    Diagnosis
        Nothing of it enters verdicts, bands or tables.

    Raises
    ------
    OptionError
        Another body model, or one leg only.
    MissingInputError
        The walk lacks markers, is hardly seen whole, or holds no whole stride.

    Examples
    --------
    >>> import biomech_id as bid
    >>> from biomech_id.judgement.diagnosis.diagnosis import diagnose
    >>> person = bid.virtual_subject()
    >>> told = diagnose(person.walk().trial, bid.conventional_model(person.static().trial))
    >>> told.name, len(told.values) > 100
    ('walk', True)
    """
    session = replace(recorded_walk(trial, model), aided=aided)
    if prostheses:
        session = replace(session, prostheses=tuple(prostheses))
    strikes = max(len(times) for (_, kind), times in contacts(session).items() if kind == "strike")
    if strikes < STRIDE_STRIKES:
        raise MissingInputError(
            f"{trial.name} holds no whole stride: no foot is seen to meet the floor twice in its {trial.n_frames} frames.",
            value=strikes, expected=f"at least {STRIDE_STRIKES} strikes of one foot", where=trial.name,
        )  # fmt: skip
    spread = package_spread() if spread is None else spread
    return diagnose_recorded(session, spread if unimpaired else spread.of_any_body(), sizes=sizes)


def diagnose_recorded(session: Recorded, spread: ResidualSpread, *, sizes: bool = True) -> Diagnosis:
    """Return what contradicts itself in a session in memory (see `diagnose`).

    Parameters
    ----------
    session : Recorded
        The session in memory.
    spread : ResidualSpread
        What untouched sessions show.
    sizes : bool, optional
        As of `diagnose`.
    """
    search = Search(residuals(replace(session, any_gait=spread.any_gait)), spread)
    values, scale = search.judged.values, search.scale
    misfit, n_causes, told_from = scale.misfit(values, values), len(search.causes), search.told_from() if sizes else {}
    sd = np.linalg.norm(scale.root, axis=1)
    expected = {key: (float(m), float(s)) for key, m, s in zip(scale.keys, scale.mean, sd, strict=True)}
    likely: list[Found] = []
    unexplained: dict[tuple[str, str], float] = {}
    while len(likely) < MOST_CAUSES:
        best = search.best()
        if best is None:
            # After the last cause that is looked for, others may explain the rest.
            unexplained = search.unexplained()
            break
        likely.append(best[0])
        search = best[1]
    known = {key: values[key] for key in scale.keys}
    return Diagnosis(session.name, known, expected, misfit, n_causes, tuple(likely), told_from, unexplained)


def _misfit(tried: tuple[float, float, JudgedWalk]) -> float:
    return tried[0]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A cause taken out of the session."""

    cause: str
    group: str
    evidence: float
    judged: JudgedWalk
    kind: str
    of: str
    size: float = float("nan")
    sd: float = float("nan")
    unit: str = ""
    parts: tuple[tuple[str, float], ...] = ()
    direct: bool = False


class Search:
    """One look at the residuals of a session."""

    def __init__(self, judged: JudgedWalk, spread: ResidualSpread, known: Search | None = None) -> None:
        if judged.session.any_gait != spread.any_gait:
            judged = residuals(replace(judged.session, any_gait=spread.any_gait))
        self.judged, self.spread = judged, spread
        if known is None:
            self.scale = Whitening.of(judged.values, spread)
            self.instead = judged.values
            self.causes = possible(judged.session, set(self.scale.keys))
            in_blocks = further(judged.session)
            if spread.any_gait:
                self.causes += gaits(judged.session, self.scale.keys)
                in_blocks += unstated_aid(judged.session, {key: judged.values[key] for key in self.scale.keys})
            self.every = [*self.causes, *in_blocks]
            self.signatures = WalkSignatures(judged, self.every, self.scale)
        else:
            self.scale, self.instead, self.causes = known.scale, known.instead, known.causes
            self.every, self.signatures = known.every, known.signatures
        self.tau = np.array([one.row.tau for one in self.every])
        self.one_sided = np.array([float(one.row.one_sided) for one in self.every])
        self.misfit = self.scale.misfit(judged.values, self.instead)
        self._most: dict[frozenset[str], float] = {}

    def told_from(self) -> dict[str, tuple[float, str]]:
        """Cause -> size from which it is told, and its unit."""
        n = len(self.causes)
        self.signatures.ask(range(len(self.every)))
        size = np.linalg.norm(self.signatures.white[:, :n], axis=0)
        seen = size > 0
        sizes = TOLD_SIZE * least_sizes(1.0 / size[seen], self.tau[:n][seen], n)
        names = [one for one, ok in zip(self.causes, seen, strict=True) if ok]
        faults = ((one, size) for one, size in zip(names, sizes, strict=True) if one.row.group != GAIT)
        return {one.name: (float(size), one.row.unit) for one, size in faults}

    def unexplained(self) -> dict[tuple[str, str], float]:
        """Residuals far from what is expected, the furthest first, and by how many SDs."""
        sds = self.scale.residual(self.judged.values, self.instead) / np.linalg.norm(self.scale.root, axis=1)
        far = [i for i in np.argsort(-np.abs(sds)) if abs(sds[i]) > UNEXPLAINED_SDS and self.scale.keys[i][0] != OF_STRIDE]
        return {self.scale.keys[i]: float(sds[i]) for i in far}

    def best(self) -> tuple[Found, Search] | None:
        """The likeliest cause, and the look at what is left; None where nothing has evidence enough."""
        w, n = self._white, len(self.causes)
        self._ask(np.flatnonzero(~self.signatures.typical[:n]))
        ones = self._single(w)
        self._ask(np.flatnonzero(np.abs(ones.size) / ones.sd > ASKED_SDS))
        ones = self._single(w)
        evidence = np.where(self.signatures.own[:n], ones.evidence, -np.inf)
        order = [int(i) for i in np.argsort(-evidence)[:LOOKED_AGAIN] if evidence[i] > LEAST_STRAIGHT]
        ranked = sorted((self._again(i, ones.size[i], ones.sd[i]) for i in order), key=lambda one: -one.evidence)
        # A block is judged by straight lines, and so are the single causes that it has to beat.
        straight = max((float(evidence.max()), *(one.evidence for one in ranked)))
        several = list(self._blocks(w, straight + BLOCK_BEATS))
        best = max((*ranked, *several), key=lambda one: one.evidence, default=None)
        best = self._exchanged(max(LEAST_EVIDENCE, best.evidence if best else -np.inf)) or best
        if best is None or best.evidence <= LEAST_EVIDENCE:
            return None
        if best.group == AID:
            left = Search(_aided(best.judged), self.spread)
        else:
            left = Search(best.judged, self.spread, self if best.parts or best.unit else None)
        # An aid has so many numbers that a wrong mass is among them: it acquits only where nothing is likelier.
        walks_so = best.group == AID or any(
            one.group == GAIT and one.evidence > best.evidence - ALIKE for one in (*ranked, *several)
        )
        alike = tuple(one.cause for one in ranked if one.cause != best.cause and one.evidence > best.evidence - ALIKE)
        return self._told(best, alike, left, warns=not walks_so), left

    @cached_property
    def _white(self) -> FloatArray:
        """Whitened residuals."""
        return self.scale.white(self.scale.residual(self.judged.values, self.instead))

    def _ask(self, places: Iterable[int]) -> None:
        """Work out the walk's own signatures of causes whose residuals leave room for evidence."""
        self.signatures.ask(
            [i for i in places if self.signatures.own[i] or self._most_evidence(self.signatures.units(i)) > UNHEARD]
        )

    def _most_evidence(self, units: frozenset[str], known: FloatArray | None = None) -> float:
        """No cause has more that changes the residuals of these units alone, and along signatures that are known."""
        if known is not None and known.size:
            return self._evidence(self.misfit - self.scale.most_gain(self._white, units, known))
        if units not in self._most:
            self._most[units] = self._evidence(self.misfit - self.scale.most_gain(self._white, units))
        return self._most[units]

    def _evidence(self, misfit: float) -> float:
        """Of what leaves this misfit, without what its size costs."""
        return 0.5 * (self.misfit - misfit) - float(np.log(len(self.causes)))

    def _distances(self, session: Recorded) -> float:
        """Return r' Cov^-1 r of the distances of markers alone, which is no more than that of all residuals."""
        known = marker_distances(self.judged.session)
        which = [key in known and not key[0].endswith(_IN_MID_WALK) for key in self.scale.keys]
        values = marker_distances(session)
        r = np.array([values.get(key, self.instead[key]) for key, ok in zip(self.scale.keys, which, strict=True) if ok])
        r -= self.scale.mean[which]
        root = self.scale.root[which]
        return float(r @ np.linalg.solve(root @ root.T, r))

    def _single(self, w: FloatArray) -> Single:
        """Evidence of the single causes by the signatures that are known."""
        n = len(self.causes)
        return single(self.signatures.white[:, :n], w, self.tau[:n], self.one_sided[:n], n)

    def _again(self, place: int, size: float, sd: float) -> _Candidate:
        """One cause at full size: taken out at several shares of it, kept where least is left."""
        one, n = self.every[place], len(self.causes)
        shares = list(SHARES)
        tries = [self._tried(one, share * size) for share in shares]
        # Further out only where the misfit still falls.
        if min(tries, key=_misfit) is tries[0]:
            shares, tries = [SMALLEST_SHARE, *shares[:-1]], [self._tried(one, SMALLEST_SHARE * size), *tries[:-1]]
        elif min(tries, key=_misfit) is tries[-1]:
            shares, tries = [*shares[1:], LARGEST_SHARE], [*tries[1:], self._tried(one, LARGEST_SHARE * size)]
        # Of a large size the shares alone leave more than a block of several numbers does: a parabola lies between them.
        bent, slope, _ = np.polyfit(shares, [misfit for misfit, _, _ in tries], 2)
        if bent > 0.0:
            between = size * float(np.clip(-0.5 * slope / bent, SMALLEST_SHARE, LARGEST_SHARE))
            tries.append(self._tried(one, between))
            if tries[-1][2].session.markers is not self.judged.session.markers:
                tries.append(self._tried(one, between, INVERTED))
        misfit, kept, judged = min(tries, key=_misfit)
        tau = one.row.tau
        fits = 0.5 * (self.misfit - misfit) - 0.5 * (kept / tau) ** 2
        evidence = fits - 0.5 * np.log1p((tau / sd) ** 2) - np.log(n) if np.isfinite(sd) else -np.inf
        if one.row.one_sided and size <= 0:
            evidence = -np.inf
        error = max(float(sd), LEAST_SHARE_SD * abs(kept))
        return _Candidate(
            one.name,
            one.row.group,
            float(evidence),
            judged,
            one.kind,
            one.unit,
            float(kept),
            error,
            one.row.unit,
            direct=one.at is not None,
        )

    def _tried(self, one: Possible, size: float, inverted: int = 0) -> tuple[float, float, JudgedWalk]:
        """What is left without a cause of this size, the size, and the session without it."""
        judged = _without(self.judged, one, size, inverted) or self.judged
        return self.scale.misfit(judged.values, self.instead), size, judged

    def _blocks(self, w: FloatArray, least: float) -> Iterator[_Candidate]:
        """Blocks whose evidence is above the least."""
        for each in blocks_of(self.every, self.judged.session):
            places = list(each.places)
            self._ask_block(w, places)
            evidence, sizes = block(self.signatures.white[:, places], w, self.tau[places], len(self.causes))
            if each.group == AID and (sizes[self.one_sided[places] > 0] < 0).any():
                continue
            if evidence > (LEAST_EVIDENCE if each.group in WALKS_SO else max(least, LEAST_EVIDENCE)):
                judged = self.judged
                for i, size in zip(places, sizes, strict=True):
                    judged = _without(judged, self.every[i], float(size)) or judged
                if self.scale.misfit(judged.values, self.instead) >= self.misfit:
                    continue  # along straight lines it explained something, at its full size nothing
                parts = tuple((self.every[i].name, float(size)) for i, size in zip(places, sizes, strict=True))
                yield _Candidate(each.name, each.group, evidence, judged, each.kind, each.of, parts=parts)

    def _ask_block(self, w: FloatArray, places: list[int]) -> None:
        """Work out the walk's own signatures of a block where typical ones, and the residuals, leave room for evidence."""
        signatures = self.signatures
        self._ask_together([i for i in places if not (signatures.own[i] or signatures.typical[i])], places)
        if block(signatures.white[:, places], w, self.tau[places], len(self.causes))[0] > ASKED_EVIDENCE:
            self._ask_together([i for i in places if not signatures.own[i]], places)

    def _ask_together(self, asked: list[int], places: list[int]) -> None:
        if asked:
            units = frozenset[str]().union(*(self.signatures.units(i) for i in asked))
            known = [i for i in places if i not in asked]
            if self._most_evidence(units, self.signatures.white[:, known]) > UNHEARD:
                self.signatures.ask(asked)

    def _exchanged(self, least: float) -> _Candidate | None:
        """The exchange with most evidence when it is taken back, compared in the residuals that both have.

        None where the residuals ask for none, or none has more evidence than the least.
        """
        best = None
        if self.misfit <= EXCHANGED_ABOVE * len(self.scale.keys):
            return best
        for each in exchanges(self.judged.session):
            if self._most_evidence(changed_units(each.session, self.judged)) <= least:
                continue
            if each.group == EXCHANGED_LABELS and self._evidence(self._distances(each.session)) <= least:
                continue
            judged = residuals(each.session, self.judged)
            evidence = self._evidence(self.scale.misfit(judged.values, self.instead))
            if evidence > least:
                least, best = evidence, _Candidate(each.name, each.group, evidence, judged, each.kind, each.of)
        return best

    def _told(self, best: _Candidate, alike: tuple[str, ...], left: Search, *, warns: bool) -> Found:
        """What is said of the best."""
        before, after = (
            self.scale.residual(judged.values, self.instead) / np.linalg.norm(self.scale.root, axis=1)
            for judged in (self.judged, best.judged)
        )
        most = np.argsort(-np.abs(after - before))[:5]
        rows = tuple((*self.scale.keys[i], float(before[i]), float(after[i])) for i in most if before[i] != after[i])
        return Found(
            best.cause, best.group, best.unit, best.size, best.sd, best.evidence, alike, dict(best.parts), rows,
            curves_moved(self.judged.session, best.judged.session), left.misfit, where_to_look().get(best.group, ""), warns,
            best.kind, best.of, not best.direct and best.group != EVENTS,
        )  # fmt: skip


def _aided(judged: JudgedWalk) -> JudgedWalk:
    """The session as if an aid had been stated, so that plates have a verdict on clock, zero and breaks alone.

    What was taken off residuals stays off.
    """
    stated = residuals(replace(judged.session, aided=True))
    plates = {key: judged.plates.get(key, value) for key, value in stated.plates.items()}
    return replace(judged, session=stated.session, plates=plates)


def _without(judged: JudgedWalk, one: Possible, size: float, inverted: int = 0) -> JudgedWalk | None:
    """The session without a cause; one that adds to a residual directly is taken off that. None where nothing is that large.

    A marker goes back along the axes of its segment that it turned itself, unless ``inverted``: then along those without it.
    """
    if one.at is not None:
        legs, plates = (
            {key: value - size * one.at.get(key, 0.0) for key, value in values.items()} for values in (judged.legs, judged.plates)
        )
        return replace(judged, legs=legs, plates=plates, as_recorded=False)
    shown, session = judged.session, one.into(judged.session, -size)
    if session is None:
        return None
    for _ in range(inverted):
        again = one.into(session, size)
        if again is None:
            break
        changed = {}
        for name in ("markers", "standing"):
            before, after, back = (getattr(each, name) for each in (shown, session, again))
            if after is not before:
                changed[name] = after.with_positions(after.position_m + before.position_m - back.position_m)
        session = replace(session, **changed)
    return residuals(session, judged)
