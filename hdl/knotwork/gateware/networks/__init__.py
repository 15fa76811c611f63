"""Route computation of each network, in gates."""
