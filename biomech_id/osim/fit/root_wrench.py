"""What is left over at a model's root, and how it changes with the motion, with masses and with mass centres.

At the root a model is held by nothing: the wrench that inertia and weight need, less the loads from outside, should be none ::

    r = sum over bodies [ m (a - g);  c x m (a - g) + I alpha + omega x I omega ] - w_outside     (about the whole centre of mass)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.multibody.musculoskeletal import ModelBody, MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import BodyLoad, OuterForce, loads_in_pose
from biomech_id.osim.dynamics.inverse_dynamics import SkeletonMotion, required_wrenches
from biomech_id.osim.fit.prior import segment_kind
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.values import dataclass, replace

#: How far people's masses are from scaled ones, by kind of segment, and a weighed person's from the scales (logarithms); chosen.
MASS_SD, WHOLE_MASS_SD = 0.10, 0.01
#: How far mass centres are from scaled ones along each axis, of limbs and of trunk and pelvis, m; chosen.
CENTRE_SD_M, TRUNK_CENTRE_SD_M = 0.012, 0.025
_STEP_Q, _STEP_PI = 1e-6, 1e-4


class InertiaKinds:
    """Masses and mass centres of a model, by kind of segment.

    The unknowns are K logarithms of mass and 3 K shifts of mass centres, m; those of the left side are mirrored in z.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted to markers.
    """

    def __init__(self, model: MusculoskeletalModel) -> None:
        self.model = model
        mass: dict[str, float] = {}
        for body in model.bodies:
            kind = segment_kind(body.name)[0]
            mass[kind] = mass.get(kind, 0.0) + body.mass_kg
        self.names = tuple(kind for kind, kg in mass.items() if kg > 0)
        self.mass_kg = sum(mass.values())
        self._number = {kind: k for k, kind in enumerate(self.names)}
        share = np.array([mass[kind] for kind in self.names]) / self.mass_kg
        K = len(self.names)
        centre_sd = [TRUNK_CENTRE_SD_M if kind in ("trunk", "pelvis") else CENTRE_SD_M for kind in self.names]
        #: Of the unknowns beforehand, (4K,), the weighed mass left out.
        self.sd = np.concatenate([np.full(K, MASS_SD), np.repeat(centre_sd, 3)])
        #: Inverse of their covariance, (4K, 4K), with the weighed mass.
        self.precision = np.diag(self.sd**-2)
        self.precision[:K, :K] += np.outer(share, share) / WHOLE_MASS_SD**2

    def changed(self, pi: FloatArray) -> MusculoskeletalModel:
        """Change masses and mass centres; tensors follow the masses.

        Parameters
        ----------
        pi : FloatArray
            (4K,), logarithms of masses, then shifts of mass centres, m.

        Returns
        -------
        MusculoskeletalModel
            Otherwise the same.
        """
        K = len(self.names)
        shifts = pi[K:].reshape(K, 3)
        bodies = []
        for body in self.model.bodies:
            kind, side = segment_kind(body.name)
            k = self._number.get(kind)
            if k is None:
                bodies.append(body)
                continue
            factor = float(np.exp(pi[k]))
            shift = shifts[k] * (1.0, 1.0, -1.0 if side == "l" else 1.0)
            bodies.append(ModelBody(body.name, body.mass_kg * factor, body.com_m + shift, body.inertia_kgm2 * factor))
        return replace(self.model, bodies=tuple(bodies))


@dataclass(frozen=True, eq=False)
class RootState:
    """A model in motion, and what is left over at its root.

    Attributes
    ----------
    skeleton : Skeleton
        Of the model.
    q : FloatArray
        (N, nq), all coordinates, rad or m.
    motion : SkeletonMotion
        Of its frames.
    loads : tuple[BodyLoad, ...]
        From outside.
    needed, left : FloatArray
        (N, 6), force, N, and moment, N m: what inertia and weight need, and what of it no load gives, about ``centre_m``.
    centre_m : FloatArray
        (N, 3), the whole centre of mass, axes of the surroundings.
    """

    skeleton: Skeleton
    q: FloatArray
    motion: SkeletonMotion
    loads: tuple[BodyLoad, ...]
    needed: FloatArray
    left: FloatArray
    centre_m: FloatArray


class RootWrench:
    """A model under loads from outside.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted to markers.
    time_s : FloatArray
        (N,), of the frames.
    still : FloatArray
        (nq,), coordinates of which those that are locked are taken, rad or m.
    outer : Sequence[OuterForce]
        What acts from outside, sampled over time.
    """

    def __init__(self, model: MusculoskeletalModel, time_s: FloatArray, still: FloatArray, outer: Sequence[OuterForce]) -> None:
        self.inertia = InertiaKinds(model)
        self.time_s, self.outer, self._still = time_s, tuple(outer), still
        self.tree = Tree(model, [c.name for c in model.coordinates if c.locked])

    def state(self, free: FloatArray, pi: FloatArray) -> RootState:
        """Put the model in motion.

        Parameters
        ----------
        free : FloatArray
            (3, N, F), free coordinates and their two derivatives in time.
        pi : FloatArray
            (4K,), changes of masses and mass centres.

        Returns
        -------
        RootState
            Of N frames.
        """
        model = self.inertia.changed(pi)
        skeleton = Skeleton(model)
        q, motion = self._moving(skeleton, free)
        pose = skeleton.pose_in(motion.places)
        loads = loads_in_pose(self.outer, pose, self.time_s)
        mass = np.array([body.mass_kg for body in model.bodies])
        centres = pose.points(range(1, len(mass) + 1), np.array([body.com_m for body in model.bodies]))
        centre = np.einsum("b,nbi->ni", mass, centres) / mass.sum()
        outside = sum((np.concatenate(load.at_origin(), axis=1) for load in loads), np.zeros((len(q), 6)))
        needed = _needed(skeleton, motion)
        return RootState(skeleton, q, motion, loads, _about(needed, centre), _about(needed - outside, centre), centre)

    def _moving(self, skeleton: Skeleton, free: FloatArray) -> tuple[FloatArray, SkeletonMotion]:
        q, rate, second, _ = self.tree.completed_motion(self._still, *free)
        places = skeleton.tree.places(q)
        return q, SkeletonMotion(places, skeleton.tree.rates(places, q, rate, second))

    def by_motion(self, state: RootState, free: FloatArray) -> FloatArray:
        """Derivatives of what is needed by the motion, by differences.

        Parameters
        ----------
        state : RootState
            As `state` returns it.
        free : FloatArray
            (3, N, F), the motion of that state.

        Returns
        -------
        FloatArray
            (3, N, 6, F), by free coordinates and by their two derivatives, about the centre of mass of the state.
        """
        _, N, F = free.shape
        out = np.empty((3, N, 6, F))
        steps = np.array([_STEP_Q, 1e-3, 1.0])
        centre = np.tile(state.centre_m, (3, 1))
        for f in range(F):
            moved = np.tile(free[:, None], (1, 3, 1, 1))
            moved[np.arange(3), np.arange(3), :, f] += steps[:, None]
            _, motion = self._moving(state.skeleton, moved.reshape(3, 3 * N, F))
            needed = _about(_needed(state.skeleton, motion), centre).reshape(3, N, 6)
            out[..., f] = (needed - state.needed) / steps[:, None, None]
        return out

    def by_inertia(self, state: RootState, pi: FloatArray) -> FloatArray:
        """Derivatives of what is needed by masses and mass centres, by differences.

        Parameters
        ----------
        state : RootState
            As `state` returns it.
        pi : FloatArray
            (4K,), changes of masses and mass centres in that state.

        Returns
        -------
        FloatArray
            (N, 6, 4K), about the centre of mass of the state.
        """
        columns = []
        for step in _STEP_PI * np.eye(len(pi)):
            needed = _needed(Skeleton(self.inertia.changed(pi + step)), state.motion)
            columns.append((_about(needed, state.centre_m) - state.needed) / _STEP_PI)
        return np.stack(columns, axis=-1)


def _needed(skeleton: Skeleton, motion: SkeletonMotion) -> FloatArray:
    force, moment = required_wrenches(skeleton, motion, ())
    return np.concatenate([force.sum(axis=0), moment.sum(axis=0)]).T


def _about(wrench: FloatArray, centre_m: FloatArray) -> FloatArray:
    """Wrenches (N, 6) about the origin, about other points."""
    force = wrench[:, :3]
    return np.concatenate([force, wrench[:, 3:] - cross(centre_m, force)], axis=1)
