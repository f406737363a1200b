"""What is allowed: the rules of the Messages API and of correct tool loops."""
