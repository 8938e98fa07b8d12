"""Recordings from OpenSim's files: markers from a ``.trc``, forces from the ``ExternalLoads`` beside it."""
