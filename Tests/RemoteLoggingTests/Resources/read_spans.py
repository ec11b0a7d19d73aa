"""Reads spans in both encodings of OTLP, and compares them with each other and with the expected spans.

Usage: read_spans.py JSON PROTOBUF MEANT. Prints one line for each difference, and nothing if there are none. Exits with
status 3 if a required package isn't installed.
"""

import base64
import json
import sys

from read_logs import (LIBRARY, SCHEMA, any_value, check_mapping, compare, no_unknown_fields, problem, problems, strict,
                       tagged)


def with_base64(tree):
    """Converts the identifiers to the form of the general mapping. Only OTLP requires them to be hexadecimal."""
    if isinstance(tree, list):
        return [with_base64(element) for element in tree]
    if not isinstance(tree, dict):
        return tree
    names = ("traceId", "spanId", "parentSpanId")
    return {name: base64.b64encode(bytes.fromhex(value)).decode() if name in names else with_base64(value)
            for name, value in tree.items()}


def attributes(pairs):
    return [[pair.key, any_value(pair.value)] for pair in pairs]


def seen(span):
    return {
        "traceID": span.trace_id.hex(), "spanID": span.span_id.hex(), "parent": span.parent_span_id.hex(),
        "state": span.trace_state, "flags": span.flags, "name": span.name, "kind": span.kind,
        "start": span.start_time_unix_nano, "end": span.end_time_unix_nano, "attributes": attributes(span.attributes),
        "events": [[event.name, event.time_unix_nano, attributes(event.attributes)] for event in span.events],
        "links": [[link.trace_id.hex(), link.span_id.hex(), attributes(link.attributes)] for link in span.links],
        "code": span.status.code, "message": span.status.message,
        "dropped": [span.dropped_attributes_count, span.dropped_events_count, span.dropped_links_count],
    }


def meant_pairs(pairs):
    return [[name, tagged(value)] for name, value in pairs]


def wanted(span):
    span = dict(span)
    del span["scope"]
    for name in ("start", "end"):
        span[name] = int(span[name])
    span["attributes"] = meant_pairs(span["attributes"])
    span["events"] = [[name, int(time), meant_pairs(pairs)] for name, time, pairs in span["events"]]
    span["links"] = [[trace, link, meant_pairs(pairs)] for trace, link, pairs in span["links"]]
    return span


def same(one, other):
    """Returns whether two values are the same. NaN is the same as NaN."""
    return repr(one) == repr(other)


def main():
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        tree = strict(file.read())
    check_mapping(tree, ExportTraceServiceRequest.DESCRIPTOR, "request")
    from_json = json_format.Parse(json.dumps(with_base64(tree)), ExportTraceServiceRequest())
    with open(sys.argv[2], "rb") as file:
        content = file.read()
    request = ExportTraceServiceRequest.FromString(content)
    no_unknown_fields(request, "request")
    compare("bytes", len(content), request.ByteSize())
    if from_json.SerializeToString(deterministic=True) != request.SerializeToString(deterministic=True):
        problem("encodings", "JSON and protocol buffers say different things")
    with open(sys.argv[3], encoding="utf-8") as file:
        meant = json.load(file)
    compare("resources", len(request.resource_spans), 1)
    spans = request.resource_spans[0]
    compare("schema", spans.schema_url, SCHEMA)
    compare("resource", attributes(spans.resource.attributes), [["service.name", ["string", "garden"]]] + LIBRARY)
    expected = {}
    for span in meant:
        expected.setdefault(span["scope"], []).append(span)
    compare("scopes", [scope.scope.name for scope in spans.scope_spans], list(expected))
    for scope in spans.scope_spans:
        name = scope.scope.name
        compare(f"{name}: version", scope.scope.version, "0.1.0" if name.startswith("HTTPChain") else "")
        compare(f"{name}: spans", len(scope.spans), len(expected[name]))
        for number, (span, goal) in enumerate(zip(scope.spans, expected[name])):
            one, other = seen(span), wanted(goal)
            for key in sorted(set(one) | set(other)):
                if not same(one.get(key), other.get(key)):
                    problem(f"{name}[{number}].{key}", f"is {one.get(key)!r}, meant {other.get(key)!r}")


if __name__ == "__main__":
    try:
        main()
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    print("\n".join(problems[:20]))
