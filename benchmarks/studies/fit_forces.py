"""Study: plates that stand off, and windows cut inside a contact, seen by the fit with forces.

Two recorded walks, their models scaled and followed by OpenSim's way. The point of the right foot's load is moved sideways and
forwards; what the fit says of it, and how much the motion is changed, stands beside the load in its place. Then windows of the walk
at 60 Hz that begin and end inside a contact. The table lies beside this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from biomech_id import __version__
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.fit.forces import SLIDE_SD_M, TURN_SD, ForceFit, LeftOver, carried_motion, fit_forces
from biomech_id.osim.fit.person import FittedMotion
from biomech_id.osim.run import coordinates_in, outer_forces
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage

TABLE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).resolve().parents[2]
WALKS = ("rajagopal_walk", "gait2392")
MOVED_MM = (-30, -20, -10, 10, 20, 30)
#: Frames of the second walk, from and to.
CUTS = ((10, 60), (20, 90), (33, 100), (45, 95))
#: Largest share by which a plate that stands off may change the motion more.
MOST_CHANGE = 1.2


def recorded(folder: Path) -> tuple[MusculoskeletalModel, FittedMotion, tuple[OuterForce, ...]]:
    """A scaled model, its motion as OpenSim's inverse kinematics has it, and the loads."""
    model = replace(read_osim(folder / "scaled.osim", muscles=False), wrap_objects=())
    table = read_storage(folder / "ik_1e-9.mot")
    columns = coordinates_in(table, model)
    turning = [c.motion == "rotational" for c in model.coordinates]
    units = np.where(turning, np.deg2rad(1.0), 1.0)
    still = [np.full(len(table.time_s), c.default) for c in model.coordinates]
    q = np.stack([columns.get(c.name, path) for c, path in zip(model.coordinates, still, strict=True)], axis=1) * units
    q = Skeleton(model).completed(q)
    sd = np.broadcast_to(np.where(turning, TURN_SD, SLIDE_SD_M), q.shape)
    none = np.zeros((len(q), 0))
    return model, FittedMotion(folder.name, table.time_s, q, sd, none[..., None], none), outer_forces(folder / "external_loads.xml")


def solved(model: MusculoskeletalModel, motion: FittedMotion, outer: Sequence[OuterForce]) -> ForceFit:
    """Fit masses, centres and motion where the loads carry the person."""
    carried = carried_motion(model, motion, outer)
    assert carried is not None
    return fit_forces(model, motion, carried, outer)


def moved(outer: Sequence[OuterForce], axis: int, mm: float) -> tuple[OuterForce, ...]:
    """The loads with the first one's point moved."""
    first = outer[0]
    assert first.point_m is not None
    return (replace(first, point_m=first.point_m + 1e-3 * mm * np.eye(3)[axis]), *outer[1:])


def change_deg(fit: ForceFit) -> float:
    """Root mean square of the correction of all angles, degrees."""
    turning = [c.motion == "rotational" for c in fit.model.coordinates]
    return float(np.rad2deg(np.sqrt(np.mean(fit.change_rms[turning] ** 2))))


def left(one: LeftOver) -> str:
    """Peak force and peak moment, in percent."""
    return f"{100 * one.peak_force_share:.1f}, {100 * one.peak_moment_share:.2f}"


def main(words: Sequence[str] = ()) -> int:
    """Solve all, write the table, and say whether the gates are met."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    folder = shared / "opensim_refs"
    if not folder.is_dir():
        print(f"no recordings in {shared}; the table stays as it is")
        return 0
    lines = [
        f"biomech_id {__version__}; left over: peak force and moment, % of the largest outer force (times the height of the "
        "centre of mass), recomputed, ends included. Estimates: along the axis of the shift, of the right foot's contacts.",
        "",
        "| walk | load moved, mm | left over before | after | after, were contacts moved "
        "| angles changed, deg | estimates (SD), mm |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    missed = []
    for name in WALKS:
        model, motion, outer = recorded(folder / name)
        base = solved(model, motion, outer)
        for axis, word in ((0, "forwards"), (2, "sideways")):
            rows = [(0, base), *((mm, solved(model, motion, moved(outer, axis, mm))) for mm in MOVED_MM)]
            for mm, fit in rows:
                own = [k for k, c in enumerate(fit.contacts) if c.body == outer[0].segment]
                place = axis // 2
                pairs = [(fit.contacts[k].offset_m[place], fit.contacts[k].sd_m[place]) for k in own]
                text = "; ".join(f"{1e3 * d:+.0f} ({1e3 * sd:.0f})" for d, sd in pairs)
                lines.append(
                    f"| {name} | {mm:+d} {word} | {left(fit.before)} | {left(fit.after)} | {left(fit.if_moved)} | "
                    f"{change_deg(fit):.2f} | {text} |"
                )  # fmt: skip
                shift = [1e3 * (d - base.contacts[k].offset_m[place]) for k, (d, _) in zip(own, pairs, strict=True)]
                off = any(abs(each + mm) > 2e3 * sd for each, (_, sd) in zip(shift, pairs, strict=True))
                missed += [f"{name} {mm} {word}"] if off or change_deg(fit) > MOST_CHANGE * change_deg(base) else []
    lines += [
        "",
        "| frames at 60 Hz | left over before | after | after, were contacts moved | contacts off |",
        "|---|---|---|---|---|",
    ]
    model, motion, outer = recorded(folder / "gait2392")
    for first, last in CUTS:
        part = replace(motion, time_s=motion.time_s[first:last], q=motion.q[first:last], sd=motion.sd[first:last])
        fit = solved(model, part, outer)
        off = sum(contact.stands_off for contact in fit.contacts)
        lines.append(f"| {first} to {last} | {left(fit.before)} | {left(fit.after)} | {left(fit.if_moved)} | {off} |")
        missed += [f"cut {first}"] if fit.if_moved.peak_force_share > 0.05 or fit.if_moved.peak_moment_share > 0.01 else []
    text = "\n".join([*lines, ""])
    TABLE.write_text(text, encoding="utf-8", newline="\n")
    print(text)
    print("beyond its gates:", ", ".join(missed) or "nothing")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
