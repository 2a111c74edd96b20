"""The wire contract as a Python server keeps it: pydantic models and `json.dumps`, nothing of the TypeScript package.

Two readers stand here. The strict one is a Python peer as it comes: models that forbid every other key, `json.loads` as it
is. The open one is docs/wire.md to the letter, for cases and random data that both languages must read alike.
"""

import json
import math
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

HEADER = "X-NG-Failure-Report"
FIELD = "nemo_gym_failure_report"
HEADER_MAX_BYTES = 4096
MAX_LEVELS = 100
COMPACT = (",", ":")
KINDS = frozenset(
    """transport_unreachable transport_peer_drop transport_timeout transport_local_resource agent_run_error
    agent_request_failed agent_timeout agent_command_not_allowed judge_failed judge_unparseable verifier_error
    provider_unavailable provider_quota_exhausted provider_oom_killed session_lost session_expired session_release_failed
    cancelled kill_shaped shutdown persistence_failed cohort_incomplete""".split()
)

Text = Annotated[str, Field(min_length=1)]
Reason = Annotated[str, Field(max_length=2000)]
Status = Annotated[int, Field(ge=100, le=599)]
Kind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(:[a-z][a-z0-9_]*)?$")]
Boundary = Literal["model", "harness", "agent", "resources_server", "environment", "collection"]
Stage = Literal["admission", "seed", "agent", "verification", "cleanup"]


class Strict(BaseModel):
    """Keys that the contract does not name make the whole report invalid here."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ForeignError(Strict):
    exception_type: Text
    message: Annotated[str, Field(max_length=500)]
    http_status: Status | None = None


class Event(Strict):
    event_id: Text
    boundary: Boundary
    failure_kind: Kind
    failure_reason: Reason
    stage: Stage | None = None
    operation: str | None = None
    http_status: Status | None = None
    cause_id: Text | None = None
    foreign_error: ForeignError | None = None
    details: dict[str, Any] | None = None


class Report(Strict):
    failure_id: Text | None = None
    events: dict[str, Event] = Field(default_factory=dict)
    omitted: bool = False

    @model_validator(mode="after")
    def resolves(self) -> "Report":
        ended: set[str] = set()
        for key, event in self.events.items():
            if key != event.event_id:
                raise ValueError(f"the key {key} differs from its event_id")
            walked: set[str] = set()
            at: str | None = key
            while at is not None and at not in ended:
                if at in walked or at not in self.events:
                    raise ValueError(f"the causes of {key} do not end")
                walked.add(at)
                at = self.events[at].cause_id
            ended |= walked
        if self.failure_id is not None and self.failure_id not in self.events:
            raise ValueError("failure_id names no event")
        return self

    def merged(self, *others: "Report | None") -> "Report":
        result = self
        for other in others:
            if other is not None:
                result = type(self)(
                    failure_id=result.failure_id or other.failure_id,
                    events={**other.events, **result.events},
                    omitted=result.omitted or other.omitted,
                )
        return result

    def record(self) -> dict[str, Any]:
        """As it is written: what is not set is left out, `details` stay as they are."""
        record: dict[str, Any] = {}
        if self.failure_id is not None:
            record["failure_id"] = self.failure_id
        if self.events:
            record["events"] = {key: event_record(event) for key, event in self.events.items()}
        if self.omitted:
            record["omitted"] = True
        return record


class OpenForeignError(ForeignError):
    model_config = ConfigDict(extra="allow")
    message: str


class OpenEvent(Event):
    model_config = ConfigDict(extra="allow")
    failure_reason: str
    foreign_error: OpenForeignError | None = None


class OpenReport(Report):
    model_config = ConfigDict(extra="ignore")
    events: dict[str, OpenEvent] = Field(default_factory=dict)


class Episode(Strict):
    """The envelope of a failed episode: these four and no others."""

    failure_reason: Reason
    terminal: bool
    failure_kind: Kind | None = None
    stage: Stage | None = None


def event_record(event: Event) -> dict[str, Any]:
    foreign = event.foreign_error
    record = {name: value for name, value in event if value is not None}
    if foreign is not None:
        record["foreign_error"] = {name: value for name, value in foreign if value is not None}
    return record


def event(boundary: str, kind: str, reason: str, **more: Any) -> Event:
    return Event(event_id=uuid.uuid4().hex, boundary=boundary, failure_kind=kind, failure_reason=reason, **more)


def without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    return {key: member for key, member in value.items() if member is not None}


def read_event(key: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    value = {"event_id": key, **without_nulls(value)}
    if isinstance(value.get("foreign_error"), dict):
        value["foreign_error"] = without_nulls(value["foreign_error"])
    kind = value.get("failure_kind")
    if isinstance(kind, str) and kind not in KINDS and ":" not in kind:
        value["failure_kind"] = "unregistered:" + kind
    return value


def check_levels(value: Any) -> None:
    level = [value]
    for _ in range(MAX_LEVELS):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ValueError("nested too deep")


def from_value(value: Any, model: type[Report] = Report) -> Report:
    """A report from JSON data; raises a `ValueError`."""
    if not isinstance(value, dict):
        raise ValueError("no object")
    check_levels(value)
    if model is not Report:
        # Half of a surrogate pair is no text, in `details` neither: pydantic looks where it counts characters only.
        json.dumps(value, ensure_ascii=False).encode()
    value = without_nulls(value)
    if isinstance(value.get("events"), dict):
        value["events"] = {key: read_event(key, event) for key, event in value["events"].items()}
    return model.model_validate(value)


def finite(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise ValueError(f"{text} is no number")


def whole(text: str) -> int:
    finite(text)
    return int(text)


def loads(text: str, model: type[Report] = Report) -> Any:
    """JSON as `json.loads` takes it; for the open models without what JSON does not know, such as NaN."""
    if model is Report:
        return json.loads(text)
    return json.loads(text, parse_constant=finite, parse_float=finite, parse_int=whole)


def read(value: Any, model: type[Report] = Report) -> Report | None:
    """A report from a header's text or a stream's field; what is no valid report is an omitted one."""
    if value is None:
        return None
    try:
        return from_value(loads(value, model) if isinstance(value, str) else value, model)
    except (ValueError, RecursionError):
        return model(omitted=True)


def write(report: Report, separators: tuple[str, str] | None = None) -> str | None:
    """A header's text, or nothing for an empty report."""
    record = report.record()
    if not record:
        return None
    text = json.dumps(record, separators=separators)
    return text if len(text) <= HEADER_MAX_BYTES else json.dumps({"omitted": True}, separators=COMPACT)
