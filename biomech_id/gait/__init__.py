"""Gait: events, feet on plates, cycles, spatiotemporal parameters and scores.

In the order they are used: `landmarks` (pelvis and feet), `travel` (kind of trial), `contacts` (loads on plates), `marker_events`
and `plate_events`, of which `plate_event_check` are used, brought together by `events`; `feet_on_plates` (geometry), `verdict`
(rules) and `assignment` (the wrench on each foot); `cycles` and `normalise`; `spatiotemporal`, `peaks` and `scores`. Every formula
and its source: docs/gait-methods.md.
"""
