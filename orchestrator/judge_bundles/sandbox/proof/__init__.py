"""Prove the sandbox by attacking it: real code in a container that was started as a judge's is."""
