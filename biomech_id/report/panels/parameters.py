"""Times, distances and other parameters of the cycles in the means, by side."""

from __future__ import annotations

from biomech_id.report.panels.layer import Layer


def parameter_values(layer: Layer) -> dict[str, tuple[str, dict[str, list[float]]]]:
    """Parameter -> (unit, side -> values of the cycles in the means), in the order of the tables.

    Values that belong to no side, and whole-trial values (cycle 0) where a parameter has no others, stand under "".

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    """
    table = layer.tables.spatiotemporal
    wanted = set(zip(layer.used["trial"], layer.used["side"], layer.used["cycle"], strict=True))
    trials = {trial["name"] for trial in layer.trials}
    parameters: dict[str, tuple[str, dict[str, list[float]]]] = {}
    fields = (table[name] for name in ("trial", "side", "cycle", "parameter", "value", "unit"))
    for trial, side, cycle, parameter, value, unit in zip(*fields, strict=True):
        if (trial, side, cycle) in wanted or (cycle == 0 and trial in trials):
            sides = parameters.setdefault(str(parameter), (str(unit), {}))[1]
            sides.setdefault(str(side), []).append(float(value))
    return parameters
