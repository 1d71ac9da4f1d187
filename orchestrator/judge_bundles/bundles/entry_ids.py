"""Give every bundle of a run an id: its path, as short as it can be and still be unique."""

from collections import Counter
from collections.abc import Sequence

from judge_prechecks.names import show


def unique_ids(paths: Sequence[tuple[str, str]]) -> list[str]:
    """Return an id for each path, given with the archive suffix it ends with (or nothing).

    The suffix is left out where that is unambiguous: of `run-1/` and `run-1.zip` the archive keeps
    it. Ids are in printable form (`names.show`). The paths must differ.
    """
    ids = [path.removesuffix(suffix) for path, suffix in paths]
    while True:
        counts = Counter(ids)
        shortened = [
            index
            for index, (path, _) in enumerate(paths)
            if counts[ids[index]] > 1 and ids[index] != path
        ]
        if not shortened:
            return [show(entry_id) for entry_id in ids]
        for index in shortened:
            ids[index] = paths[index][0]
