"""Muscle signals: which channel is whose, whether it is a muscle at all, its envelope, and when it is on."""

from biomech_id.emg.channels import EmgInput, find_inputs
from biomech_id.emg.doctor import ChannelVerdict, Health, judge_channel
from biomech_id.emg.record import EmgChannel, EmgRecord, EmgSettings, read_emg

__all__ = [
    "ChannelVerdict",
    "EmgChannel",
    "EmgInput",
    "EmgRecord",
    "EmgSettings",
    "Health",
    "find_inputs",
    "judge_channel",
    "read_emg",
]
