"""Mechanisms built with the engine: planar arm, n-link limb, pendulums, sagittal leg, arm exoskeleton, linkages.

Each module makes a `System` from its sizes (m, kg), or works out a closed form that the engine must reproduce. Nothing in the
engine imports them; a new example is a module here, its closed form a test in ``tests/physics``.
"""
