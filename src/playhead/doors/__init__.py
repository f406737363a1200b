"""Where bytes pass: all network I/O."""
