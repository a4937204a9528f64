"""`sayso train detector`: the object detector of photographs, converted from published weights and calibrated on photographs."""
