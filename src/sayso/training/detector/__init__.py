"""`sayso train detector`: the object detector of photographs, published by others and calibrated on photographs."""
