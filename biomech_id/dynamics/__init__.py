"""Forces and moments of bodies that move: arrays and values, neither trial nor file.

`newton_euler` solves for the joint wrenches of a chain of segments; `budget`, `power`, `expression` and `uncertainty` say more
about them. Limbs, trees and closed loops without a recording are here too: `prescribed`, `tree`, `closed_loop`, `forward`,
`symbolic`.
"""
