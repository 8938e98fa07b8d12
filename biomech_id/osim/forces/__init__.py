"""Muscle forces of least effort, and what they press the joints together with.

In: a model with its actuators, a recorded motion and loads from outside. Out: activations, forces, and reactions in the joints. A
newcomer adds a kind of muscle as a row of ``muscle_curves.KINDS``, and another actuator in `actuators`.
"""
