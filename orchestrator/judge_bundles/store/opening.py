"""Find, make and migrate a store: everything that happens before the first query."""

from judge_bundles.errors import StoreError, StoreUsageError
from judge_bundles.store import location, versions
from judge_bundles.store.database import Database


def open_database(url: str | None, *, create: bool) -> Database:
    """Return the database at `url`, else JUDGE_BUNDLES_STORE, else the default file, made ready.

    With `create=False` a database file that is not there is an error, so that reading leaves
    nothing behind. Raises `StoreUsageError`: nothing was judged yet.
    """
    place = location.find(url)
    location.prepare(place, create=create)
    try:
        database = Database(place)
    except StoreError as error:
        raise StoreUsageError(str(error)) from error
    try:
        versions.ensure_current(database)
    except StoreError as error:
        database.close()
        raise StoreUsageError(str(error)) from error
    except BaseException:
        database.close()
        raise
    return database
