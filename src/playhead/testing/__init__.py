"""What a test run does, without pytest: rehearsals, strategies."""
