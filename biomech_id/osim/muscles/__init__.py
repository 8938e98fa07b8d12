"""Paths of muscles: straight pieces, pieces over surfaces, lengths, velocities and moment arms.

In: a model's skeleton in many states. Out: arrays by muscle, and the muscles that a clinic asks about. A newcomer adds a wrapping
surface beside `sphere`, and a row in `wrapping_rules`.
"""
