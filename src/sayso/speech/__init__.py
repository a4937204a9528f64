"""Sound → utterances → texts: reading files and microphones, finding where speech ends, recognising it, hearing "stop"."""
