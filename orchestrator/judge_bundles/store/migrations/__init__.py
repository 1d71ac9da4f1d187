"""The history of the schema, as alembic migrations."""
