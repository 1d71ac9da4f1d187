"""The command line. Modules import what a command needs inside its function, so that help is fast."""
