"""Run a rule's own Python and its templates on records, in a worker process.

Everything here happens inside the process that `program` sets up: no keys, no model, no network of
its own. It imports neither rules nor the judges that ask for answers. The one module of use outside
is `environment`, by which rules check templates when they load.
"""
