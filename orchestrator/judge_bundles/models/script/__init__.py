"""The embedded offline model: it replays a conversation that a person wrote down.

No model judges here, and everything that reports on a run says so.
"""
