"""Own markers to joint loads

Marker paths as arrays become a trial, trials are analysed as files are, and joint loads come out.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
standing, walking = ({name: 1000.0 * trial.markers[name] for name in trial.markers.names} for trial in (static, walk))

# %% Task
still = bid.Trial.from_arrays(standing, 100.0, unit="mm", name="static", subject=static.subject)
moving = bid.Trial.from_arrays(walking, 100.0, unit="mm", name="walk", plates=walk.plates)
bid.analyse(moving, static=still, report=False).frames("walk")["RKneeMoment.X"]
