"""What a board holds: networks that were placed, the room for others, and what is told of both."""
