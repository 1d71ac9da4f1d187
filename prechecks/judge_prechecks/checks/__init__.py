"""The built-in prechecks, one module each, named like its type. Adding one is adding a file."""
