"""A walk in an exoskeleton: motor torque and the wearer's share of the knee moment (python exoskeleton_leg.py FIGURE)."""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import biomech_id as bid
from biomech_id.multibody.examples.mechanisms import ExoskeletonLeg, assist_knee, planar_segment, sliding_segment
from biomech_id.multibody.examples.sagittal_leg import SagittalLeg, sagittal_leg
from biomech_id.multibody.reduction import configuration, inverse_dynamics
from biomech_id.sample import virtual_subject, write_c3d

GRAVITY = (0.0, -9.81, 0.0)  # in the plane of the walk: forward, up, right


def dressed(leg: SagittalLeg) -> ExoskeletonLeg:
    """Put the mechanism on the wearer's leg."""
    flat = {"crank": (0.35, (0.035, 0.004), 3e-4), "coupler": (0.3, (0.075, -0.006), 7e-4), "cylinder": (0.25, (0.03, 0.0), 1e-4)}
    parts = {name: planar_segment(name, *numbers) for name, numbers in flat.items()}
    parts["rod"] = sliding_segment("rod", 0.12, -0.04, 5e-5)
    return ExoskeletonLeg(
        thigh_m=leg.thigh_m, shank_m=leg.shank_m, crank_m=0.08, coupler_m=0.15, crank_pivot_m=(0.3, 0.05),
        coupler_pin_m=(0.04, 0.07), strut_pivot_m=(0.28, -0.06), strut_pin_m=(-0.06, 0.01), segments={**leg.segments, **parts},
        stiffness_N_m=8000, damping_N_s_m=120, rest_m=0.11,
    )  # fmt: skip


def draw(side: str = "R", share: float = 0.4) -> Figure:
    """Analyse a walk of the virtual subject, put the leg into the mechanism and draw who supplies the knee."""
    folder, person = Path(tempfile.mkdtemp()), virtual_subject()
    model = bid.conventional_model(bid.read_c3d(write_c3d(person.static("static"), folder / "static.c3d")))
    trial = bid.prepare(bid.read_c3d(write_c3d(person.walk("walk01"), folder / "walk01.c3d")), model).trial
    motion = bid.assign_plates(model.track(trial))
    contact = motion.contacts[side]
    # One stride: from the step on the plate to the next one, which has no plate and is therefore not known.
    first = int(np.argmax(contact.force_lab_N[:, 2] > 0))
    leg = sagittal_leg(motion, side, slice(first, first + int(np.argmin(contact.known[first:]))))
    t, ground = np.arange(len(leg.q1)) / motion.rate_hz, leg.ground(contact)
    bare = leg.system(GRAVITY).inverse(leg.q1, leg.u1, leg.a1, [ground], base=leg.hip)

    mechanism = dressed(leg).mechanism(GRAVITY)
    q = configuration(mechanism, leg.q1)
    needed = inverse_dynamics(mechanism, q, leg.u1, leg.a1, [ground], base=leg.hip)
    assistance = assist_knee(mechanism, q, needed, share)

    page, (angles, moments) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    angles.plot(t, np.degrees(q[:, :4]), label=["hip", "knee", "ankle", "crank"])
    angles.set(xlabel="time (s)", ylabel="coordinate (deg)")
    moments.plot(t, bare[:, 1], "--", color="grey", label="knee moment, leg alone")
    moments.plot(t, assistance.knee_moment_Nm, label="knee moment, mechanism on")
    moments.plot(t, assistance.wearer_moment_Nm, label="wearer's share")
    moments.plot(t, assistance.actuator_torque_Nm, label="motor on the crank")
    moments.set(xlabel="time (s)", ylabel="moment (N m), positive extends")
    angles.legend(fontsize="small")
    moments.legend(fontsize="small")
    return page


if __name__ == "__main__":
    draw().savefig(sys.argv[1], dpi=110)
