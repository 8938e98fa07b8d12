"""Results written back into copies of the recordings."""
