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
ARCHIVE_OVERHEAD_BYTES: Final = 1 * MIB
"""What an archive may hold beside its members: end marks, padding, a comment."""
MEMBER_OVERHEAD_BYTES: Final = 2 * KIB
"""What an archive may spend on headers and padding, on average for each member it may have."""
MAX_TAR_HEADER_BYTES: Final = 1 * MIB
"""The longest extended header (pax records, GNU long name) of one member of a tar archive."""
MAX_SMALL_GZIP_STREAMS: Final = 10_000
"""Concatenated gzip streams beyond this many must hold `SMALL_GZIP_STREAM_BYTES` on average."""
SMALL_GZIP_STREAM_BYTES: Final = 4 * KIB
INTAKE_CHUNK_BYTES: Final = 256 * KIB
"""How much of a member is in memory at once while it is copied and hashed."""
MAX_SHOWN_NAME_CHARACTERS: Final = 200
"""A longer name of a member is cut in messages; records keep it whole."""
MAX_NAMED_LOOSE_FILES: Final = 5
"""How many skipped loose files the warning names; it counts all of them."""

# ---- worker processes ---------------------------------------------------------------------------

WORKER_START_TIMEOUT_S: Final = 60.0
WORKER_START_TRIES: Final = 3
"""How often a run tries to have its first process."""
WORKER_MAX_REQUESTS: Final = 2_000
"""A process is replaced after so many requests, whatever state they left it in."""
WORKER_QUEUE: Final = 2
"""Requests given to one process at once: the next is there when the last is answered."""
MAX_WORKER_REPLY_BYTES: Final = 128 * MIB
"""The list of a bundle's files, with the longest names an operator may allow, is far below."""
MAX_WORKER_STDERR_BYTES: Final = 16 * KIB
INTAKE_MEMORY_BYTES: Final = 2_048 * MIB
"""Address space of a process that takes bundles in and runs gates on them."""
INTAKE_BASE_S: Final = 60.0
"""Time for one bundle, of the clock and of the processor; more where more bytes are allowed."""
INTAKE_BYTES_A_SECOND: Final = 4 * MIB
"""The slowest that intake and gate are allowed to be on the largest bundle."""

JUDGE_CODE_MEMORY_BYTES: Final = 1_024 * MIB
"""Address space of a process that runs the Python and the templates of a rule."""
JUDGE_CODE_TIME_S: Final = 60.0
"""For one judge on one bundle, of the clock and of the processor."""
JUDGE_CODE_FILE_BYTES: Final = 16 * MIB
JUDGE_CODE_OPEN_FILES: Final = 256
MAX_RATIONALE_CHARACTERS: Final = 20_000
"""Of what a judge in Python says; more is cut."""
MAX_PROMPT_CHARACTERS: Final = 400_000
"""Of a rendered prompt of an LLM judge; a longer one is an error."""
MAX_CODE_ERROR_CHARACTERS: Final = 500
"""Of what an exception of a rule's own code says, and of what such code wrote where it must not."""
MAX_JUDGE_NOTES: Final = 50
"""Of one answer of a judge's code or of one prompt; the rest is counted."""
JUDGE_CODE_KEPT_BYTES: Final = 128 * MIB
"""Of trajectories that a process keeps so that the next judge of a bundle need not read them."""
JUDGE_CODE_SPARE_FILES: Final = 32
"""A process in which judges left more open files than this behind is replaced."""

# ---- text that is shown -------------------------------------------------------------------------

MAX_STACKED_MARKS: Final = 8
"""Combining marks on one character; no script needs more, and hundreds cover the lines above."""

# ---- documents that people write: rules, scripts ------------------------------------------------

MAX_YAML_ALIASES: Final = 100
MAX_NUMBER_DIGITS: Final = 400
"""Characters one number may have; any float and any real count is shorter."""

# ---- rule files ---------------------------------------------------------------------------------

MAX_RULE_BYTES: Final = 1 * MIB
MAX_RULE_DEPTH: Final = 64
MAX_PROMPT_FILE_BYTES: Final = 1 * MIB
MAX_RULE_PROBLEMS: Final = 20
"""How many problems of one rule file are listed; the rest is counted."""
MAX_PRECHECKS: Final = 1_000
MAX_CRITERIA: Final = 100
MAX_MUST_READ: Final = 100
MAX_RULE_NAME_CHARACTERS: Final = 200
MAX_SAMPLES: Final = 25
MAX_JUDGES: Final = 100
MAX_JUDGE_NAME_CHARACTERS: Final = 200
MAX_CONTEXT_FILES: Final = 50
"""Of one judge."""
MAX_MODULE_BYTES: Final = 1 * MIB
"""The file of a judge in a module."""
MAX_BUILTIN_BYTES: Final = 256 * KIB
MAX_CATALOGUE_FILES: Final = 1_000
"""Builtin judges, the shipped ones and those of every `--judges-dir` together."""
MAX_TURNS: Final = 1_000
MAX_TIMEOUT_S: Final = 86_400.0
MAX_ANSWER_TOKENS: Final = 1_000_000
"""The most `max_tokens` may ask of one model answer."""
MIN_THINKING_TOKENS: Final = 1_024
MIN_SANDBOX_MEMORY_BYTES: Final = 64 * MIB
MAX_SANDBOX_MEMORY_BYTES: Final = 64 * 1024 * MIB
MIN_SANDBOX_CPUS: Final = 0.05
MAX_SANDBOX_CPUS: Final = 64.0
MIN_SANDBOX_PIDS: Final = 8
MAX_SANDBOX_PIDS: Final = 4_096

