"""One trial from Python: from two C3D files to the largest sagittal joint moments of every stance.

    python pipelines/one_trial.py static.c3d walk.c3d

Copy it and go on from here: every array below is in SI units, frames first, and named with its unit.
"""

import sys

import numpy as np

import biomech_id as bid


def main(static_file: str, walk_file: str) -> int:
    """Print one line per stance: side, times, the plate's verdict, and each joint's largest moment about the y axis (left)."""
    model = bid.conventional_model(bid.read_c3d(static_file))
    trial = bid.prepare(bid.read_c3d(walk_file), model).trial
    walk = bid.assign_plates(model.track(trial))
    loads = bid.solve(walk)
    mass_kg = model.subject.mass_kg

    print(f"{trial.name}: {trial.n_frames} frames, body mass {mass_kg:.1f} kg")
    for stance in walk.assignment.stances:
        told = f"{stance.side} {stance.start_s:.2f}-{stance.end_s:.2f} s: {stance.verdict}"
        if stance.verdict.accepted:
            frames = slice(trial.index_of(stance.start_s), trial.index_of(stance.end_s))
            for joint, segment in (("ankle", "shank"), ("knee", "shank"), ("hip", "thigh")):
                moment_Nm = loads[stance.side, joint].expressed_in(segment).moment_Nm[frames]
                peak = moment_Nm[np.nanargmax(np.abs(moment_Nm[:, 1])), 1]
                told += f", {joint} {peak / mass_kg:+.2f} N m/kg"
        print(told)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python one_trial.py STATIC.c3d WALK.c3d")
    try:
        sys.exit(main(*sys.argv[1:]))
    except bid.BiomechError as error:
        sys.exit(f"one_trial.py: {error.message}")
