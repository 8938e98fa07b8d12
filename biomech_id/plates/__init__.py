"""Force plates against the bodies on them: matched bandwidth, where steps say that a plate stands, offsets of the pressure.

In: trials, feet and stances. Out: estimated poses, populations, offsets; judging them is the work of ``judgement``. A newcomer adds
what one step tells to `steps`.
"""
