"""Memory-mapped buses over a network: AXI4's five channels as streams, and bridges to them."""
