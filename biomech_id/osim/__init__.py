"""Constrained models of OpenSim, natively: kinematics, scaling and inverse dynamics of any `MusculoskeletalModel`."""
