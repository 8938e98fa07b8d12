"""Sampled signals: gaps, filters, derivatives, and analog samples at the video rate. Arrays in, arrays out; no trial, no file."""
