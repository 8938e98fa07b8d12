"""OpenSim's files as values, and back: models, joints, functions, muscles, setups, scaled models.

In: XML that `readers.opensim.document` has read safely. Out: `multibody.musculoskeletal` values, setups, and documents as text. A
newcomer adds a kind of joint, function or path where its element is read.
"""
