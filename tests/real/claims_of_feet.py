"""What is said of the Oxford foot, checked from the points and numbers as stored (see `claims.py`)."""

from __future__ import annotations

import numpy as np
from claims import Said, claim, instead, plus
from claims_of_sessions import session_recordings
from raw_c3d import Raw, raw

GROUPS = (("ANK", "HFB", "TUB", "SHN"), ("HEE", "LCA", "STL", "CPG"), ("P1M", "D5M", "TOE", "P5M"))
#: Axis of the hindfoot that points along the sole in a file of the vendor's plug-in; level to this, sine of the angle.
SOLE, LEVEL = 3, 1e-3


def processed_statics(said: Said) -> list[Raw]:
    """Static recordings in which the plug-in stored the hindfoot's axes: the session's own, or one kept beside it."""
    folders = {path.parent for path in session_recordings(said)}
    kept = [path for folder in folders for path in folder.parent.glob(f"reference/{folder.name}_static*.c3d")]
    files = [raw(path) for path in (*session_recordings(said), *kept)]
    return [file for file in files if {"LPCA", "LHDF0", "RPCA", "RHDF0"} <= set(file.labels)]


@claim("oxford-foot", feet=instead("L"), flat=lambda flat: not flat, how=instead("chosen"), passes=plus(1))
def foot_as_processed(said: Said) -> bool:
    """Sides whose metatarsals are marked; whether the plug-in's own sole is level in the static trial; the settings in force."""
    marked = {side for path in session_recordings(said) for side in "LR" if {f"{side}P1M", f"{side}D5M"} <= set(raw(path).labels)}
    along = [
        np.nanmean(file.path_of(f"{side}HDF{SOLE}") - file.path_of(f"{side}HDF0"), axis=0)
        for file in processed_statics(said)
        for side in "LR"
    ]
    level = bool(along) and all(abs(axis[2]) < LEVEL * np.linalg.norm(axis) for axis in along)
    record = said.session.tables.calibration["foot_models"]["oxford"]
    known = {side["flat_known"] for side in record["sides"].values()}
    return (set(said["feet"]), said["flat"], {said["how"]}, said["passes"]) == (marked, level, known, record["heel_passes"])


@claim("oxford-foot-marker-moved", marker=instead("LTOE"), off_mm=plus(8.0), limit_mm=plus(10.0))
def spread_among_neighbours(said: Said) -> bool:
    """Root mean square distance of the marker from its mean place in axes of the other three of its group, to 30 %."""
    side, name = said["marker"][0], said["marker"][1:]
    (group,) = (group for group in GROUPS if name in group)
    first, second, third = (said.raw.path_of(side + each) for each in group if each != name)
    along = second - first
    across = np.cross(along, third - first)
    axes = np.stack([along, across, np.cross(across, along)], axis=1)
    axes /= np.linalg.norm(axes, axis=2, keepdims=True)
    local = np.einsum("nij,nj->ni", axes, said.raw.path_of(said["marker"]) - (first + second + third) / 3)
    off = local - np.nanmean(local, axis=0)
    spread_mm = float(np.sqrt(np.nanmean((off**2).sum(axis=1))))
    return said.raw.path.stem == said["trial"] and abs(spread_mm / said["off_mm"] - 1.0) < 0.3 and said["off_mm"] > said["limit_mm"]


@claim("oxford-foot-static-differs", side=instead("L"), apart_mm=plus(20.0), point=instead("PCA"))
def medial_ankle_elsewhere(said: Said) -> bool:
    """The medial ankle marker in axes of fibula head, shin and ankle of the static trial, less what the walks store; to 10 mm."""
    side, label = said["side"], {"MMA": "MMA"}[said["point"]]
    files = {path.stem: raw(path) for path in session_recordings(said)}
    static = files.pop(said["static"])
    ankle, fibula, shin, point = (static.path_of(side + each) for each in ("ANK", "HFB", "SHN", label))
    x = fibula - ankle
    z = np.cross(x, shin - 0.5 * (ankle + fibula))
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    axes /= np.linalg.norm(axes, axis=2, keepdims=True)
    shown_mm = np.nanmean(np.einsum("nij,nj->ni", axes, point - ankle), axis=0)
    apart = []
    for walk in files.values():
        stored_mm = [walk.number(f"PROCESSING:%{side}{said['point'].upper()}{axis}") for axis in "XYZ"]
        apart += [float(np.linalg.norm(shown_mm - stored_mm))] if None not in stored_mm else []
    return bool(apart) and all(abs(each - said["apart_mm"]) < 10.0 for each in apart)
