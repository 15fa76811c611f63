"""Collectives beside the data network: runs, measurements, and what packets take instead."""
