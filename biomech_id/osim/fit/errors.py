"""What a fitted model is not sure of, as errors of the poses that ``run`` finds with it.

The fit knows the bodies' factors (their logarithms z) and the markers' places d only up to a covariance L L'. By the columns of L
the model's markers lie elsewhere, inverse kinematics follows, bodies turn and joint centres move, to first order ::

    dy = J_z z + J_d d        dq = -H^-1 J' W dy        turn = T dq        shift of a joint centre = J dq + G z

Centres of mass keep their places from the joint above; how far they are off in it is of the source "inertia".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomech_id.anatomy import LEG_SEGMENTS, PELVIS
from biomech_id.dynamics.model_errors import CARRIERS, LegResponse
from biomech_id.models.marker_response import LOOKS_HZ
from biomech_id.osim.fit.places import SizedModel, Sizes
from biomech_id.osim.kinematics.inverse_kinematics import points_jacobian, pulled, track_markers
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, SkeletalModel, joint_body
from biomech_id.trial import Trial


def with_fit_errors(model: SkeletalModel, trial: Trial, side: str, response: LegResponse) -> LegResponse:
    """Add what the fit of a model is not sure of to what markers do to a leg and the pelvis.

    Parameters
    ----------
    model : SkeletalModel
        The model that tracked the walk, with its ``fit_root`` of P errors.
    trial : Trial
        The walk as analysed, under the model's labels.
    side : str
        "L" or "R".
    response : LegResponse
        What markers that are off do to that leg.

    Returns
    -------
    LegResponse
        With P rows behind those of ``moved``, rad or m by one standard deviation each.
    """
    osim, bodies, root = model.osim, model.calibration.bodies, model.fit_root
    assert root is not None
    position = trial.markers.position_m[response.frames] @ R_LAB_SURROUNDINGS
    pose = track_markers(osim, trial.markers.names, position, model.tasks, rate_hz=LOOKS_HZ)
    tree, wanted = pose.problem
    posture, sized = tree.posture(pose.q), SizedModel(osim)
    shape = (len(position), len(osim.markers))
    same = Sizes(np.zeros((len(osim.bodies), 3)), np.zeros((shape[1], 3)), np.zeros((shape[1], 2, 3)))
    _, by_q, by_z, own_parts = sized.places(sized.tree, same, pose.q, np.zeros((*shape, 2)))
    weight = np.zeros(shape)
    weight[:, [marker.name in pose.markers for marker in osim.markers]] = wanted.weight
    K3 = same.z.size
    by_root = by_z @ root[:K3] + own_parts[..., :3] @ root[K3:].reshape(shape[1], 3, -1)
    pull = np.einsum("nmif,nm,nmip->nfp", by_q, weight, by_root)
    dq = -pulled(pose, pull)
    parts = [(side, segment) for segment in LEG_SEGMENTS]
    own = [tree.skeleton.body_index(bodies[part][0]) for part in (*parts, PELVIS)]
    joints = np.array([joint_body(tree, bodies[part], part[1]) for part in parts])
    com = np.array([model.calibration.segments[part].com_m for part in parts])
    origins = sized.origins_by_z(posture, pose.q, same.z)[:, joints] @ root[:K3]
    shift = points_jacobian(tree, posture, joints, posture.place[:, joints, :3, 3:][..., 0]) @ dq[:, None] + origins
    turn = np.einsum("sb,nsi,ns,nsp->nbip", tree.beyond[:, own], posture.turn, posture.slope, tree.by_coordinate @ dq)
    arm = posture.place[:, own[:3], :3, :3] @ com[..., None]
    R = posture.place[:, np.take(own, CARRIERS), :3, :3]
    moved = np.concatenate([turn, shift, shift + np.cross(turn[:, :3], arm, axis=2)], axis=1)
    effects = np.moveaxis(R.swapaxes(2, 3) @ moved, 3, 0)
    return replace(
        response,
        walking=np.concatenate([response.walking, effects]),
        carried=np.concatenate([response.carried, 0.0 * effects[:, 0]]),
    )
