"""What is odd about the steps of a scaling: bodies that the model does not have, and markers that measure another body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import some_of
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.setups import ScalerSetup

#: Bodies of more than this share of the whole are scaled along every axis along which another one is.
SCALED_SHARE = 0.02
#: A person's mass against that of the generic model at the person's size: from slight to heavy.
OF_SIZE = (0.4, 2.5)
#: The letter of a side in a body's name.
SIDE = re.compile(r"(?<![a-z])[rl](?![a-z])")
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
        across = [
            f"{one} and {other}" for one, other in each.pairs
            if {one, other} <= set(on) and {on[one], on[other]} <= scaled and side_of(on[one]) != side_of(on[other])
        ]  # fmt: skip
        if across:
            yield f"The measurement {each.name} goes across the body and scales both sides: {some_of(across, 3)}."
        ends = {name for pair in each.pairs for name in pair if name in on and on[name] not in scaled}
        far = sorted(name for name in ends if scaled and not any(frozenset((on[name], body)) in joined for body in scaled))
        if far:
            yield f"The measurement {each.name} has markers away from the bodies that it scales: {', '.join(far)}."


def side_of(body: str) -> str:
    """Side of a body by its name, as models of OpenSim call it.

    Parameters
    ----------
    body : str
        Name of a body.

    Returns
    -------
    str
        "r", "l", or "" for a body in the middle.

    Examples
    --------
    >>> from biomech_id.osim.scale_remarks import side_of
    >>> side_of("femur_r"), side_of("torso")
    ('r', '')
    """
    return "".join(SIDE.findall(body)[:1])


def size_remarks(model: MusculoskeletalModel, factors: Mapping[str, FloatArray], mass_kg: float | None) -> Iterator[str]:
    """Describe bodies that keep their size while others change it, and a mass that does not fit the size.

    Parameters
    ----------
    model : MusculoskeletalModel
        The generic model.
    factors : Mapping[str, FloatArray]
        Body -> its (3,) factors.
    mass_kg : float | None
        Of the person; None where nobody says it.

    Yields
    ------
    Iterator[str]
        A sentence for the bodies that keep along an axis what others change, one for the mass.
    """
    if not factors:
        return
    mass = np.array([body.mass_kg for body in model.bodies])
    scaled = np.array([factors.get(body.name, np.ones(3)) for body in model.bodies])
    heavy = mass > SCALED_SHARE * mass.sum()
    # An axis along which no heavy body is scaled is left out on purpose, as by a model in a plane.
    along = (scaled[heavy] != 1.0).any(axis=0)
    kept = np.array([body.name for body in model.bodies])[heavy & ((scaled == 1.0) & along).any(axis=1)].tolist()
    if kept:
        yield f"Nothing scales {some_of(kept, 3)} along all three axes: the size there is that of {model.name}."
    if mass_kg is None:
        return
    share = mass_kg / max(float(mass @ scaled.prod(axis=1)), 1e-9)
    if not OF_SIZE[0] < share < OF_SIZE[1]:
        yield f"A mass of {mass_kg:.4g} kg is {share:.2g} of what {model.name} weighs at the measured size: compare the unit."
