"""Every limit of the gate, by name and with its unit.

The limits on JSON can be changed through `JsonOptions`; the others are fixed.
"""

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

# ---- JSON documents -----------------------------------------------------------------------------

MAX_JSON_BYTES: Final = 64 * MIB
MAX_JSON_DEPTH: Final = 200
"""Arrays and objects inside one another; a scalar alone has depth 0."""
MAX_JSON_DEPTH_EVER: Final = 500
"""The most that `JsonOptions` can ask for: half of what the interpreter's parser can always do."""
MAX_JSON_NODES: Final = 2_000_000
"""Opening brackets and commas outside strings: a bound on values before any memory is spent."""
MAX_INTEGER_DIGITS: Final = 4_000
"""Below the 4,300 digits at which Python itself refuses to convert."""
SMALL_JSON_BYTES: Final = 16 * KIB
"""Up to here a check in every object is cheaper than measuring the document as a whole."""

MAX_VALUES_LOOKED_AT: Final = 5_000_000
"""By one `..` of a path, repeats included: enough to look at every value of any document."""

# ---- texts of a rule ----------------------------------------------------------------------------

MAX_SPEC_BYTES: Final = 1 * MIB
MAX_PATTERN_CHARACTERS: Final = 4_096
MAX_PATH_CHARACTERS: Final = 1_000
MAX_MARKER_CHARACTERS: Final = 4_096

# ---- file_complete ------------------------------------------------------------------------------

TAIL_BYTES: Final = 64 * KIB
"""One window; it holds the longest marker, at four bytes a character, and what stands before it."""
MAX_SCAN_BYTES: Final = 16 * MIB
"""How far blank text is followed, from the end for the marker and from the start for the rest."""

# ---- what an outcome may hold -------------------------------------------------------------------

MAX_LISTED: Final = 100
"""Offenders in the details of one outcome; one more line counts the rest."""
MAX_NAMED: Final = 3
"""Offenders in its message."""
MAX_SHOWN_CHARACTERS: Final = 200
MAX_SHOWN_DIGITS: Final = 100
MAX_SHOWN_ITEMS: Final = 10
MAX_SHOWN_DEPTH: Final = 3
MAX_MESSAGE_CHARACTERS: Final = 2_000
