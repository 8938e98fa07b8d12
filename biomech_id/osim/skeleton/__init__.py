"""Kinematics of a model: its tree as arrays, where bodies, markers and path points are, how coordinates move them.

In: a model read from its document. Out: poses, Jacobians and motions for all states at once. A newcomer adds a kind of joint in
`joint_steps`.
"""
