"""Parts that several router classes share: buffer, arbiters, crossbar, stream adapters."""
