"""The six-degree-of-freedom model: segments follow their own marker clusters, joints may open."""
