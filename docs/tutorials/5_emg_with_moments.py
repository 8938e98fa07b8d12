"""EMG with joint moments

Muscle signals recorded with the walk are cut into the same gait cycles as the joint moments, so that both can be looked at together.
"""

# %% A walk with muscle signals
import biomech_id as bid

person = bid.virtual_subject()
static, walk = person.static().trial, person.walk(muscles=True).trial
walk.analog.names[:6]

# %% Analyse
# Nothing has to be switched on: every analog channel is looked at, and each has a verdict. One lead fell off here, one hums.
result = bid.analyse([static, walk], report=False, uncertainty=False)
result.channels[["label", "muscle", "side", "verdict"]].head(8)

# %% Envelopes on the gait cycle
bid.plot.emg(result)

# %% Side by side with the ankle moment
# Both tables are tidy, with percent of the cycle as a column: join them and draw, correlate, or export what you like.
muscle = "gastrocnemius"
envelope = result.emg[(result.emg["side"] == "R") & result.emg["muscle"].str.startswith(muscle)]
moment = result.cycles.query("variable == 'AnkleMoment' and component == 'X' and side == 'R'")
both = moment.groupby("percent")["value"].mean().to_frame("moment").join(envelope.groupby("percent")["value"].mean().rename("envelope"))
both.iloc[::20].round(2)

# %% When they are highest
# The calf's activity comes before the ankle's moment.
(int(both["envelope"].idxmax()), int(both["moment"].idxmax()))
