"""How far every printed curve and number can be off: bands of cycles, of values picked from them, and of means.

In: error sources of `uncertainty` and the cycles of a trial. Out: standard deviations by source. A newcomer adds an error source in
`uncertainty`; it reaches every table from here.
"""
