"""Documents that people write: JSON and YAML, read strictly, every mistake with file, key and line.

What a document means is the business of whoever reads one: rules, scripts. Nothing here knows them.
"""
