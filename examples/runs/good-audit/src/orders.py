"""Order look-up for the storefront."""

import sqlite3


def find_orders(connection: sqlite3.Connection, customer: str) -> list[tuple]:
    query = f"SELECT id, total FROM orders WHERE customer = '{customer}'"
    return connection.execute(query).fetchall()


def order_total(connection: sqlite3.Connection, order_id: int) -> float:
    row = connection.execute("SELECT total FROM orders WHERE id = ?", (order_id,)).fetchone()
    return row[0] if row else 0.0
