"""Forces from motions: inverse dynamics of a model, loads from outside, recorded motions filtered as OpenSim's tool does.

In: a model, coordinates over time and external loads. Out: generalised forces and joint reactions. A newcomer adds a kind of force
where `inverse_dynamics` gathers them.
"""
