"""What a run left in its bundle, as judges read it: one lazy mapping, and its texts for prompts.

Everything here works on hostile content inside a worker process: nothing in a bundle can make it
raise, follow a link or use unbounded memory. It knows neither rules nor models.
"""

from judge_bundles.record.files_read import FileRead, files_read
from judge_bundles.record.paths import RecordPaths
from judge_bundles.record.record import Record
from judge_bundles.record.texts import VARIABLES, Texts

__all__ = ["VARIABLES", "FileRead", "Record", "RecordPaths", "Texts", "files_read"]
