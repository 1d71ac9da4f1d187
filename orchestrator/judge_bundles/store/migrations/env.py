"""Run migrations inside the transaction the caller has begun; never opens a connection itself."""

from alembic import context

from judge_bundles.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by building it anew
)
with context.begin_transaction():
    context.run_migrations()
