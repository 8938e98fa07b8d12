"""Figures of the source documents' pages, drawn again from values of the library: ``python -m docs.documents.figures``.

Sketches are made here; what is computed is drawn by the recipes of ``pipelines/mechanics``, which the pages show whole.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, FancyArrowPatch

from biomech_id.multibody.examples.exoskeleton import ARM_TABLE, arm_exoskeleton
from biomech_id.multibody.kinematics import Kinematics
from biomech_id.multibody.reduction import configuration
from biomech_id.multibody.system import System

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "pipelines" / "mechanics"
#: Recipes whose pictures stand on the pages; those that can, make a film as well.
DRAWN = ("n_link_limb", "double_pendulum", "arm_reaching", "n_pendulum", "block_system", "exoskeleton_leg", "exoskeleton_cuffs")
#: Free coordinates of the pose that is drawn: rho1, rho2 (abduction), rho4, rho5, rho7.
POSE = (0.0, 0.0, 0.35, 0.6, 0.1)
#: Lines of the exoskeleton: body, and the points of it that are joined (another body's origin, or a place in its own frame).
LINES: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("yoke2", ("yoke2", "crank9")),
    ("upper3", ("upper3", "lever10", "carrier4")),
    ("carrier4", ("carrier4", "gear12")),
    ("carrier5", ("carrier5", "forearm6")),
    ("forearm6", ("forearm6", "tool7")),
    ("crank9", ("crank9", (0.09, 0.0, 0.0))),
    ("lever10", ("rod11", "lever10", (0.06 * np.cos(-2.2), 0.06 * np.sin(-2.2), 0.0))),
    ("rod11", ("rod11", (0.29, 0.0, 0.0))),
    ("gear12", ((0.06 * np.cos(0.9), 0.06 * np.sin(0.9), 0.0), "gear12", "cylinder14")),
    ("rod15", ("cylinder14", "rod15")),
)


def posed(abduction_rad: float) -> tuple[System, Kinematics]:
    """The exoskeleton of the second document in `POSE`, abducted."""
    arm = arm_exoskeleton((0.0, -9.81, 0.0))
    q = configuration(arm, np.array([[POSE[0], abduction_rad, *POSE[2:]]]))
    return arm, arm.kinematics(q, np.zeros((1, len(arm.speeds))))


def lines(arm: System, moving: Kinematics) -> dict[str, np.ndarray]:
    """Body -> corners (k, 3) of its line, base axes, m."""

    def corner(body: str, place: object) -> np.ndarray:
        of, at = (place, (0.0, 0.0, 0.0)) if isinstance(place, str) else (body, place)
        return moving.point(arm.index(of), at)[0][0]

    return {body: np.array([corner(body, place) for place in places]) for body, places in LINES}


def in_upper_arm(arm: System, moving: Kinematics, points: np.ndarray) -> np.ndarray:
    """Points (k, 3) of the base in the upper arm's plane (k, 2)."""
    k = arm.index("upper3")
    return ((points - moving.origin_m[0, k]) @ moving.R_lab_body[0, k])[:, :2]


def exoskeleton() -> Figure:
    """The whole mechanism hanging and abducted by 90 degrees, and its plane with body numbers, gears and spring."""
    page = plt.figure(figsize=(17, 4.6), layout="constrained")
    for k, degrees in enumerate((0, 90)):
        axes = page.add_subplot(1, 4, k + 1, projection="3d")
        for body, points in lines(*posed(np.radians(degrees))).items():
            axes.plot(points[:, 2], points[:, 0], points[:, 1], "o-", markersize=3, label=body)
        axes.set(title=f"abducted by {degrees} degrees", xlabel="right (m)", ylabel="forward (m)", zlabel="up (m)")
        axes.set(xlim=(-0.1, 0.5), ylim=(-0.05, 0.55), zlim=(-0.5, 0.1))
        axes.view_init(elev=20, azim=-60)
    arm, moving = posed(0.0)
    for k, title in ((3, "plane of the upper arm, body numbers"), (4, "its elbow; pitch circles dotted")):
        flat = page.add_subplot(1, 4, k)
        _plane(flat, arm, moving)
        flat.set(title=title, xlabel="x of body 3 (m)", ylabel="y of body 3 (m)", aspect="equal")
    flat.set(xlim=(0.26, 0.45), ylim=(-0.05, 0.14))
    return page


