"""Body models: from markers to the pose and motion of every segment, joint centres and joint angles.

`conventional` is the conventional gait model (`conventional_model`), `six_dof` the six-degrees-of-freedom one; both return a
`biomech_id.dynamics.body.BodyMotion`.
"""
