"""Who answers: requests to replies, strictly."""