def _plane(flat: Axes, arm: System, moving: Kinematics) -> None:
    """Lines of all bodies in the upper arm's plane, their numbers, and the gears."""
    for body, points in lines(arm, moving).items():
        x, y = in_upper_arm(arm, moving, points).T
        flat.plot(x, y, marker="o", markersize=3, ls="--" if body == "rod15" else "-", label=body)
        flat.annotate(number(body), (x[:2].mean(), y[:2].mean()), fontweight="bold", annotation_clip=True)
    for body, radius in (("carrier4", 0.03), ("gear12", 0.02), ("forearm6", 0.03)):
        centre = in_upper_arm(arm, moving, moving.origin_m[0, [arm.index(body)]])[0]
        flat.add_patch(Circle(tuple(centre), radius, fill=False, ls=":"))


def number(body: str) -> str:
    """The number in a body's name."""
    return body.lstrip("abcdefghijklmnopqrstuvwxyz")


def crank_levers() -> Figure:
    """Circles C1 and C2 of the lower, C3 and C4 of the upper crank-lever, with both points in which they meet."""
    arm, moving = posed(0.0)
    seen = {body: in_upper_arm(arm, moving, points) for body, points in lines(arm, moving).items()}
    (D, O10, E), C, F = seen["lever10"], seen["rod11"][1], seen["crank9"][1]
    O3, O9 = seen["upper3"][0], seen["crank9"][0]
    page, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for axes, name, first, second, meet, label in (
        (panels[0], "lower crank-lever: C1 about O10, C2 about C", O10, C, D, "D"),
        (panels[1], "upper crank-lever: C3 about O3, C4 about O9", O3, O9, F, "F"),
    ):
        for centre, style in ((first, "C0"), (second, "C1")):
            axes.add_patch(Circle(tuple(centre), float(np.linalg.norm(meet - centre)), fill=False, color=style))
        along = (second - first) / np.linalg.norm(second - first)
        other = first + 2 * ((meet - first) @ along) * along - (meet - first)
        for point, text in ((meet, label), (other, f"{label}'"), (first, ""), (second, "")):
            axes.plot(*point, "ko", fillstyle="none" if text.endswith("'") else "full")
            axes.annotate(text, point, xytext=(5, 5), textcoords="offset points", fontsize="large")
        axes.set(title=name, xlabel="x of body 3 (m)", ylabel="y of body 3 (m)", aspect="equal")
        axes.autoscale_view()
    for body, axes in (("lever10", panels[0]), ("rod11", panels[0]), ("lever10", panels[1]), ("crank9", panels[1])):
        axes.plot(*seen[body].T, "0.5", lw=3, zorder=0)
    panels[1].annotate("E = F", E, xytext=(5, -14), textcoords="offset points")
    return page


def pendulum_sketch(angles_rad: tuple[float, ...] = (0.5, 0.9, 0.3)) -> Figure:
    """Three links of an N-pendulum; angles from the vertical, a_x down."""
    x, y = (np.cumsum([0.0, *f(np.array(angles_rad))]) for f in (np.sin, lambda q: -np.cos(q)))
    page, axes = plt.subplots(figsize=(4.4, 4.4), layout="constrained")
    axes.plot(x, y, "ko-", lw=2)
    for i, q in enumerate(angles_rad):
        axes.plot([x[i], x[i]], [y[i], y[i] - 0.8], "0.6", ls="--")
        axes.add_patch(Arc((x[i], y[i]), 1.0, 1.0, theta1=-90, theta2=-90 + np.degrees(q)))
        axes.text(x[i] + 0.56 * np.sin(q / 2), y[i] - 0.56 * np.cos(q / 2), f"q_{i}")
        axes.text(x[i + 1] + 0.06, y[i + 1], f"P_{i}, m_{i}")
    for tip, text in (((-0.5, -0.5), "a_x"), ((-0.1, 0.0), "a_y")):
        axes.annotate("", tip, (-0.5, 0.0), arrowprops={"arrowstyle": "->"})
        axes.annotate(text, tip, xytext=(-4, -12), textcoords="offset points")
    axes.set(aspect="equal", xlim=(-0.7, 2.2))
    axes.axis("off")
    return page


