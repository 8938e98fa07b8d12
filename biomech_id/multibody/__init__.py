"""Mechanisms of bodies and joints, apart from gait: one description, and everything that follows from it.

`system` describes (bodies, `joints`, `closures` of loops, `springs`, drives, gravity) and has the dynamics of the cut tree;
`reduction` closes the loops; `forward` simulates; `linear` linearises; `traced` writes the equations as a program that
`generated` runs; `symbolic` derives them as expressions. `examples` makes systems of it: pendulums, limbs, arms, linkages.
"""
