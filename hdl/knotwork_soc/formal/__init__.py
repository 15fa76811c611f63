"""What is proven of the adapters, buses and ports of systems."""
