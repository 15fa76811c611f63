"""Panels of a picture: a network drawn once or several times, and the steps that they show."""