# ---- one agent judgement ------------------------------------------------------------------------

DEFAULT_MAX_TURNS: Final = 40
DEFAULT_TIMEOUT_S: Final = 900.0
TIMEOUT_GRACE_S: Final = 2.0
"""After timeout_s, for the call in flight to end by itself and be booked."""
DEFAULT_MAX_TOKENS: Final = 16_000
"""Tokens one model answer may have; the Messages API asks for a number."""
MAX_CORRECTIONS: Final = 3
"""How often a verdict that cannot be accepted is sent back before the bundle ends as an error."""
MAX_TOOL_CALLS_PER_TURN: Final = 32
MAX_TOOL_RESULT_CHARACTERS: Final = 40_000
MAX_TOOL_ARGUMENT_CHARACTERS: Final = 4_096
MAX_SEARCH_PATTERN_CHARACTERS: Final = 2_000
MAX_JSON_QUERY_CHARACTERS: Final = 1_000
MAX_QUOTE_CHARACTERS: Final = 2_000
MAX_LISTED_FILES: Final = 300
MAX_TASK_INPUT_CHARACTERS: Final = 20_000
TOOL_TIMEOUT_S: Final = 30.0
MAX_TOOL_REPLY_BYTES: Final = 8 * MIB
MAX_MEDIA_BYTES: Final = 5 * MIB

# ---- LLM and pairwise judges --------------------------------------------------------------------

QUESTION_TIMEOUT_S: Final = 900.0
"""For one answer of an LLM or pairwise judge, retries and the wait for money included."""

# ---- one verdict --------------------------------------------------------------------------------

MAX_VERDICT_NOTES: Final = 50
"""Of what judges noticed; the rest is counted."""
MAX_NOTE_CHARACTERS: Final = 300
MAX_FURTHER_REASON_CHARACTERS: Final = 500
"""Of each judge's words in a verdict's reason that more than one judge gives."""

# ---- the sandbox --------------------------------------------------------------------------------

SANDBOX_MEMORY_BYTES: Final = 512 * MIB
SANDBOX_CPUS: Final = 1.0
SANDBOX_PIDS: Final = 64
SANDBOX_RUNTIME_THREADS: Final = 192
"""What a runtime with a kernel of its own may use beside the processes of the tools: gVisor took 60
threads on two processors, and ends the container when it cannot have one."""
SANDBOX_TMP_BYTES: Final = 16 * MIB
SANDBOX_START_TIMEOUT_S: Final = 60.0
SANDBOX_TMP_INODES: Final = 1_024
SANDBOX_FILE_BYTES: Final = 16 * MIB
"""The largest file a process in the sandbox may write."""
SANDBOX_OPEN_FILES: Final = 1_024
SANDBOX_USER: Final = 61_000
"""User and group id in the container: nobody else's, neither there nor on common hosts."""
MAX_TOOL_REQUEST_BYTES: Final = 256 * KIB
MAX_SANDBOX_STDERR_BYTES: Final = 16 * KIB
"""The end of what the tool server says on stderr, kept for a message when it dies."""
PROOF_PROGRAM_TIMEOUT_S: Final = 20.0
"""How long one attack of `doctor --sandbox` may run inside."""
PROOF_OUTPUT_BYTES: Final = 256 * KIB
"""What is kept of its output."""
PROOF_FLOOD_BYTES: Final = 200_000_000
"""What attacks print that try to fill the host's memory or disk."""
PROOF_HOST_GROWTH_BYTES: Final = 64 * MIB
"""How much the host process may grow while it is flooded."""
ENGINE_TIMEOUT_S: Final = 60.0
"""For one answer of the container engine."""
ENGINE_PING_TIMEOUT_S: Final = 10.0
IMAGE_BUILD_TIMEOUT_S: Final = 600.0
"""Between two signs of life while an image is pulled or built."""

# ---- the model ----------------------------------------------------------------------------------

