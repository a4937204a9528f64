"""Sound → utterances → texts: reading files and microphones, endpointing, recognition, and spotting "stop"."""
