"""Places in drawings that several networks share."""
