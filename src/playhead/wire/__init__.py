"""What was said: JSON, blocks, events, exchanges, and following them into conversations."""
