"""What a run may have cost beyond its verdicts, and how many of its bundles were pruned."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add both to the runs; an older run has booked nothing and lost nothing."""
    op.add_column("runs", sa.Column("booked_usd", sa.Float(), nullable=True))
    op.add_column(
        "runs",
        sa.Column("pruned_entries", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
