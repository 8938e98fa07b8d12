"""Where markers are, and how sizes, places, skin and coordinates move them: exact derivatives, all frames at once.

    p_m = o_b(q, s) + R_b(q) [s_b * p0_m + d_m + c_m1 x_1(q) + c_m2 x_2(q)]

Given the turns, positions are linear in s, d and c. Origins follow the tree: along a joint the parent's factors stretch where the
joint is and how far it slides, the child's where its own frame is.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.kinematics.inverse_kinematics import points_jacobian
from biomech_id.osim.scaling import scaled_model, slide_factor
from biomech_id.osim.skeleton.tree import Tree, TreePose
from biomech_id.values import dataclass, replace

#: Words in names of coordinates whose angles carry the skin: first for legs and what is on neither, then for arms.
LEG_ANGLES, ARM_ANGLES = ("hip_flexion", "knee_angle"), ("arm_flex", "elbow_flex")
#: Angles are counted in their standard deviation, at least this one, rad, and no further than so many of them.
LEAST_SPREAD_RAD, MOST_SPREADS = np.deg2rad(3.0), 2.0


@dataclass(frozen=True, eq=False)
class Sizes:
    """Unknowns that hold for all frames.

    Attributes
    ----------
    z : FloatArray
        (K, 3), logarithms of the factors of all bodies.
    offset_m : FloatArray
        (M, 3), how far markers are off their scaled places, axes of their bodies.
    shape_m : FloatArray
        (M, 2, 3), how far skin moves them for one standard deviation of each of their two angles, axes of their bodies.
    """

    z: FloatArray
    offset_m: FloatArray
    shape_m: FloatArray

    @property
    def flat(self) -> FloatArray:
        """(3K + 9M,), all in one row: z, offsets, shapes."""
        return np.concatenate([part.ravel() for part in (self.z, self.offset_m, self.shape_m)])

    def moved(self, step: FloatArray) -> Sizes:
        """The same after a step.

        Parameters
        ----------
        step : FloatArray
            (3K + 9M,), in the order of `flat`.

        Returns
        -------
        Sizes
            Of the same numbers of bodies and markers.
        """
        parts = (self.z, self.offset_m, self.shape_m)
        steps = np.split(step, np.cumsum([part.size for part in parts[:2]]))
        return Sizes(*(part + more.reshape(part.shape) for part, more in zip(parts, steps, strict=True)))


@dataclass(frozen=True, eq=False)
class SkinAngles:
    """The two angles that carry the skin below each marker.

    Attributes
    ----------
    column : IntArray
        (M, 2), columns of q; -1 for none.
    mean, spread : FloatArray
        (M, 2), over all frames, rad.
    """

    column: IntArray
    mean: FloatArray
    spread: FloatArray

    def of(self, q: FloatArray) -> FloatArray:
        """Angles in their own standard deviations.

        Parameters
        ----------
        q : FloatArray
            (N, nq), rad or m.

        Returns
        -------
        FloatArray
            (N, M, 2), cut at two standard deviations; 0 where a marker has no angle.
        """
        x = (q[:, self.column] - self.mean) / self.spread
        return np.where(self.column < 0, 0.0, np.clip(x, -MOST_SPREADS, MOST_SPREADS))


def angles_of(model: MusculoskeletalModel, q: FloatArray) -> SkinAngles:
    """Find the angles that carry the skin below a model's markers.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model with its M markers.
    q : FloatArray
        (N, nq), the motion in which mean and standard deviation are taken, rad or m.

    Returns
    -------
    SkinAngles
        Flexion of hip and knee, or of shoulder and elbow, on the marker's side; of any side on the trunk.
    """
    column = np.full((len(model.markers), 2), -1)
    names = [name.lower() for name in model.coordinate_names]
    for m, marker in enumerate(model.markers):
        body = marker.body.lower()
        words = ARM_ANGLES if any(word in body for word in ("humerus", "ulna", "radius", "hand")) else LEG_ANGLES
        side = body[-2:] if body[-2:] in ("_r", "_l") else ("_r", "_l")
        for k, word in enumerate(words):
            column[m, k] = next((c for c, name in enumerate(names) if name.startswith(word) and name.endswith(side)), -1)
    spread = np.maximum(np.std(q, axis=0), LEAST_SPREAD_RAD)
    return SkinAngles(column, np.mean(q, axis=0)[column], spread[column])


class SizedModel:
    """A generic model whose bodies' factors, marker places and skin are unknown.

    Parameters
    ----------
    model : MusculoskeletalModel
        The generic model with the M markers that are followed; muscles are left aside.

    Attributes
    ----------
    model : MusculoskeletalModel
        That model, without muscles.
    body : IntArray
        (M,), bodies of the markers; 0 is the surroundings.
    place_m : FloatArray
        (M, 3), their places in the bodies' frames before scaling.
    own_columns : IntArray
        (M, 9), where the offset and the shapes of each marker stand in `Sizes.flat`.
    """

    def __init__(self, model: MusculoskeletalModel) -> None:
        self.model = replace(model, muscles=(), wrap_objects=())
        self.tree = self.tree_of(np.zeros((len(model.bodies), 3)))
        skeleton = self.tree.skeleton
        self.body: IntArray = np.array([skeleton.body_index(marker.body) for marker in model.markers])
        self.place_m = np.array([np.asarray(marker.place_m, dtype=float) for marker in model.markers])
        K3, M = 3 * len(model.bodies), len(model.markers)
        self.own_columns = np.hstack([K3 + np.arange(3 * M).reshape(M, 3), K3 + 3 * M + np.arange(6 * M).reshape(M, 6)])

    def tree_of(self, z: FloatArray) -> Tree:
        """The tree of the model scaled.

        Parameters
        ----------
        z : FloatArray
            (K, 3), logarithms of the factors.

        Returns
        -------
        Tree
            Compiled; locked coordinates are held.
        """
        factors = {body.name: np.exp(row) for body, row in zip(self.model.bodies, z, strict=True)}
        return Tree(scaled_model(self.model, factors), [c.name for c in self.model.coordinates if c.locked])

    def local_m(self, sizes: Sizes, x: FloatArray) -> FloatArray:
        """Places of the markers in their bodies.

        Parameters
        ----------
        sizes : Sizes
            Factors, offsets and skin.
        x : FloatArray
            (N, M, 2), of `SkinAngles.of`.

        Returns
        -------
        FloatArray
            (N, M, 3), m.
        """
        s = np.concatenate([np.ones((1, 3)), np.exp(sizes.z)])
        local: FloatArray = s[self.body] * self.place_m + sizes.offset_m + (x[..., None] * sizes.shape_m).sum(axis=2)
        return local

    def origins_by_z(self, posture: TreePose, q: FloatArray, z: FloatArray) -> FloatArray:
        """How sizes move the bodies' origins.

        Parameters
        ----------
        posture : TreePose
            Of the scaled tree, in N states.
        q : FloatArray
            (N, nq), those states.
        z : FloatArray
            (K, 3), logarithms of the factors.

        Returns
        -------
        FloatArray
            (N, K + 1, 3, 3K), m, axes of the surroundings.
        """
        skeleton, n, K = self.tree.skeleton, len(q), len(z)
        out = np.zeros((n, K + 1, 3, 3 * K))
        R = posture.place[..., :3, :3]
        for joint in skeleton.joints:
            child, parent = skeleton.body_index(joint.child.body), skeleton.body_index(joint.parent.body)
            out[:, child] = out[:, parent]
            if parent:
                columns = slice(3 * parent - 3, 3 * parent)
                frame = R[:, parent] @ np.asarray(joint.parent.R_body_frame, dtype=float)
                out[:, child, :, columns] += R[:, parent] * np.asarray(joint.parent.place_m, dtype=float)
                for axis in joint.translations if joint.kind == "custom" else ():
                    if slide_factor(axis, np.ones(3)) is None:
                        continue
                    along = np.asarray(axis.axis, dtype=float)
                    k = self.model.index(axis.coordinate) if axis.coordinate else 0
                    amount = np.broadcast_to(axis.function.value(q[:, k]), (n,))
                    out[:, child, :, columns] += ((frame @ along) * amount[:, None])[:, :, None] * np.abs(along)
            columns = slice(3 * child - 3, 3 * child)
            out[:, child, :, columns] -= R[:, child] * np.asarray(joint.child.place_m, dtype=float)
        scaled: FloatArray = out * np.exp(z).ravel()
        return scaled

    def places(self, tree: Tree, sizes: Sizes, q: FloatArray, x: FloatArray) -> tuple[FloatArray, ...]:
        """Markers and how everything moves them.

        Parameters
        ----------
        tree : Tree
            Of `tree_of` at these sizes.
        sizes : Sizes
            Factors, offsets and skin.
        q : FloatArray
            (N, nq), all coordinates, completed.
        x : FloatArray
            (N, M, 2), of `SkinAngles.of`.

        Returns
        -------
        tuple[FloatArray, ...]
            Places (N, M, 3), derivatives (N, M, 3, F) by the free coordinates, (N, M, 3, 3K) by the logarithms of the factors, and
            (N, M, 3, 9) by each marker's own offset and shapes; m, axes of the surroundings.
        """
        posture = tree.posture(q)
        p = posture.points(self.body, self.local_m(sizes, x))
        by_z = self.origins_by_z(posture, q, sizes.z)[:, self.body]
        s, R = np.exp(sizes.z), posture.place[:, self.body, :3, :3]
        for m, b in enumerate(self.body):
            if b:
                by_z[:, m, :, 3 * b - 3 : 3 * b] += R[:, m] * (self.place_m[m] * s[b - 1])
        own = np.concatenate([R, R * x[..., :1, None], R * x[..., 1:, None]], axis=3)
        return p, points_jacobian(tree, posture, self.body, p), by_z, own
