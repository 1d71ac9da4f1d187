"""What outlives the process: runs, verdicts, traces and transcripts, in SQLite or another database.

`judge_bundles.store.store.Store` is the door; `records` are the nouns and import no database code.
"""
