"""One module for each trajectory format that is known; each registers itself when imported."""
