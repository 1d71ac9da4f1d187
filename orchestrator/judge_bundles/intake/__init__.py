"""Taking bundles in and running gates on them, in processes that can be killed.

`program` is what runs there; `intake` asks for it from the outside.
"""
