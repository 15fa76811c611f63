"""Signals that are high for a cycle."""


async def pulse(ctx, signal):
    """Set a signal for a cycle."""
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)
