"""One stride of OpenSim's walking example, tracked, solved, and simulated forward with its ground forces replayed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biomech_id.osim.document.model import read_osim
from biomech_id.osim.dynamics.external_loads import loads_in_pose
from biomech_id.osim.dynamics.forward_replay import replay_forward
from biomech_id.osim.dynamics.recorded_motion import recorded_motion
from biomech_id.osim.run import outer_forces
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage


def test_a_stride_reproduces_itself(shared_dir: Path) -> None:
    """Within 1 degree over 1.2 s; what holds it is below 2 percent of the forces of the motion."""
    folder = shared_dir / "opensim_refs" / "gait2392"
    skeleton = Skeleton(read_osim(folder / "scaled.osim", muscles=False))
    table = read_storage(folder / "ik_1e-9.mot")
    columns = {name: table.values[:, table.columns.index(name)] for name in skeleton.coordinates}
    motion = recorded_motion(skeleton.model, table.time_s, columns, in_degrees=True, cutoff_hz=6.0, time_range_s=(0.6, 1.8))
    loads = loads_in_pose(outer_forces(folder / "external_loads.xml"), skeleton.pose(motion.q), motion.time_s)
    replay = replay_forward(skeleton, motion, loads)
    turning = np.array([c.motion == "rotational" for c in skeleton.model.coordinates])
    assert np.degrees(replay.largest_difference[turning].max()) < 1.0
    assert replay.largest_difference[~turning].max() < 0.01
    assert np.sqrt((replay.holding_force**2).mean(axis=0)).max() < 0.02 * np.sqrt((replay.force**2).mean(axis=0)).max()
