"""Simulation of networks: traffic, golden model, RTL runs, their comparison, and load sweeps."""
