"""The 12x12 and 18x18 systems of a walk, yours or the virtual subject's (python block_system.py FIGURE [STATIC.c3d WALK.c3d])."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import biomech_id as bid
from biomech_id.dynamics.block_system import block_system
from biomech_id.sample import virtual_subject, write_c3d

ROWS = [f"{what} {joint}" for joint in ("ankle", "knee", "hip") for what in ("F", "M")]


def walk() -> list[Path]:
    """A static trial and a walk of the virtual subject."""
    folder, person = Path(tempfile.mkdtemp()), virtual_subject()
    return [write_c3d(person.static("static"), folder / "static.c3d"), write_c3d(person.walk("walk01"), folder / "walk01.c3d")]


def stance_of(static: Path, walking: Path) -> tuple[bid.Trial, Any, Any]:
    """A tracked walk and its first stance with a good plate."""
    model = bid.conventional_model(bid.read_c3d(static))
    trial = bid.prepare(bid.read_c3d(walking), model).trial
    movement = bid.assign_plates(model.track(trial))
    return trial, movement, next(s for s in movement.assignment.stances if s.verdict.accepted)


def letters(static: Path, walking: Path) -> str:
    """M a = C + G + F x + E of foot and shank when 85 % of a stance is over: 12 rows, N and N m."""
    trial, movement, stance = stance_of(static, walking)
    whole = bid.solve(movement, method="block").chain_loads
    frame = trial.index_of(0.15 * stance.start_s + 0.85 * stance.end_s)
    system = block_system(whole.chain, whole.external, frames=slice(frame, frame + 1))
    parts = [system.M[0] @ system.a[0], system.C[0], system.G[0], system.F[0] @ system.x[0], system.E[0]]
    first = 6 * whole.chain.index(f"{stance.side} foot")
    heads = "".join(f"{head:>9}" for head in ("M a =", "C +", "G +", "F x +", "E"))
    rows = [(system.rows[k], "".join(f"{round(part[k], 2) + 0.0:9.2f}" for part in parts)) for k in range(first, first + 12)]
    return "\n".join([f"{'':16}{heads}", *(f"{name:16}{values}" for name, values in rows)])


def draw(static: Path, walking: Path) -> Figure:
    """Both matrices in the middle of a stance, and the knee moment of both ways."""
    trial, movement, stance = stance_of(static, walking)
    by_block, by_recursion = (bid.solve(movement, method=method) for method in ("block", "recursive"))

    whole = by_block.chain_loads  # both legs, distal to proximal: 36 unknowns, 18 of each leg
    system = block_system(whole.chain, whole.external)
    leg = 6 * whole.chain.index(f"{stance.side} foot")
    frame = trial.index_of((stance.start_s + stance.end_s) / 2)

    page, panels = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    for axes, size, name in zip(panels, (12, 18), ("foot, shank", "foot, shank, thigh"), strict=False):
        A = system.A[frame, leg : leg + size, leg : leg + size]
        axes.imshow(np.where(A == 0, np.nan, A), cmap="coolwarm", vmin=-1, vmax=1)
        axes.set(title=f"{name}: {size}x{size}, det = {np.linalg.det(A):.3f}", xticks=np.arange(1, size, 3))
        axes.set_xticklabels(ROWS[: size // 3], rotation=90)
        axes.set_yticks(np.arange(1, size, 3), ROWS[: size // 3])
    frames = slice(trial.index_of(stance.start_s), trial.index_of(stance.end_s))
    for loads, style, name in ((by_block, "-", "18x18 system"), (by_recursion, "k:", "summed from the tip")):
        moment = loads[stance.side, "knee"].expressed_in("shank").moment_Nm[frames]
        panels[2].plot(movement.time_s[frames], moment, style, label=[f"{name}, {axis}" for axis in "xyz"])
    panels[2].set(title=f"{stance.side} knee, a stance of {trial.name}", xlabel="time (s)", ylabel="moment, shank axes (N m)")
    panels[2].legend(fontsize="x-small")
    return page


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[2:4]] or walk()
    print(letters(*files))
    draw(*files).savefig(sys.argv[1], dpi=110)
