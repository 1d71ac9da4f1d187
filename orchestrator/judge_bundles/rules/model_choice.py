"""Which model a judge is asked with: of all that name one, the strongest.

`--model`, the judge's own, the rule's `model`, `models.judge`, EVAL_JUDGE_MODEL.
"""

import os
from dataclasses import dataclass

from judge_bundles.rules.file_model import RuleFile
from judge_bundles.rules.model import ModelSource, Overrides


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What names a model beside a judge itself; None where there is nothing."""

    option: str | None = None
    rule: str | None = None
    models_judge: str | None = None
    environment: str | None = None

    @classmethod
    def of(cls, file: RuleFile | None, overrides: Overrides) -> "ModelChoice":
        """Collect them; `file` is None while the rule cannot be used anyway."""
        return cls(
            _stripped(overrides.model),
            _stripped(file.model if file else None),
            _stripped(file.models.judge if file else None),
            _stripped(os.environ.get("EVAL_JUDGE_MODEL")),  # set to nothing it names none
        )

    def for_rule(self) -> tuple[str | None, ModelSource | None]:
        """Return the model of a judge that names none, and where that model is named."""
        if self.option is not None:
            return self.option, "--model"
        if self.rule is not None:
            return self.rule, "rule"
        if self.models_judge is not None:
            return self.models_judge, "models.judge"
        return self.environment, "EVAL_JUDGE_MODEL" if self.environment else None

    def for_judge(self, own: str | None) -> str | None:
        """Return the model of a judge that names `own`."""
        return self.option or _stripped(own) or self.for_rule()[0]


def _stripped(name: str | None) -> str | None:
    return (name or "").strip() or None
