"""Pictures of the README: a virtual patient's kinetics beside a norm, and a real walk's muscle signals.

``python -m docs.readme_pictures`` writes both into ``docs/figures``. The muscle signals are those of one walk of a healthy adult
(BMClab, CC BY 4.0), read from the recordings beside the project; without them that picture stays as it is. The README's third
picture, of the review page, is one of `docs.review_pictures`.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

import biomech_id as bid
from biomech_id.pipeline.demo import run_demo

HERE = Path(__file__).resolve().parent
FIGURES = HERE / "figures"
SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", HERE.parent.parent / "shared"))
WALK = SHARED / "c3d" / "walking" / "bmc_gait.c3d"
#: Of the walker, whom the file does not weigh (kg); no signal depends on it.
MASS_KG = 70.0
#: Dots per inch, and what is left around the panels (inches).
DPI, MARGIN_INCH = 110.0, 0.1
#: What is shown of the right leg, left to right and down.
SHOWN = ("HipMoment.X", "KneeMoment.X", "AnkleMoment.X", "HipPower", "KneePower", "AnklePower")
PLACES = {"left": 0.06, "right": 0.99, "top": 0.94, "bottom": 0.1, "wspace": 0.28, "hspace": 0.4}
STYLE = '[lines]\nmeasurement = "band"\n'


def save(figure: Figure, path: Path) -> None:
    """Store a figure without its empty margins, in few colours."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DPI, bbox_inches="tight", pad_inches=MARGIN_INCH)
    Image.open(picture).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def kinetics(path: Path) -> None:
    """Draw a crouch walker's moments and powers with their 95 % bands before the band of ten walkers."""
    with tempfile.TemporaryDirectory() as work:
        run_demo(Path(work) / "demo")
        save(kinetics_figure(Path(work) / "demo" / "results"), path)


def kinetics_figure(results: Path) -> Figure:
    """Draw six panels of a folder of results."""
    session = bid.read_folder(results)
    figure = Figure(figsize=(10.8, 4.6))
    axes = figure.subplots(2, 3, gridspec_kw=PLACES)
    with tempfile.TemporaryDirectory() as work:
        style = Path(work) / "style.toml"
        style.write_text(STYLE, encoding="utf-8")
        for variable, own in zip(SHOWN, axes.ravel(), strict=True):
            bid.plot.curve(session, variable, side="R", style=style, ax=own)
    return figure


def muscles(path: Path) -> None:
    """Draw mean envelopes of eight muscles of both legs."""
    save(bid.plot.emg(bid.analyse(WALK, model="six-dof", mass_kg=MASS_KG, uncertainty=False, budget=False)), path)


def main() -> None:
    """Write the pictures."""
    kinetics(FIGURES / "readme-kinetics.png")
    if WALK.is_file():
        muscles(FIGURES / "readme-emg.png")
    sys.stdout.write(f"Wrote {FIGURES}/readme-*.png\n")


if __name__ == "__main__":
    main()
