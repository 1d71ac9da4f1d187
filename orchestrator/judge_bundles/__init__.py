"""Judge what AI agents leave behind: an exact gate first, then a sandboxed agent."""

__version__ = "0.1.0"
