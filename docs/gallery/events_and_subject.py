"""Gait events and measurements of a recording

Foot strikes and foot offs, found again, and what the file says of the person.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
events = bid.find_events(walk)
strike = bid.Event(events[0].time_s, events[0].side, bid.EventKind.FOOT_STRIKE)
subject = bid.Subject(mass_kg=70.0, height_m=1.75)
events
