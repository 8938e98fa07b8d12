"""The main job, strung together from the rooms: recipe, subject, one session, a whole study."""
