"""Coordinates from markers: weighted least squares over all coordinates at once, in every frame.

In: a model and the markers of a trial. Out: coordinates over time with their marker errors. A newcomer looks at `least_squares` for
what is made least and at `pose_search` for how.
"""
