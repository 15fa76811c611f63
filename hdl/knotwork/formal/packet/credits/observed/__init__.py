"""What proofs observe of a router that counts credits: its ports, and wires inside."""
