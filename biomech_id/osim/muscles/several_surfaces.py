"""Paths over more than one surface: each is taken off the path and put on again until nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.multibody.musculoskeletal import PathWrap
from biomech_id.osim.muscles.cylinder import INSIDE, MAY, MUST, NONE, Choice, in_axes
from biomech_id.osim.muscles.surfaces import Surfaces
from biomech_id.osim.muscles.wrapping_rules import choose_on, path_over
from biomech_id.values import dataclass, field

#: OpenSim's rounds, and the change of length, m, at which it stops.
ROUNDS, STILL_M = 8, 0.0005
#: The same for the path as it is, and what is the length of a round before.
MOST_ROUNDS, SAME_M, RETURNED_M = 20, 1e-13, 1e-9
#: How often ends slide on their surfaces at most, and how often without smaller steps: by then they go to and fro.
MOST_SLIDES, IN_VAIN = 200, 20

#: A muscle's number, how many points it has, the first of them, and its surfaces with their use.
Use = tuple[int, int, int, list[tuple[int, PathWrap]]]


@dataclass(frozen=True, eq=False)
class SeveralPath:
    """Paths of muscles with the same number of points and surfaces, M of them, in N states.

    Attributes
    ----------
    muscles : IntArray
        (M,), numbers of the muscles among all paths.
    objects : IntArray
        (M, K), their surfaces.
    first : IntArray
        (M,), number of each one's first point.
    length_m : FloatArray
        (N, M), along the paths, m.
    straight_m : FloatArray
        (N, M), along their straight pieces as if there were no surfaces, m.
    loose_m : FloatArray
        (N M, P, 3), points without surfaces.
    state : _State
        Where the paths run.
    """

    muscles: IntArray
    objects: IntArray
    first: IntArray
    length_m: FloatArray
    straight_m: FloatArray
    loose_m: FloatArray
    state: _State = field(repr=False)

    def at_points(self) -> Iterator[tuple[int, IntArray, FloatArray]]:
        """Forces at the points of each muscle beyond those of its straight path.

        Yields
        ------
        tuple[int, IntArray, FloatArray]
            The muscle's place among these M, the numbers (P,) of its points, and the forces (N, P, 3) for a tension of 1, axes of
            the surroundings.
        """
        rows, p = self.loose_m.shape[:2]
        forces = self.state.forces()
        straight = -_forces(self.loose_m, np.full(rows, p))
        own = self.state.owner < 0
        where = np.nonzero(own & (np.arange(own.shape[1]) < self.state.count[:, None]))
        np.add.at(straight, (where[0], self.state.origin[where]), forces[where])
        by_muscle = straight.reshape(-1, len(self.muscles), p, 3)
        for k in range(len(self.muscles)):
            yield k, self.first[k] + np.arange(p), by_muscle[:, k]

    def at_surfaces(self) -> tuple[FloatArray, FloatArray]:
        """What the paths do to the bodies of their surfaces, for a tension of 1.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            Moments about the origin of the surroundings, m, and forces, without unit, (N, M K, 3) each, in its axes.
        """
        rows, k = len(self.loose_m), self.objects.shape[1]
        moment, force, pulls = np.zeros((rows, k, 3)), np.zeros((rows, k, 3)), self.state.forces()
        where = np.nonzero(self.state.owner >= 0)
        at = (where[0], self.state.owner[where])
        np.add.at(force, at, pulls[where])
        np.add.at(moment, at, cross(self.state.place[where], pulls[where]))
        n = rows // len(self.muscles)
        return moment.reshape(n, -1, 3), force.reshape(n, -1, 3)


class SeveralSurfaces:
    """Muscles over several surfaces, compiled.

    Parameters
    ----------
    uses : Sequence[Use]
        Number, points and surfaces of each muscle that has several.
    surfaces : Surfaces
        All surfaces of the model.
    """

    def __init__(self, uses: Sequence[Use], surfaces: Surfaces) -> None:
        self._surfaces = surfaces
        self._groups: dict[tuple[int, int], list[Use]] = {}
        for use in uses:
            self._groups.setdefault((use[1], len(use[3])), []).append(use)

    def paths(self, points: FloatArray, active: BoolArray | None, frames: FloatArray, wrapping: str) -> Iterator[SeveralPath]:
        """Paths of all muscles, group by group.

        Parameters
        ----------
        points : FloatArray
            (N, P, 3), all points, axes of the surroundings.
        active : BoolArray | None
            (N, P), points that count; None if all do.
        frames : FloatArray
            (N, O, 4, 4), of all surfaces.
        wrapping : str
            "opensim" for OpenSim's sum.

        Yields
        ------
        SeveralPath
            One for all muscles with as many points and surfaces.
        """
        for (p, k), uses in self._groups.items():
            muscles, first = np.array([use[0] for use in uses]), np.array([use[2] for use in uses])
            objects = np.array([[number for number, _ in use[3]] for use in uses])
            low = np.array([[max(w.first, 1) - 1 for _, w in use[3]] for use in uses])
            high = np.array([[(w.last if w.last >= 1 else p) - 1 for _, w in use[3]] for use in uses])
            n, m, which = len(points), len(uses), first[:, None] + np.arange(p)
            loose = points[:, which].reshape(n * m, p, 3)
            counts = np.ones((n * m, p), bool) if active is None else active[:, which].reshape(n * m, p)
            state = _State(loose, counts, k)
            rounds = _Rounds(
                state, frames[:, objects].reshape(n * m, k, 4, 4), [self._surfaces[np.tile(objects[:, j], n)] for j in range(k)],
                np.tile(low, (n, 1)), np.tile(high, (n, 1)),
            )  # fmt: skip
            length = rounds.run(wrapping == "opensim")
            straight = np.linalg.norm(np.diff(loose, axis=1), axis=2).sum(axis=1)
            yield SeveralPath(muscles, objects, first, length.reshape(n, m), straight.reshape(n, m), loose, state)


class _State:
    """Where R paths run now: places (R, L, 3), which surface put them there (-1: none), which point or end they are, how many."""

    def __init__(self, loose: FloatArray, counts: BoolArray, k: int) -> None:
        rows, p = counts.shape
        self.place = np.zeros((rows, p + 2 * k, 3))
        self.owner, self.origin = np.full((rows, p + 2 * k), -1), np.zeros((rows, p + 2 * k), dtype=int)
        self.place[:, :p], self.origin[:, :p] = loose, np.arange(p)
        self.arc = np.zeros((rows, k))
        #: Where ends (R, K, 2, 3) were when the length was first asked for, which is where OpenSim sees them from then on.
        self.kept: FloatArray | None = None
        self._keep(np.arange(rows), np.concatenate([counts, np.zeros((rows, 2 * k), bool)], axis=1))

    def _keep(self, rows: IntArray, keep: BoolArray) -> None:
        order = np.argsort(~keep, axis=1, kind="stable")
        self._reorder(rows, order)
        if len(rows) == len(self.place):
            self.count = keep.sum(axis=1)
        else:
            self.count[rows] = keep.sum(axis=1)

    def _reorder(self, rows: IntArray, order: IntArray) -> None:
        self.place[rows] = np.take_along_axis(self.place[rows], order[..., None], axis=1)
        self.owner[rows] = np.take_along_axis(self.owner[rows], order, axis=1)
        self.origin[rows] = np.take_along_axis(self.origin[rows], order, axis=1)

    def take_off(self, rows: IntArray, k: int) -> None:
        """Remove the ends that a surface put on the path."""
        here = np.arange(self.owner.shape[1]) < self.count[rows, None]
        own_ends = here & (self.owner[rows] == k)
        self.owner[rows] = np.where(own_ends, -1, self.owner[rows])
        self.arc[rows, k] = 0.0
        self._keep(rows, here & ~own_ends)

    def put_on(self, rows: IntArray, k: int, after: IntArray, ends: tuple[FloatArray, FloatArray], arc_m: FloatArray) -> None:
        """Insert both ends behind a place of the path."""
        number = np.arange(self.owner.shape[1])
        order = np.where(number <= after[:, None], number, np.maximum(number - 2, 0))
        self._reorder(rows, order)
        for j in (0, 1):
            self.place[rows, after + 1 + j] = ends[j]
            self.owner[rows, after + 1 + j], self.origin[rows, after + 1 + j] = k, j
        self.count[rows] += 2
        self.arc[rows, k] = arc_m

    def forces(self) -> FloatArray:
        """Forces (R, L, 3) of a tension of 1 on what holds the path."""
        pieces = np.where(_on_surface(self.owner), 0.0, 1.0)
        return _forces(self.seen(np.arange(len(self.place))), self.count, pieces)

    def seen(self, rows: IntArray) -> FloatArray:
        """Places (R, L, 3) of some paths, those on surfaces where ``kept`` has them, if it is there."""
        place = self.place[rows]
        if self.kept is None:
            return place
        owner = self.owner[rows]
        row, at = np.nonzero((owner >= 0) & (np.arange(owner.shape[1]) < self.count[rows, None]))
        key = rows[row], owner[row, at], self.origin[rows[row], at]
        self.kept[key] = np.where(np.isnan(self.kept[key]), place[row, at], self.kept[key])
        place[row, at] = self.kept[key]
        return place


def _on_surface(owner: IntArray) -> BoolArray:
    """Which pieces (R, L - 1) of paths lie on a surface: both of their ends were put there by the same one."""
    return np.asarray((owner[:, 1:] == owner[:, :-1]) & (owner[:, 1:] >= 0))


def _forces(place: FloatArray, count: IntArray, pieces: FloatArray | float = 1.0) -> FloatArray:
    step = np.diff(place, axis=1)
    length = np.linalg.norm(step, axis=2)
    there = (np.arange(step.shape[1]) + 1 < count[:, None]) & (length > 0)
    unit = step * (np.where(there, pieces, 0.0) / np.where(length > 0, length, 1.0))[..., None]
    forces = np.zeros_like(place)
    forces[:, 1:] += unit
    forces[:, :-1] -= unit
    return forces


class _Rounds:
    """Surfaces taken off and put on again, R paths over K surfaces."""

    def __init__(self, state: _State, frames: FloatArray, surfaces: list[Surfaces], low: IntArray, high: IntArray) -> None:
        self.state, self.frames, self.surfaces, self.low, self.high = state, frames, surfaces, low, high

    def run(self, as_opensim: bool) -> FloatArray:
        """Lengths (R,), m.

        Parameters
        ----------
        as_opensim : bool
            OpenSim's sum after its rounds.
        """
        r, k = self.frames.shape[:2]
        order, length, recent_m = np.tile(np.arange(k), (r, 1)), np.full(r, np.inf), np.full((3, r), np.inf)
        self.state.kept = np.full((r, k, 2, 3), np.nan) if as_opensim else None
        left = np.arange(r)
        for turn in range(ROUNDS if as_opensim else MOST_ROUNDS):
            codes = np.empty((len(left), k), dtype=int)
            for j in range(k):
                for o in np.unique(order[left, j]):
                    some = order[left, j] == o
                    codes[some, j] = self._again(left[some], int(o))
            now = self._length(left)
            still = np.abs(now - length[left]) < (STILL_M if as_opensim else SAME_M)
            length[left] = now
            if turn == 0:
                swap = left[(codes[:, 0] == NONE) & (codes[:, 1] == INSIDE) & ~still]
                order[swap, :2] = [1, 0]
                self.state.take_off(swap, 0)
                # what lies on a surface was put there before all others passed by: putting it there again changes nothing
                later = np.take_along_axis(self.state.arc[left], order[left][:, 1:], axis=1).any(axis=1)
                still |= ~later & ~np.isin(left, swap)
            left = left[~still]
            if not as_opensim:
                self._settle(left, order)
                length[left] = now = self._length(left)
                # surfaces that take turns on the path come round for ever: it stays when it is as short as it gets
                returned = np.abs(now - np.fmin.reduce(recent_m[:, left])) < RETURNED_M
                recent_m[turn % 3, left] = now
                left = left[~returned]
            if not len(left):
                break
        return length

    def _settle(self, rows: IntArray, order: IntArray) -> None:
        """Let ends slide on their surfaces, on the sides that they are on, until the path is the shortest."""
        rows = rows[(self.state.arc[rows] > 0).sum(axis=1) > 1]
        length, sides = self._length(rows), {k: self._sides(rows, k) for k in range(self.frames.shape[1])}
        shortest_m, step_m = length.copy(), np.full(len(rows), np.inf)
        place, arc_m = self.state.place[rows], self.state.arc[rows]
        going, in_vain = np.arange(len(rows)), np.full(len(rows), 0)
        for _ in range(MOST_SLIDES):
            for j in range(order.shape[1]):
                for o in np.unique(order[rows[going], j]):
                    self._slide(rows, going[order[rows[going], j] == o], int(o), sides[int(o)])
            now = self._length(rows[going])
            shorter, step = now < shortest_m[going], np.abs(now - length)
            at = going[shorter]
            shortest_m[at], place[at], arc_m[at] = now[shorter], self.state.place[rows[at]], self.state.arc[rows[at]]
            in_vain[going] = np.where(step < step_m[going], 0, in_vain[going] + 1)
            step_m[going] = np.fmin(step_m[going], step)
            back = going[in_vain[going] == IN_VAIN]
            self.state.place[rows[back]], self.state.arc[rows[back]] = place[back], arc_m[back]
            moved = (step > SAME_M) & (in_vain[going] < IN_VAIN)
            going, length = going[moved], now[moved]
            if not len(going):
                break

    def _sides(self, rows: IntArray, k: int) -> tuple[IntArray, Choice]:
        """Where on each path a surface's first end is, and the path's side."""
        at = np.argmax(self.state.owner[rows] == k, axis=1)
        place = self.frames[rows, k]
        return at, choose_on(self._local(rows, at - 1, place), self._local(rows, at + 2, place), self.surfaces[k][rows])

    def _slide(self, rows: IntArray, some: IntArray, k: int, sides: tuple[IntArray, Choice]) -> None:
        at, choice = sides[0][some], sides[1][some]
        fits = np.flatnonzero((choice.code >= MAY) & (self.state.arc[rows[some], k] > 0))
        of, at, choice = rows[some[fits]], at[fits], choice[fits]
        place, surfaces = self.frames[of, k], self.surfaces[k][of]
        ends = self._local(of, at - 1, place), self._local(of, at + 2, place)
        arc, _ = path_over(*ends, surfaces, choice, shortest=True)
        for j, end in enumerate((arc.first_m, arc.last_m)):
            self.state.place[of, at + j] = (place[:, :3, :3] @ end[:, :, None])[..., 0] + place[:, :3, 3]
        self.state.arc[of, k] = arc.length_m

    def _local(self, rows: IntArray, at: IntArray, place: FloatArray) -> FloatArray:
        """Places along paths in a surface's axes."""
        return in_axes(place[:, :3, :3], self.state.place[rows, at] - place[:, :3, 3])

    def _again(self, rows: IntArray, k: int) -> IntArray:
        """Take one surface off some paths and put it on again where it belongs; the code of the last piece that was looked at."""
        state = self.state
        state.take_off(rows, k)
        number = np.arange(state.owner.shape[1])
        here, owner, origin = number < state.count[rows, None], state.owner[rows], state.origin[rows]
        point = here & (owner < 0)
        start = np.argmax(point & (origin >= self.low[rows, k, None]), axis=1)
        within = point & (origin <= self.high[rows, k, None])
        end = within.shape[1] - 1 - np.argmax(within[:, ::-1], axis=1)
        pieces = (number[:-1] >= start[:, None]) & (number[:-1] < end[:, None])
        pieces &= ~_on_surface(owner)
        row, piece = np.nonzero(pieces)
        of = rows[row]
        place, surfaces = self.frames[of, k], self.surfaces[k][of]
        R, at = place[:, :3, :3], place[:, :3, 3]
        p1, p2 = self._local(of, piece, place), self._local(of, piece + 1, place)
        choice = choose_on(p1, p2, surfaces)
        code = choice.code.copy()
        can = np.flatnonzero(code >= MAY)
        p1, p2, surfaces, choice = p1[can], p2[can], surfaces[can], choice[can]
        arc, on = path_over(p1, p2, surfaces, choice, shortest=True)
        code[can[~on]] = NONE
        change = np.linalg.norm(arc.first_m - p1, axis=1) + arc.length_m + np.linalg.norm(p2 - arc.last_m, axis=1)
        change -= np.linalg.norm(p2 - p1, axis=1)
        rank = np.full(pieces.shape, np.inf)
        must = choice.code == MUST
        rank[row[can[on]], piece[can[on]]] = np.where(must, -1.0 - 1.0 / (1.0 + piece[can]), change)[on]
        best = np.argmin(rank, axis=1)
        taken = np.flatnonzero(np.isfinite(rank[np.arange(len(rows)), best]))
        chosen = np.full(pieces.shape, -1)
        chosen[row[can], piece[can]] = np.arange(len(can))
        pick = chosen[taken, best[taken]]
        ends = [(R[can[pick]] @ x[pick, :, None])[..., 0] + at[can[pick]] for x in (arc.first_m, arc.last_m)]
        state.put_on(rows[taken], k, best[taken], (ends[0], ends[1]), arc.length_m[pick])
        last = np.full(len(rows), NONE)
        last[row] = code  # rows come in the path's order: the last one stays
        last[taken[must[pick]]] = MUST
        return last

    def _length(self, rows: IntArray) -> FloatArray:
        """Lengths of some paths: pieces between places as they are seen, and the parts on surfaces."""
        state = self.state
        owner = state.owner[rows]
        step = np.linalg.norm(np.diff(state.seen(rows), axis=1), axis=2)
        number = np.arange(1, owner.shape[1])
        straight = (number < state.count[rows, None]) & ~_on_surface(owner)
        return np.asarray(np.where(straight, step, 0.0).sum(axis=1) + state.arc[rows].sum(axis=1))
