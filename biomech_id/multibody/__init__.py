"""Mechanisms of bodies and joints, apart from gait: limbs, trees, closed loops; their motion, their equations as expressions.

`tree` and `limb` describe chains, `closed_loop` closes them, `forward` simulates, `symbolic` writes the equations.
"""
