"""What Claude will say: steps, and scripts made of them."""
