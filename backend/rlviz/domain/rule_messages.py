"""What the rules of a run have left for its user."""

from pydantic import ConfigDict, Field

from rlviz.domain.event_lines import EventRecord
from rlviz.domain.events import RuleFiredData
from rlviz.domain.lazy_model import LazyModel

KEPT = 5
"""Newest messages that are kept in words. More than these hardly come between two looks at a run."""


class RuleMessage(LazyModel):
    """What one firing of a rule tells the user."""

    model_config = ConfigDict(frozen=True)

    rule: int = Field(ge=1, description="Number of the rule, from 1.")
    time: float = Field(description="Unix time, seconds.")
    step: int
    message: str


class RuleMessages(LazyModel):
    """``count``: all that there were; ``newest``: the last of them, oldest first."""

    model_config = ConfigDict(frozen=True)

    count: int = Field(default=0, ge=0)
    newest: tuple[RuleMessage, ...] = ()

    def with_one(self, event: EventRecord, fired: RuleFiredData) -> "RuleMessages":
        """These and the message of ``fired``, which ``event`` tells of."""
        message = RuleMessage(rule=fired.rule, time=event.time, step=event.step, message=fired.notify or fired.says)
        return RuleMessages(count=self.count + 1, newest=(*self.newest, message)[-KEPT:])

    def after(self, count: int) -> tuple[RuleMessage, ...]:
        """Those that came after the first ``count``, as far as they are kept."""
        return self.newest[-missing:] if (missing := self.count - count) > 0 else ()
