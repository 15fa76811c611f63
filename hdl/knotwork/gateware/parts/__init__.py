"""Parts of which routers are wired: buffer, arbiters, crossbar, stream adapters."""
