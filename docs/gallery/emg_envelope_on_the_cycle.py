"""EMG envelopes on the gait cycle

Envelopes of every muscle over the cycle, 101 points each, and a page of them.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk(muscles=True).trial

# %% Task
result = bid.analyse([static, walk], report=False, uncertainty=False)
envelopes = result.emg.pivot_table(index="percent", columns=["side", "muscle"], values="value")
bid.plot.emg(result)
