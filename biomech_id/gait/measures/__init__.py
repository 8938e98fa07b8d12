"""What cycles, runs, jumps, squats and the whole body are measured by: one module a kind of measure.

In: cycles, joint loads and the feet of a trial. Out: rows of parameters and peaks, each with its unit. A newcomer adds a measure as
a function of cycles that yields `spatiotemporal.GaitParameter`.
"""
