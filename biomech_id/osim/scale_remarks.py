"""What is odd about the steps of a scaling: bodies that the model does not have, and markers that measure another body."""

from __future__ import annotations

from collections.abc import Iterator

from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.setups import ScalerSetup

SCALING_STEPS = ("measurements", "manualScale")


def scaler_remarks(model: MusculoskeletalModel, setup: ScalerSetup) -> Iterator[str]:
    """Describe what a ModelScaler names and does not reach.

    Parameters
    ----------
    model : MusculoskeletalModel
        The generic model with its markers.
    setup : ScalerSetup
        How it is to be scaled.

    Yields
    ------
    Iterator[str]
        A sentence for steps, one for bodies, one for each measurement that has a marker far from all bodies that it scales.
    """
    undone = [word for word in setup.order if word not in SCALING_STEPS]
    wanted = zip(SCALING_STEPS, (setup.measurements, setup.manual), strict=True)
    undone += [step for step, there in wanted if there and step not in setup.order]
    if undone:
        yield f"The scaling_order leaves out or does not know {', '.join(undone)}: nothing is scaled by these."
    bodies = {body.name for body in model.bodies}
    if strange := sorted({body for body, _ in setup.manual} - bodies):
        yield f"Factors are for bodies that {model.name} does not have: {', '.join(strange)}."
    joined = {frozenset((joint.parent.body, joint.child.body)) for joint in model.joints}
    on = {marker.name: marker.body for marker in model.markers}
    for each in setup.measurements:
        scaled = {body for body, _ in each.bodies} & bodies
        # Measurements that are shared by models name patellae that some of these do not have.
        if each.bodies and not scaled:
            names = ", ".join(body for body, _ in each.bodies)
            yield f"The measurement {each.name} scales bodies that {model.name} does not have: {names}."
        ends = {name for pair in each.pairs for name in pair if name in on and on[name] not in scaled}
        far = sorted(name for name in ends if scaled and not any(frozenset((on[name], body)) in joined for body in scaled))
        if far:
            yield f"The measurement {each.name} has markers away from the bodies that it scales: {', '.join(far)}."
