"""Chains whose motion is given, by arrays or by functions of time."""
