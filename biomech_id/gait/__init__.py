"""Gait: events, feet on plates, cycles, spatiotemporal parameters and scores."""
