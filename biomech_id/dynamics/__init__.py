"""Forces and moments of bodies that move: arrays and values, neither trial nor file.

`newton_euler` solves for the joint wrenches of a chain of segments; `budget`, `power` and `expression` say more about them.
"""