MODEL_MAX_ATTEMPTS: Final = 6
MODEL_ATTEMPT_TIMEOUT_S: Final = 600.0
MODEL_BACKOFF_FIRST_S: Final = 0.5
MODEL_BACKOFF_MAX_S: Final = 30.0
MODEL_RETRY_AFTER_MAX_S: Final = 120.0
"""The longest wait a server may ask for; what it asks beyond is cut to this."""
MODEL_MAX_UNREADABLE_REPLIES: Final = 2
"""How often an answer that cannot be understood is asked for again."""
MODEL_CONNECT_TIMEOUT_S: Final = 10.0
MODEL_GROW_AFTER_SUCCESSES: Final = 10
"""Answers in a row after which one more call may be in flight again."""
MAX_REPLY_DEPTH: Final = 100
"""Levels of nesting in a model's answer."""
MAX_MODEL_ERROR_CHARACTERS: Final = 500
MAX_SCRIPT_BYTES: Final = 1 * MIB
MAX_SCRIPT_DEPTH: Final = 64
MAX_SCRIPT_DELAY_S: Final = 60.0
MAX_SCRIPT_REPEATS: Final = 10_000

# ---- the run ------------------------------------------------------------------------------------

DEFAULT_CONCURRENCY: Final = 4
MAX_CONCURRENCY: Final = 256
STOP_GRACE_S: Final = 60.0
"""How long bundles in flight may go on after the first interruption; below what service managers
allow before they kill."""

# ---- the record ---------------------------------------------------------------------------------

RECORD_MAX_TRAJECTORY_BYTES: Final = 64 * MIB
"""All files of one trajectory together."""
RECORD_MAX_TRAJECTORY_FILES: Final = 200
RECORD_MAX_JSON_NODES: Final = 2_000_000
"""Values of one document, or of all lines of a trajectory, that are ever built in memory."""
RECORD_MAX_BROKEN_LINES: Final = 10_000
"""Of one file; after so many the rest of it is left out."""
RECORD_MAX_DOCUMENT_BYTES: Final = 4 * MIB
"""Annotations, inputs, the run's result: one file."""
RECORD_MAX_LOG_BYTES: Final = 8 * MIB
"""Of a longer log, half of this from the beginning and half from the end."""
RECORD_MAX_FILE_BYTES: Final = 16 * MIB
"""A larger file of the bundle is named in `files` without its text."""
RECORD_MAX_FILES_BYTES: Final = 64 * MIB
"""All files in `files` together; the largest are left without text first."""
RECORD_SNIFFED_BYTES: Final = 64 * KIB
"""What of a file without text is looked at to tell whether it is binary."""
RECORD_MAX_NOTES: Final = 200
RECORD_MAX_COMMAND_CHARACTERS: Final = 20_000
"""A longer shell command is not searched for files that it reads."""
RECORD_MAX_COMMANDS_CHARACTERS: Final = 1_000_000
"""All shell commands together that are searched for files they read."""
RECORD_MAX_READS_A_COMMAND: Final = 100
RECORD_MAX_READS: Final = 50_000


@dataclass(frozen=True, slots=True)
class TextBudgets:
    """Characters that each text of the record may have in a prompt, what says so included."""

    outputs: int = 120_000
    one_file: int = 20_000
    conversation: int = 60_000
    tool_trace: int = 40_000
    one_call: int = 600
    evidence: int = 12_000
    inputs: int = 20_000
    annotations: int = 20_000
    one_field: int = 8_000


PAIR_TEXT_BUDGETS: Final = TextBudgets(outputs=90_000, conversation=40_000)
"""Of each of two bundles in one prompt."""
RECORD_MAX_OPENED_FOR_TEXT: Final = 500
"""Files of a bundle that are opened to show them in a prompt; the others are named."""
RECORD_MAX_LISTED: Final = 100
"""Names in one list of a text of the record; the rest is counted."""

# ---- the store ----------------------------------------------------------------------------------

STORE_BUSY_TIMEOUT_S: Final = 30.0
"""How long a reader or writer waits for another process before it gives up."""
STORE_HEARTBEAT_S: Final = 10.0
"""How often whoever executes a run should say that it is alive."""
STORE_HEARTBEAT_STALE_S: Final = 60.0
"""A heartbeat at least this old belongs to a process that is taken to be gone."""
MAX_KEEP_DAYS: Final = 36_500
"""The longest that `prune --keep-days` reaches back."""
MAX_STORED_DEPTH: Final = 128
"""Levels of arrays and objects kept of any JSON; what lies deeper becomes a note."""
MIN_SHARED_TEXT_CHARACTERS: Final = 200
"""Strings of a transcript at least this long are written once, however often they were sent."""

# ---- scoring ------------------------------------------------------------------------------------

MAX_SCORE_SIZE: Final = 1e100
"""Of a judge's number, a limit or a weight, either side of 0: sums and differences stay floats."""
MAX_FORMULA_CHARACTERS: Final = 2_000
"""Of a reward formula."""
MAX_FORMULA_DEPTH: Final = 64
"""Levels of nesting in a formula. A chain such as `a + b + c` has one level for each operator."""
MAX_FORMULA_EXPONENT: Final = 16
MAX_ROUND_DIGITS: Final = 15
