"""The conventional gait model (Davis, Kadaba): calibrated on a static trial, placed in every frame of another."""
