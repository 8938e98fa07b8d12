"""``biomech-id markerset``: which marker set a recording uses, and a draft of one for a laboratory's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, print_error, print_line


def markerset(
    file: Annotated[Path, typer.Argument(help="A C3D file, or OpenSim's .trc.", show_default=False)],
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Propose a marker set from a file's labels: the TOML on standard output, what is missing on standard error.

    Example: biomech-id markerset static.c3d > mylab.toml
    """
    from biomech_id.markersets import SMALLEST_SHARE, describe_missing, draft, propose
    from biomech_id.markersets.draft import markerset_toml
    from biomech_id.markersets.recognise import recognise
    from biomech_id.markersets.standing import mean_places_m
    from biomech_id.readers import read
    from biomech_id.request.intake import stands_still

    trial = read(file)
    labels = [name for name in trial.markers.names if trial.markers.present(name)]
    stored = tuple(trial.model_outputs)
    proposals = propose(labels, stored=stored)
    if proposals[0].share < SMALLEST_SHARE:
        guess = recognise(labels, mean_places_m(labels, trial.markers.position_m), standing=stands_still(trial))
        if guess is not None:
            print_line(markerset_toml(guess.markerset, file.stem), nl=False)
            print_error(
                f"No known marker set has these labels; recognised by {guess.how}, certainty {100 * guess.certainty:.0f} %."
            )
            return DONE
    for proposal in proposals:
        print_error(f"{proposal.why} Missing: {describe_missing(proposal.missing)}.")
    print_line(draft(labels, name=file.stem, stored=stored), nl=False)
    if proposals[0].share < SMALLEST_SHARE:
        print_error(f"No known marker set has these labels: what is printed is a skeleton after {proposals[0].markerset.name}.")
        return WARNINGS
    return DONE
