"""How far results can be off: sizes of errors with their sources, what each does to the joint loads, and their sum.

`sizes` holds the numbers, `sources` what an error is, `leg` and `joint_shift` the errors of a leg, `marker_noise` those drawn
anew in every frame; `propagation` adds them up and `recording` fits them to one trial.
"""
