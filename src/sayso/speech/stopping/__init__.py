"""Detecting "stop": in a transcript's words, by a spotter in the sound, and by the models that verify the spotter."""
