"""Processes of our own that can be limited and killed, for work on what nobody can trust.

A worker is an isolated Python interpreter without keys: a fresh environment, no current folder on
its path, limits on memory, processor time, file size and open files, and a deadline kept by the
process that asks. `Pool` asks, `serve` answers; what is asked is defined by a program, a module with
a function `start`. Nothing here knows of bundles.
"""
