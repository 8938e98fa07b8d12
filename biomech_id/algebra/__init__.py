"""Rotations, skew matrices, wrenches and inertia tensors: the alphabet of rigid-body mechanics."""
