"""Graphs searched for: of one size and degree, with short paths or evenly filled channels."""
