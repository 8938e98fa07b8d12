"""The stages of an analysis, each a function that takes what is known and returns more of it; `pipeline.stages` has their order.

`analysis` has the two values that they pass on: ``Analysis`` for the session, ``TrialAnalysis`` for one trial. `recordings` and
`calibration` come before the trials, `trial` solves each of them, `measure` cuts and measures it, `judgement` and `assemble`
follow. A new stage is a function here and a row of ``pipeline.stages.STAGES``.
"""
