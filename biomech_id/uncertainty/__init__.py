"""How far results can be off: sizes of errors with their sources, what each does to the joint loads, and their sum.

`uncertainty.sizes` holds the numbers, `uncertainty.sources` what an error is, `uncertainty.leg` and `joint_shift` the errors of a
leg; `uncertainty.recording` fits them to one trial and `propagation` carries them to the joint moments, which
`session.bands.uncertainty` writes down.
"""
