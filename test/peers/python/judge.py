"""Reads and writes reports for tests: a JSON array of questions on stdin, an array of answers on stdout.

A question names what is asked, what about, and whether the strict models answer it. Answers are reports as they are
written, `null` for none.
"""

import base64
import json
import sys
from typing import Any

import row
import sse
import wire

Model = type[wire.Report]


def record(report: wire.Report | None) -> dict[str, Any] | None:
    return None if report is None else report.record()


def header(value: str, model: Model) -> Any:
    """What a header says, and the header that is written of it: as `json.dumps` leaves it, and compact."""
    report = wire.read(value, model)
    if report is None:
        return None
    return {"report": report.record(), "dumped": json.dumps(report.record()), "sent": wire.write(report, wire.COMPACT)}


def stream(body: dict[str, Any], model: Model) -> Any:
    return record(sse.report(base64.b64decode(body["base64"]), model, body["limit"]))


def saved(given: dict[str, Any], model: Model) -> Any:
    reports = [wire.from_value(report, model) for report in given["reports"]]
    return {
        "saved": row.report(given["row"], model).record(),
        "merged": row.merged_into(given["row"], *reports, model=model),
    }


def report(value: Any, model: Model) -> Any:
    return record(wire.read(value, model))


def episode(value: Any, _: Model) -> Any:
    """Raises what the strict models have against it."""
    return {name: member for name, member in wire.Episode.model_validate(value) if member is not None}


ASKED = {function.__name__: function for function in (header, stream, saved, report, episode)}
questions = json.load(sys.stdin)
answers = [ASKED[asked["what"]](asked["about"], wire.Report if asked["strict"] else wire.OpenReport) for asked in questions]
json.dump(answers, sys.stdout)
