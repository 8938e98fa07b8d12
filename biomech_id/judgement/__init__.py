"""Rules: what speaks against a recording, its plates, its markers and its results, and the grade that follows.

In: solved trials, and files before an analysis (`check`). Out: findings with rule and numbers, quality rows. A newcomer adds
a rule as a row of `quality.RULES`, or as a function in `plausibility`, and its sentence in `languages`.
"""
