"""``biomech-id markerset``: which marker set a recording uses, and a draft of one for a laboratory's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biomech_id.cli.guard import DONE, WARNINGS, Debug, Version, print_error, print_line

if TYPE_CHECKING:
    from biomech_id.trial import Trial


def markerset(
    file: Annotated[Path, typer.Argument(help="A C3D file, or OpenSim's .trc.", show_default=False)],
    from_walk: Annotated[bool, typer.Option("--from-walk", help="Name foreign labels by how the markers of a walk move.")] = False,
    picture: Annotated[Path | None, typer.Option(help="With --from-walk: a PNG of what is taken for what.")] = None,
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
    if from_walk:
        return _from_walk(trial, picture)
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


def _from_walk(trial: Trial, picture: Path | None) -> int:
    """Print what the markers of a walk are taken for, as a marker set to be looked over; nothing is analysed by it unasked."""
    from biomech_id.markersets.draft import markerset_toml
    from biomech_id.markersets.marker_set import ROLES
    from biomech_id.markersets.recognise import set_of_roles
    from biomech_id.markersets.walking import MOST_COST, OFFERED_MARGIN, name_markers
    from biomech_id.report.walk_picture import draw_walk_names

    shape, names = name_markers(trial.markers.names, trial.markers.position_m, trial.markers.rate_hz)
    if shape is None or names is None or not names.labels:
        why = (
            "nobody walks in one direction in it"
            if names is None
            else f"no reading fits (cost {names.cost:.0f}, {MOST_COST:g} at most)"
        )
        print_error(f"The markers of {trial.name} are not named: {why}.")
        return WARNINGS
    offered = names.offered()
    roles = {key: label for key, label in offered.items() if key[1] in ROLES}
    print_line(markerset_toml(set_of_roles(roles, list(trial.markers.names), "a walk"), trial.name), nl=False)
    print_error(
        f"Is this right? {', '.join(f'{label} = {side} {role}'.replace('_', ' ') for (side, role), label in offered.items())}."
    )
    doubtful = [f"{label} = {side} {role}" for (side, role), label in names.labels.items() if (side, role) not in offered]
    if doubtful:
        print_error(f"Perhaps (margin below {OFFERED_MARGIN:g}), and not written: {', '.join(doubtful).replace('_', ' ')}.")
    if picture is not None:
        print_error(f"{draw_walk_names(shape, names, picture)} shows it from the side and from behind.")
    return WARNINGS if doubtful else DONE
