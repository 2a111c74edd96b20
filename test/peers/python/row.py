"""A report in a saved row."""

from typing import Any

import wire

NAMES = {"events": "_ng_failure_events", "failure_id": "_ng_failure_id", "omitted": "_ng_failure_events_omitted"}


def report(row: dict[str, Any], model: type[wire.Report] = wire.Report) -> wire.Report:
    saved = {name: row[key] for name, key in NAMES.items() if row.get(key) is not None}
    return wire.read(saved, model) or model()


def fields(saved: wire.Report) -> dict[str, Any]:
    return {NAMES[name]: value for name, value in saved.record().items()}


def merged_into(
    row: dict[str, Any], *reports: wire.Report | None, model: type[wire.Report] = wire.Report
) -> dict[str, Any]:
    own = {key: value for key, value in row.items() if key not in NAMES.values()}
    return {**own, **fields(report(row, model).merged(*reports))}
