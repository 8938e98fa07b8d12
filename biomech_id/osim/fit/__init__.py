"""Sizes, marker places and motion of a person from all trials at once, each with its standard deviation."""