def segment_of_a_chain() -> Figure:
    """The i-th of n segments, free: wrenches of both neighbours and its weight."""
    page, axes = plt.subplots(figsize=(4.6, 4.6), layout="constrained")
    distal, com, proximal = np.array([0.0, 0.0]), np.array([0.35, 0.55]), np.array([0.6, 1.0])
    axes.plot(*np.array([distal, proximal]).T, "0.7", lw=16, solid_capstyle="round")
    _wrench(axes, proximal, (0.35, 0.35), "F_i", "M_i")
    _wrench(axes, distal, (-0.35, -0.3), "-F_(i-1)", "-M_(i-1)")
    axes.plot(*com, "k+", markersize=12)
    axes.annotate("", com - [0, 0.45], com, arrowprops={"arrowstyle": "->", "color": "C2", "lw": 2})
    axes.text(com[0] + 0.06, com[1] - 0.4, "m_i g", color="C2")
    axes.text(com[0] + 0.08, com[1], "cm_i")
    axes.set(aspect="equal", xlim=(-0.7, 1.3), ylim=(-0.6, 1.6))
    axes.axis("off")
    return page


def _wrench(axes: Axes, at: np.ndarray, force: tuple[float, float], force_name: str, moment_name: str) -> None:
    axes.plot(*at, "ko")
    axes.annotate("", at + force, at, arrowprops={"arrowstyle": "->", "color": "C3", "lw": 2})
    axes.text(*(at + np.array(force) * 1.15), force_name, color="C3", ha="center")
    round_it = {"connectionstyle": "arc3,rad=1.2", "arrowstyle": "->", "mutation_scale": 15, "color": "C0", "lw": 2}
    axes.add_patch(FancyArrowPatch(at + [0, 0.12], at - [0, 0.12], **round_it))
    axes.text(at[0] - 0.3, at[1] + 0.08, moment_name, color="C0", ha="center")


def denavit_hartenberg_table() -> list[tuple[str, ...]]:
    """Rows of the table beside the sketch: number, body, what it hangs on, coordinate, then gamma, b, alpha, d, theta, r."""
    lengths = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
    return [
        (number(row["body"]), row["body"], row["parent"], row["coordinate"], *(_short(float(row[key])) for key in lengths))
        for row in ARM_TABLE
    ]


def _short(value: float) -> str:
    multiples = {np.pi: "pi", np.pi / 2: "pi/2", -np.pi / 2: "-pi/2"}
    return multiples.get(value, f"{value:g}")


SKETCHES = (exoskeleton, crank_levers, pendulum_sketch, segment_of_a_chain)


def main(folder: Path = HERE / "figures") -> None:
    """Draw all of them into a folder."""
    folder.mkdir(exist_ok=True)
    for sketch in SKETCHES:
        save(sketch(), folder / f"{sketch.__name__}.png")
    for name in DRAWN:
        recipe = runpy.run_path(str(RECIPES / f"{name}.py"))
        figure = recipe["draw"](*(recipe["walk"]() if "walk" in recipe else ()))
        save(figure, folder / f"{name}.png")
        if "film" in recipe:
            recipe["film"](folder / f"{name}.gif")


def save(figure: Figure, path: Path) -> None:
    """Store a figure with a palette, so that it stays small."""
    from PIL import Image

    figure.savefig(path, dpi=90)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    main()
