"""One module for each tool; each registers itself."""
