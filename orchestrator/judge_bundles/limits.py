"""Every limit of the product, by name and with its unit, in one place.

What an operator can change on the command line or in a rule starts from the value here.
"""

from dataclasses import dataclass
from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

# ---- intake -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """Budgets of one bundle. A bundle exactly at a limit is taken; one past it is refused."""

    max_members: int = 20_000
    max_file_bytes: int = 64 * MIB
    max_total_bytes: int = 256 * MIB
    max_ratio: int = 200
    """Unpacked bytes for each byte of the archive; small archives are exempt, see below."""
    max_path_bytes: int = 1024
    max_name_bytes: int = 255
    max_depth: int = 64


RATIO_EXEMPT_BYTES: Final = 8 * MIB
"""Below this much unpacked data the compression ratio of an archive is not looked at."""

# ---- rule files ---------------------------------------------------------------------------------

MAX_RULE_BYTES: Final = 1 * MIB
MAX_RULE_DEPTH: Final = 64
MAX_YAML_ALIASES: Final = 100
MAX_PROMPT_FILE_BYTES: Final = 1 * MIB

# ---- one agent judgement ------------------------------------------------------------------------

DEFAULT_MAX_TURNS: Final = 40
DEFAULT_TIMEOUT_S: Final = 900.0
DEFAULT_MAX_TOKENS: Final = 16_000
"""Tokens one model answer may have; the Messages API asks for a number."""
MAX_CORRECTIONS: Final = 3
"""How often a verdict that cannot be accepted is sent back before the bundle ends as an error."""
MAX_TOOL_CALLS_PER_TURN: Final = 32
MAX_TOOL_RESULT_CHARACTERS: Final = 40_000
MAX_QUOTE_CHARACTERS: Final = 2_000
MAX_LISTED_FILES: Final = 300
MAX_TASK_INPUT_CHARACTERS: Final = 20_000
TOOL_TIMEOUT_S: Final = 30.0
MAX_TOOL_REPLY_BYTES: Final = 8 * MIB
MAX_MEDIA_BYTES: Final = 5 * MIB

# ---- the sandbox --------------------------------------------------------------------------------

SANDBOX_MEMORY_BYTES: Final = 512 * MIB
SANDBOX_CPUS: Final = 1.0
SANDBOX_PIDS: Final = 64
SANDBOX_TMP_BYTES: Final = 16 * MIB
SANDBOX_START_TIMEOUT_S: Final = 60.0

# ---- the model ----------------------------------------------------------------------------------

MODEL_MAX_ATTEMPTS: Final = 6
MODEL_ATTEMPT_TIMEOUT_S: Final = 600.0
MODEL_BACKOFF_FIRST_S: Final = 0.5
MODEL_BACKOFF_MAX_S: Final = 30.0

# ---- the run ------------------------------------------------------------------------------------

DEFAULT_CONCURRENCY: Final = 4
MAX_CONCURRENCY: Final = 256
