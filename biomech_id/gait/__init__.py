"""Gait: events, feet on plates, cycles and what they are measured by.

In: a trial, its tracked body and its feet (room ``feet``). In the order they are used: `marker_events` and `plate_events`, of
which `plate_event_check` are used, brought together by ``events``; `verdict` (rules) and `assignment` (the wrench on each foot);
``cycles`` and `normalise`; ``measures`` for parameters, peaks and scores. Every formula and its source: docs/gait-methods.md.
"""
