"""What was recorded: our format, what never reaches a file, which recorded exchange a request means."""
