"""The tool server: what runs inside the sandbox and looks into one bundle. Standard library only."""
