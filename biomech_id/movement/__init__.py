"""Values of a movement: stances, cycles and grades; types only, nothing here finds anything.

In: what ``feet``, ``gait`` and ``judgement`` found. Out: the values that tables, pages and rules are made from. A newcomer adds
a field to a type here, and the function that fills it in the room that finds it.
"""
