"""Figures of sweeps: what they share (`figures`), over load (`load_plots`), over size."""
