"""Which piece of a muscle's path wraps over its surfaces, what that adds to its length, and where it pulls.

Over one surface a path is straight but for one piece, the first that has to wrap or else the one that it lengthens least. Over
several, each is taken off the path and put on again, as the others have left it, until nothing changes. OpenSim stops when the
length changes by less than half a millimetre, and it then adds the surface lengths of the last round to straight pieces between the
places of the first: its sum is up to millimetres less than the path it draws. Here the rounds go on until the path is the shortest;
``"opensim"`` gives OpenSim's number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross
from biomech_id.models.triads import unit
from biomech_id.multibody.musculoskeletal import MuscleModel, MusculoskeletalModel
from biomech_id.osim.muscles.cylinder import MAY, MUST, Arc, Choice, in_axes
from biomech_id.osim.muscles.several_surfaces import SeveralSurfaces
from biomech_id.osim.muscles.surfaces import Surfaces, surfaces_of
from biomech_id.osim.muscles.wrapping_rules import choose_on, path_over
from biomech_id.osim.skeleton.tree import Tree, TreePose, frame_matrix
from biomech_id.values import dataclass

#: Half a step of differences, m: their error is below 1e-9.
HALF_STEP_M = 1e-6


@dataclass(frozen=True, eq=False)
class Pull:
    """What wrapped pieces add to the forces of straight paths with a tension of 1.

    Attributes
    ----------
    point : IntArray
        (A,), points whose forces change; each once.
    at_points : FloatArray
        (N, A, 3), by how much, axes of the surroundings.
    body, muscle : IntArray
        (B,), bodies of surfaces, and whose path it is.
    moment, force : FloatArray
        (N, B, 3), on those bodies, about the origin of the surroundings.
    """

    point: IntArray
    at_points: FloatArray
    body: IntArray
    muscle: IntArray
    moment: FloatArray
    force: FloatArray


@dataclass(frozen=True, eq=False)
class _Wrapped:
    """Pieces that wrap: which frame and muscle, which candidate, and how."""

    frame: IntArray
    muscle: IntArray
    candidate: IntArray
    p1: FloatArray
    p2: FloatArray
    surfaces: Surfaces
    choice: Choice
    added_m: FloatArray


class WrappedPaths:
    """The wrapped part of all paths of a model, compiled.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its wrap objects.
    tree : Tree
        The model's tree, compiled.
    muscles : Sequence[MuscleModel]
        Muscles and what they wrap over.
    first : IntArray
        (K,), number of each muscle's first point among all points.
    """

    def __init__(self, model: MusculoskeletalModel, tree: Tree, muscles: Sequence[MuscleModel], first: IntArray) -> None:
        known = {o.name: o for o in model.wrap_objects}
        used = [[(known[w.wrap_object], w) for w in muscle.wraps if known[w.wrap_object].active] for muscle in muscles]
        objects = {(o.name, wrap.method): o for each in used for o, wrap in each}
        number = {use: k for k, use in enumerate(objects)}
        self._n_muscles = len(muscles)
        self._bodies = np.array([tree.skeleton.body_index(o.frame.body) for o in objects.values()], dtype=int)
        self._places = np.array([frame_matrix(o.frame) for o in objects.values()]).reshape(-1, 4, 4)
        self._surfaces = surfaces_of(list(objects.values()), [method for _, method in objects])
        rows, self._single = [], np.array([k for k, each in enumerate(used) if len(each) == 1], dtype=int)
        self._over = np.array([number[used[k][0][0].name, used[k][0][1].method] for k in self._single], dtype=int)
        for m, k in enumerate(self._single):
            (o, wrap), n = used[k][0], len(muscles[k].points)
            low, high = max(wrap.first, 1) - 1, (wrap.last if wrap.last >= 1 else n) - 1
            rows += [(m, first[k], j, number[o.name, wrap.method], low) for j in range(n - 1) if j >= low and j + 1 <= high]
        table = np.array(rows, dtype=int).reshape(-1, 5)
        self._row, self._base, self._segment, self._object, self._low = table.T
        most = int(np.bincount(self._row).max()) if len(table) else 0
        self._candidates = np.full((len(self._single), most), -1)
        for m in range(len(self._single)):
            own_rows = np.flatnonzero(self._row == m)
            self._candidates[m, : len(own_rows)] = own_rows
        several = [(k, each) for k, each in enumerate(used) if len(each) > 1]
        self._several = SeveralSurfaces(
            [(k, len(muscles[k].points), int(first[k]), [(number[o.name, w.method], w) for o, w in each]) for k, each in several],
            self._surfaces,
        )

    def frames(self, pose: TreePose) -> FloatArray:
        """Place all surfaces.

        Parameters
        ----------
        pose : TreePose
            The bodies in N states.

        Returns
        -------
        FloatArray
            (N, O, 4, 4), from each surface's axes to those of the surroundings, m.
        """
        return np.asarray(pose.place[:, self._bodies] @ self._places)

    def added(self, points: FloatArray, active: BoolArray | None, pose: TreePose, wrapping: str) -> FloatArray:
        """By how much wrapping lengthens each path.

        Parameters
        ----------
        points : FloatArray
            (N, P, 3), axes of the surroundings.
        active : BoolArray | None
            (N, P), points that count; None if all do.
        pose : TreePose
            Of the same states.
        wrapping : str
            Which path over surfaces, see `MusclePaths.lengths`.

        Returns
        -------
        FloatArray
            (N, K), m, beyond the straight pieces between points; 0 for a path that touches no surface.
        """
        added, frames = np.zeros((len(points), self._n_muscles)), self.frames(pose)
        if len(self._row):
            wrapped = self._wrapped(points, active, frames, wrapping)
            added[wrapped.frame, self._single[wrapped.muscle]] = wrapped.added_m
        for path in self._several.paths(points, active, frames, wrapping):
            added[:, path.muscles] = path.length_m - path.straight_m
        return added

    def _wrapped(self, points: FloatArray, active: BoolArray | None, frames: FloatArray, wrapping: str) -> _Wrapped:
        """Of the muscles with one surface, the pieces that wrap over it."""
        start = self._base + self._segment
        place = frames[:, self._object]
        R, origin = place[..., :3, :3], place[..., :3, 3]
        p1, p2 = (in_axes(R, points[:, start + k] - origin) for k in (0, 1))
        n, c = p1.shape[:2]
        tiled = np.tile(np.arange(c), n)
        surfaces = self._surfaces[self._object]
        choice = choose_on(p1.reshape(-1, 3), p2.reshape(-1, 3), surfaces[tiled])
        can = choice.code >= MAY
        if active is not None:
            can &= self._between(active, start).ravel()
        rows = np.flatnonzero(can)
        ends, surface, over = (p1.reshape(-1, 3)[rows], p2.reshape(-1, 3)[rows]), surfaces[tiled[rows]], choice[rows]
        arc, stays = path_over(*ends, surface, over, shortest=wrapping == "shortest")
        rank = np.full(n * c, np.inf)
        change = _length(*ends, arc) - np.linalg.norm(ends[1] - ends[0], axis=1)
        # what has to wrap comes before what may, in the order of the path
        rank[rows] = np.where(over.code == MUST, -1.0 - 1.0 / (1.0 + tiled[rows]), change)
        rank[rows[~stays]] = np.inf
        table = np.append(rank.reshape(n, c), np.full((n, 1), np.inf), axis=1)[:, self._candidates]
        best = np.argmin(table, axis=2)
        frame, muscle = np.nonzero(np.isfinite(np.take_along_axis(table, best[..., None], axis=2)[..., 0]))
        candidate = self._candidates[muscle, best[frame, muscle]]
        at = np.searchsorted(rows, frame * c + candidate)
        return _Wrapped(frame, muscle, candidate, ends[0][at], ends[1][at], surface[at], over[at], change[at])

    def _between(self, active: BoolArray, start: IntArray) -> BoolArray:
        """Pieces (N, C) that run from one point that counts to another within the range."""
        number = np.arange(active.shape[1])
        before = np.maximum.accumulate(np.where(active, number, -1), axis=1)[:, start]
        return np.asarray(active[:, start + 1] & (before >= self._base + self._low))

    def pulls(self, points: FloatArray, active: BoolArray | None, pose: TreePose, wrapping: str) -> Pull:
        """Forces of wrapped pieces beyond those of the straight ones.

        Parameters
        ----------
        points : FloatArray
            (N, P, 3), axes of the surroundings.
        active : BoolArray | None
            (N, P), points that count; None if all do.
        pose : TreePose
            Of the same states.
        wrapping : str
            Which path over surfaces, see `MusclePaths.lengths`.

        Returns
        -------
        Pull
            At points and on the bodies of surfaces, without unit (for a tension of 1), m for moments.
        """
        n, p = points.shape[:2]
        frames, at_points = self.frames(pose), np.zeros((n, p, 3))
        body, muscle = [self._bodies[self._over]], [self._single]
        moment, force = [np.zeros((n, len(self._single), 3))], [np.zeros((n, len(self._single), 3))]
        if len(self._row):
            wrapped = self._wrapped(points, active, frames, wrapping)
            place = frames[wrapped.frame, self._object[wrapped.candidate]]
            start = self._base[wrapped.candidate] + self._segment[wrapped.candidate]
            on = _both_forces(wrapped, wrapping)
            for k, sign in ((0, 1.0), (1, -1.0)):
                f, at = (place[:, :3, :3] @ on[k][..., None])[..., 0], points[wrapped.frame, start + k]
                straight = points[wrapped.frame, start + 1] - points[wrapped.frame, start]
                np.add.at(at_points, (wrapped.frame, start + k), f + sign * unit(straight))
                moment[0][wrapped.frame, wrapped.muscle] -= cross(at, f)
                force[0][wrapped.frame, wrapped.muscle] -= f
        for path in self._several.paths(points, active, frames, wrapping):
            for k, which, pulls in path.at_points():
                at_points[:, which] += pulls
                body.append(self._bodies[path.objects[k]])
                muscle.append(np.full(path.objects.shape[1], path.muscles[k]))
            both = path.at_surfaces()
            moment.append(both[0])
            force.append(both[1])
        changed = np.flatnonzero(at_points.any(axis=(0, 2)))
        return Pull(
            changed, at_points[:, changed], np.concatenate(body), np.concatenate(muscle), np.concatenate(moment, axis=1),
            np.concatenate(force, axis=1),
        )  # fmt: skip


def _length(p1: FloatArray, p2: FloatArray, arc: Arc) -> FloatArray:
    before, after = np.linalg.norm(arc.first_m - p1, axis=1), np.linalg.norm(p2 - arc.last_m, axis=1)
    return np.asarray(before + arc.length_m + after)


def _both_forces(wrapped: _Wrapped, wrapping: str) -> tuple[FloatArray, FloatArray]:
    """Derivatives (R, 3) of wrapped pieces' lengths by their ends, surfaces' axes; for "opensim" the directions of its tension."""
    if wrapping == "opensim":
        arc, _ = path_over(wrapped.p1, wrapped.p2, wrapped.surfaces, wrapped.choice, shortest=False)
        return unit(wrapped.p1 - arc.first_m), unit(wrapped.p2 - arc.last_m)
    r = len(wrapped.frame)
    moves = np.concatenate([HALF_STEP_M * np.eye(6), -HALF_STEP_M * np.eye(6)])
    ends = np.concatenate([wrapped.p1, wrapped.p2], axis=1)[None] + moves[:, None]
    rows = np.tile(np.arange(r), 12)
    p1, p2 = ends[..., :3].reshape(-1, 3), ends[..., 3:].reshape(-1, 3)
    surfaces, choice = wrapped.surfaces[rows], wrapped.choice[rows]
    arc, _ = path_over(p1, p2, surfaces, choice, shortest=wrapping == "shortest")
    length = _length(p1, p2, arc).reshape(2, 6, r)
    slopes = ((length[0] - length[1]) / (2 * HALF_STEP_M)).T
    return slopes[:, :3], slopes[:, 3:]
