"""Many bags at once: replayed on many processes and machines, kept as one table of results, and queried."""
