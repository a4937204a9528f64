"""Hearing "stop": the words for it, the spotter in the sound, and what verifies the detections of the spotter."""
