"""The wire contract as a Python server keeps it: strict models, `json.dumps` as it comes, nothing of the TypeScript package."""

import json
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

HEADER = "X-NG-Failure-Report"
FIELD = "nemo_gym_failure_report"
HEADER_MAX_BYTES = 4096

Text = Annotated[str, Field(min_length=1)]
Status = Annotated[int, Field(ge=100, le=599)]


class Strict(BaseModel):
    """Keys that the contract does not name make the whole report invalid here."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ForeignError(Strict):
    exception_type: Text
    message: str
    http_status: Status | None = None


class Event(Strict):
    event_id: Text
    boundary: Literal["model", "harness", "agent", "resources_server", "environment", "collection"]
    failure_kind: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(:[a-z][a-z0-9_]*)?$")]
    failure_reason: Annotated[str, Field(max_length=2000)]
    stage: Literal["admission", "seed", "agent", "verification", "cleanup"] | None = None
    operation: str | None = None
    http_status: Status | None = None
    cause_id: Text | None = None
    foreign_error: ForeignError | None = None
    details: dict[str, Any] | None = None


class Report(Strict):
    failure_id: Text | None = None
    events: dict[str, Event] = Field(default_factory=dict)
    omitted: Literal[True] | None = None

    @model_validator(mode="after")
    def resolves(self) -> "Report":
        for key, event in self.events.items():
            if key != event.event_id:
                raise ValueError(f"the key {key} differs from its event_id")
            seen = {key}
            cause = event.cause_id
            while cause is not None:
                if cause in seen or cause not in self.events:
                    raise ValueError(f"the causes of {key} do not end")
                seen.add(cause)
                cause = self.events[cause].cause_id
        if self.failure_id is not None and self.failure_id not in self.events:
            raise ValueError("failure_id names no event")
        return self

    def merged(self, other: "Report | None") -> "Report":
        if other is None:
            return self
        return Report(
            failure_id=self.failure_id or other.failure_id,
            events={**other.events, **self.events},
            omitted=self.omitted or other.omitted,
        )

    def record(self) -> dict[str, Any]:
        record = self.model_dump(exclude_none=True)
        return {key: value for key, value in record.items() if value not in ({}, None)}


class Row(BaseModel):
    """What a saved row says of failures; the row's other fields are the rollout's."""

    model_config = ConfigDict(extra="ignore", strict=True)

    events: dict[str, Event] = Field(default_factory=dict, alias="_ng_failure_events")
    failure_id: Text | None = Field(default=None, alias="_ng_failure_id")
    omitted: Literal[True] | None = Field(default=None, alias="_ng_failure_events_omitted")

    def report(self) -> Report:
        return Report(failure_id=self.failure_id, events=self.events, omitted=self.omitted)


OMITTED = Report(omitted=True)


def event(boundary: str, kind: str, reason: str, **more: Any) -> Event:
    return Event(event_id=uuid.uuid4().hex, boundary=boundary, failure_kind=kind, failure_reason=reason, **more)


def read(value: Any) -> Report | None:
    """A report from a header's text or a stream's field; what is no valid report is an omitted one."""
    if value is None:
        return None
    try:
        return Report.model_validate(json.loads(value) if isinstance(value, str) else value)
    except (ValueError, ValidationError):
        return OMITTED


def write(report: Report) -> str | None:
    """A header's text, or nothing for an empty report."""
    record = report.record()
    if not record:
        return None
    text = json.dumps(record)
    return text if len(text) <= HEADER_MAX_BYTES else json.dumps(OMITTED.record())


def row_fields(report: Report) -> dict[str, Any]:
    names = {"events": "_ng_failure_events", "failure_id": "_ng_failure_id", "omitted": "_ng_failure_events_omitted"}
    return {names[key]: value for key, value in report.record().items()}


def stream_report(body: str) -> Report | None:
    """The report of a stream whose events have one `data:` line each."""
    found: Report | None = None
    for line in body.splitlines():
        if not line.startswith("data:") or FIELD not in line:
            continue
        payload = json.loads(line[5:])
        report = read(payload.get(FIELD, payload.get("response", {}).get(FIELD)))
        found = report if found is None else found.merged(report)
    return found
