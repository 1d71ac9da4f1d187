"""Which tools of agents read, search, write or run a shell, and which argument says on what."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_FILE: Final = ("file_path", "path", "notebook_path", "absolute_path", "filename", "file")
_COMMAND: Final = ("command", "cmd", "keystrokes", "script")
_READERS: Final = frozenset(
    {"read", "notebookread", "read_file", "read_text_file", "readfile", "view", "view_file"}
)
_SEARCHERS: Final = frozenset({"grep", "grep_search", "search_file_content"})
_WRITERS: Final = frozenset(
    {"write", "edit", "multiedit", "notebookedit", "write_file", "create_file", "edit_file"}
)
_SHELLS: Final = frozenset(
    {
        *("bash", "bash_command", "execute_bash"),
        *("shell", "local_shell", "run_shell_command", "exec"),
        *("run_command", "execute_command", "terminal_run_command", "run_in_terminal"),
    }
)
_EDITORS: Final = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "text_editor"})
"""One tool whose `command` says what it does."""
_FOLDERS: Final = ("", ".", "..")


def paths_read(call: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a call of a reading tool names."""
    name, given = _name(call), call["input"]
    if name in _READERS or (name in _EDITORS and given.get("command") == "view"):
        yield from _texts(given, _FILE)


def paths_searched(call: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a call of a searching tool names as the file to search; a folder ends in `/`."""
    if _name(call) in _SEARCHERS:
        for path in _texts(call["input"], _FILE):
            last = path.replace("\\", "/").rpartition("/")[2]
            if last not in _FOLDERS:
                yield path


def paths_written(call: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a call of a writing tool names."""
    name, given = _name(call), call["input"]
    edits = name in _EDITORS and given.get("command") not in ("view", "undo_edit")
    if name in _WRITERS or edits:
        yield from _texts(given, _FILE)


def shell_command(call: Mapping[str, Any]) -> str | list[str] | None:
    """Return the command of a call of a shell tool, as a line or as a list of words."""
    if _name(call) not in _SHELLS:
        return None
    for key in _COMMAND:
        value = call["input"].get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return [word for word in value if isinstance(word, str)]
    return None


def _name(call: Mapping[str, Any]) -> str:
    """Return the name of a tool without the server it comes from: `mcp__files__read_file`."""
    name: str = call["name"]
    return name.rpartition("__")[2].casefold()


def _texts(given: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    value = next((given[key] for key in keys if isinstance(given.get(key), str)), None)
    if value:
        yield value
