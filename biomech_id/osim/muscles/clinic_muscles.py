"""The muscles that a gait clinic asks about, in whatever model: how long they are, how fast they lengthen, how sure that is.

Their names differ from model to model and are known here. A model with one muscle for all hamstrings, or for both heads of the
gastrocnemius, has it under the medial one. The band of a length is what soft tissue below the markers makes of it through the pose:
with C the covariance of the coordinates and r the moment arms, the variance is r C r^T. Errors of the bones' sizes are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import CLINIC_MUSCLES, SIDES
from biomech_id.dynamics.muscle_motion import MuscleMotion
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose, tissue_sizes_m
from biomech_id.osim.muscles.muscle_paths import MusclePaths
from biomech_id.signal.derivatives import quintic_derivatives

#: What models call them, without the side; the first that a model has is taken.
MODEL_NAMES: Mapping[str, tuple[str, ...]] = {
    "psoas": ("psoas", "iliopsoas", "psoas_major"),
    "medial_hamstrings": ("semimem", "semimembranosus", "semiten", "semitendinosus", "hamstrings"),
    "lateral_hamstrings": ("bifemlh", "bflh", "biceps_femoris_lh", "biceps_femoris_long_head"),
    "rectus_femoris": ("rect_fem", "recfem", "rectus_fem", "rectus_femoris"),
    "medial_gastrocnemius": ("med_gas", "gasmed", "gastrocnemius_medialis", "gastroc", "gastrocnemius"),
    "lateral_gastrocnemius": ("lat_gas", "gaslat", "gastrocnemius_lateralis"),
    "soleus": ("soleus", "sol"),
}
_ENDINGS = {"L": ("_l", "_left"), "R": ("_r", "_right")}
#: An angle whose moment arm never gets beyond this turns nothing, m.
LEAST_ARM_M = 1e-4


def clinic_muscles(model: MusculoskeletalModel) -> dict[tuple[str, str], str]:
    """Find the muscles that a gait clinic asks about among a model's.

    Parameters
    ----------
    model : MusculoskeletalModel
        Any model with muscles' paths.

    Returns
    -------
    dict[tuple[str, str], str]
        (side, the clinic's word) -> the model's name; muscles that it does not have are left out.

    Examples
    --------
    >>> from biomech_id.osim.muscles.clinic_muscles import clinic_muscles
    >>> from biomech_id.multibody.musculoskeletal import MuscleModel, MusculoskeletalModel
    >>> muscles = tuple(MuscleModel(name, ()) for name in ("semiten_r", "semimem_r", "tib_ant_r", "soleus_l"))
    >>> clinic_muscles(MusculoskeletalModel("m", (), (), (), muscles=muscles))
    {('L', 'soleus'): 'soleus_l', ('R', 'medial_hamstrings'): 'semimem_r'}
    """
    known = {muscle.name.lower(): muscle.name for muscle in model.muscles}
    names = {}
    for side in SIDES:
        for word in CLINIC_MUSCLES:
            named = (known.get(name + ending) for name in MODEL_NAMES[word] for ending in _ENDINGS[side])
            name = next((each for each in named if each is not None), None)
            if name is not None:
                names[side, word] = name
    return names


class ClinicPaths:
    """The clinic's muscles of a model, ready to be measured in poses.

    Parameters
    ----------
    model : MusculoskeletalModel
        The scaled model, with its markers and muscles.
    """

    def __init__(self, model: MusculoskeletalModel) -> None:
        named = clinic_muscles(model)
        left_out = MusclePaths(model).left_out if named else {}
        self.names = {key: name for key, name in named.items() if name not in left_out}
        self.paths = MusclePaths(model, list(self.names.values()))
        self._sizes_m = tissue_sizes_m(model)

    def standing_m(self, pose: TrackedPose | None) -> FloatArray:
        """Mean lengths over a static pose.

        Parameters
        ----------
        pose : TrackedPose | None
            Of the static trial.

        Returns
        -------
        FloatArray
            (K,), m; those of the default pose without a static one.
        """
        q = self.paths.tree.skeleton.default_q()[None] if pose is None else pose.q[np.isfinite(pose.q).all(axis=1)]
        return np.asarray(self.paths.lengths(q).mean(axis=0))

    def measured(self, pose: TrackedPose, static: TrackedPose | None, rate_hz: float) -> MuscleMotion | None:
        """Measure how the clinic's muscles move in a trial.

        Parameters
        ----------
        pose : TrackedPose
            The model's coordinates in the trial.
        static : TrackedPose | None
            Of the static trial; None where there is none.
        rate_hz : float
            Frames per second of the trial.

        Returns
        -------
        MuscleMotion | None
            Lengths and their bands, m, velocities, m/s, and moment arms, m, NaN in frames without a pose; None for a model without
            any of these muscles.
        """
        if not self.names:
            return None
        seen = np.isfinite(pose.q).all(axis=1)
        tree, n, model = self.paths.tree, len(pose.q), self.paths.model
        # Moment arms of the free coordinates, (N, K, F).
        length, arms = self.paths.lengths(pose.q[seen]), self.paths.moment_arms(pose.q[seen])[:, :, tree.free]
        (rates,) = quintic_derivatives(pose.q, rate_hz, (1,))
        velocity = -(arms @ rates[seen][:, tree.free, None])[..., 0]
        variance = np.einsum("nkf,nfg,nkg->nk", arms, self._covariance(pose)[seen], arms)
        turning = [model.coordinates[k].motion == "rotational" for k in tree.free]
        turns = np.flatnonzero(np.array(turning) & (np.abs(arms).max(axis=(0, 1), initial=0.0) > LEAST_ARM_M))

        def everywhere(values: FloatArray) -> FloatArray:
            filled = np.full((n, *values.shape[1:]), np.nan)
            filled[seen] = values
            return filled

        return MuscleMotion(
            tuple(self.names), tuple(self.names.values()), everywhere(length), everywhere(velocity), everywhere(np.sqrt(variance)),
            self.standing_m(static), "default" if static is None else "static",
            tuple(model.coordinates[tree.free[f]].name for f in turns), everywhere(arms[:, :, turns]),
        )  # fmt: skip

    def _covariance(self, pose: TrackedPose) -> FloatArray:
        """Covariance (N, F, F) of the free coordinates; what no marker shows, or the model locks, is no part of the band."""
        known, free = pose.covariance(self._sizes_m), self.paths.tree.free
        names = [self.paths.model.coordinates[k].name for k in free]
        tracked = [names.index(name) for name in known.coordinates]
        whole = np.zeros((len(pose.q), len(free), len(free)))
        whole[:, np.array(tracked)[:, None], tracked] = np.where(np.isfinite(known.covariance), known.covariance, 0.0)
        return whole
