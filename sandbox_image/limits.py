"""Every bound of the tool server, by name and with its unit.

The host has limits of its own and trusts none of these; a test holds the two sets together.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

# ---- one request and one answer -----------------------------------------------------------------

MAX_REQUEST_BYTES: Final = 256 * KIB
MAX_TEXT_CHARACTERS: Final = 40_000
"""An answer's text never exceeds this; whatever exceeds its own budget is cut and says so."""
CONTENT_CHARACTERS: Final = 30_000
"""Content of files in one answer; the rest of the text is what is said about it."""
MAX_NAME_CHARACTERS: Final = 1_000
"""Of a file's name in a sentence; lists and byte ranges carry it whole."""
MAX_ARGUMENT_CHARACTERS: Final = 4_096
MAX_COUNT: Final = 2**60
"""Numbers beyond this count as this; it is beyond any file."""

# ---- the bundle ---------------------------------------------------------------------------------

MAX_MEMBERS: Final = 200_000
MAX_DEPTH: Final = 256
LISTED_ENTRIES: Final = 500
MAX_CANDIDATES_NAMED: Final = 20
MAX_GLOB_PARTS: Final = 32
"""Components of a pattern; each may have to be tried at each level of each path."""
SCAN_BYTES: Final = 256 * KIB
"""Files are read through in steps of this size; line starts are remembered at each step."""
MAX_PROFILES: Final = 256
"""Files whose encoding and line starts are remembered."""

# ---- media --------------------------------------------------------------------------------------

MAX_IMAGE_BYTES: Final = 3_932_160
"""5 MiB once in base64, which is what a model's server takes."""
MAX_DOCUMENT_BYTES: Final = 5 * MIB
MAX_IMAGE_SIDE: Final = 8_000
"""Pixels."""
MAX_OBJECT_STREAMS: Final = 2_000
"""Compressed parts of a PDF that are looked into for pages."""
MAX_OBJECTS_BYTES: Final = 32 * MIB
"""Of those parts, unpacked, in all."""
MAX_PDF_DICTIONARY_BYTES: Final = 4 * KIB

# ---- searches and queries, each in a child process of its own -----------------------------------

CHILD_SECONDS: Final = 10.0
CHILD_MEMORY_BYTES: Final = 384 * MIB
"""Address space of the child."""
CHILD_OUTPUT_BYTES: Final = 4 * MIB
MAX_PATTERN_CHARACTERS: Final = 2_000
DEFAULT_MATCHES: Final = 50
MAX_MATCHES: Final = 500
MAX_CONTEXT_LINES: Final = 20
ROW_CHARACTERS: Final = 500
"""Shown of one line around a match."""
BLOCK_BYTES: Final = 1 * MIB
"""Lines are searched in blocks of about this size."""
PIECE_BYTES: Final = 8 * MIB
"""A longer line is searched in pieces of this size."""
MAX_JSON_BYTES: Final = 32 * MIB
MAX_QUERY_CHARACTERS: Final = 1_000
MAX_INTEGER_DIGITS: Final = 4_000
MAX_VALUES: Final = 1_000_000
LISTED_VALUES: Final = 200
LISTED_KEYS: Final = 50
VALUE_CHARACTERS: Final = 500
"""Of one value among several; a single value may fill the answer."""
