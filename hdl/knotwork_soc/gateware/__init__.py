"""Systems as hardware: what stands at a node, and the whole as one component."""
