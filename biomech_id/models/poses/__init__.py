"""Segments whose poses another program measured: a markerless system's file becomes a body in motion."""
