"""Text that a component writes to a byte stream."""


async def read_text(ctx, out, *, busy, dice):
    """Text of a byte stream until its writer is no longer busy; each byte waits at random."""
    text, held = "", None
    while ctx.get(busy):
        ready = dice.randrange(2)
        ctx.set(out.ready, ready)
        if held is not None:
            assert (ctx.get(out.valid), ctx.get(out.payload)) == (1, held)
        held = None
        if ctx.get(out.valid):
            held = None if ready else ctx.get(out.payload)
            text += chr(ctx.get(out.payload)) if ready else ""
        await ctx.tick()
    return text
