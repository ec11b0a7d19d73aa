"""Reads log content as its receiver would, and compares it with the expected content, record by record.

Usage: read_logs.py otlp|protobuf|loki|ndjson CONTENT MEANT. Prints one line for each difference, and nothing if there
are none. Exits with status 3 if a required package isn't installed.
"""

import base64
import datetime
import json
import math
import re
import sys

problems = []


def problem(where, text):
    problems.append(f"{where}: {text}")


def members(pairs):
    result = {}
    for name, value in pairs:
        if name in result:
            problem("JSON", f"the member {name!r} stands twice")
        result[name] = value
    return result


def not_a_number(text):
    raise ValueError(f"{text} is no JSON")


def strict(text):
    return json.loads(text, object_pairs_hook=members, parse_constant=not_a_number)


def compare(where, seen, meant):
    if type(seen) is not type(meant) or (seen != meant and not (both_nan(seen, meant))):
        problem(where, f"is {seen!r}, meant {meant!r}")


def both_nan(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(a == b or both_nan(a, b) for a, b in zip(one, other))
    return isinstance(one, float) and math.isnan(one) and math.isnan(other)


# An expected value is a list of its kind and the value, so that 1 differs from 1.0, and "NaN" isn't a number.


def tagged(value):
    """Converts an expected value to a Python value that differs whenever the expected values differ."""
    kind, content = value
    if kind == "double":
        return [kind, float(content)]
    if kind == "integer":
        return [kind, int(content)]
    if kind == "array":
        return [kind, [tagged(element) for element in content]]
    if kind == "object":
        return [kind, sorted([name, tagged(member)] for name, member in content.items())]
    return [kind, content]


# OTLP


def check_mapping(value, descriptor, where):
    """Checks OTLP's restrictions of the JSON mapping, because the parser of Protocol Buffers accepts more."""
    fields = {field.json_name: field for field in descriptor.fields}
    for name, member in value.items():
        field = fields.get(name)
        if field is None:
            problem(where, f"{name!r} is no field in lowerCamelCase of {descriptor.name}")
            continue
        elements = member if field.is_repeated else [member]
        if field.is_repeated and not isinstance(member, list):
            problem(where, f"{name!r} is no array")
            continue
        for element in elements:
            place = f"{where}.{name}"
            if field.message_type is not None:
                check_mapping(element, field.message_type, place)
            elif field.type in (field.TYPE_INT64, field.TYPE_UINT64, field.TYPE_FIXED64):
                if not isinstance(element, str) or not re.fullmatch("-?[0-9]+", element):
                    problem(place, f"64 bits are written as {element!r}")
            elif field.type == field.TYPE_ENUM:
                if type(element) is not int:
                    problem(place, f"an enumeration is written as {element!r}")
            elif field.type == field.TYPE_BYTES:
                if not re.fullmatch("([0-9a-fA-F]{2})+", element):
                    problem(place, f"an identifier is written as {element!r}")


def with_base64(record):
    """Converts the identifiers to the form of the general mapping. Only OTLP requires them to be hexadecimal."""
    record = dict(record)
    for name in ("traceId", "spanId"):
        if name in record:
            record[name] = base64.b64encode(bytes.fromhex(record[name])).decode()
    return record


def any_value(value):
    kind = value.WhichOneof("value")
    if kind is None:
        return ["null", None]
    content = getattr(value, kind)
    if kind == "array_value":
        return ["array", [any_value(element) for element in content.values]]
    if kind == "kvlist_value":
        return ["object", sorted([pair.key, any_value(pair.value)] for pair in content.values)]
    return [{"string_value": "string", "bool_value": "bool", "int_value": "integer", "double_value": "double"}[kind],
            content]


def no_unknown_fields(message, where):
    """Returns fields whose numbers or wire types aren't in the definitions. The parser keeps these silently."""
    from google.protobuf import unknown_fields

    for field in unknown_fields.UnknownFieldSet(message):
        problem(where, f"the field {field.field_number} of wire type {field.wire_type} is not defined")
    for descriptor, content in message.ListFields():
        if descriptor.message_type is not None:
            for element in content if descriptor.is_repeated else [content]:
                no_unknown_fields(element, f"{where}.{descriptor.name}")


def protobuf(content, meant):
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    request = ExportLogsServiceRequest.FromString(content)
    no_unknown_fields(request, "request")
    # No value is written with more bytes than necessary.
    compare("bytes", len(content), request.ByteSize())
    compare_logs(request, meant)


def otlp(content, meant):
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    tree = strict(content)
    check_mapping(tree, ExportLogsServiceRequest.DESCRIPTOR, "request")
    for resource in tree["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            scope["logRecords"] = [with_base64(record) for record in scope["logRecords"]]
    compare_logs(json_format.Parse(json.dumps(tree), ExportLogsServiceRequest()), meant)


SCHEMA = "https://opentelemetry.io/schemas/1.44.0"
LIBRARY = [["telemetry.sdk.name", ["string", "HTTPChain"]], ["telemetry.sdk.language", ["string", "swift"]],
           ["telemetry.sdk.version", ["string", "0.1.0"]]]


def compare_logs(request, meant):
    compare("resources", len(request.resource_logs), 1)
    logs = request.resource_logs[0]
    compare("resource", [[pair.key, any_value(pair.value)] for pair in logs.resource.attributes],
            [[name, tagged(value)] for name, value in meant["resource"]] + LIBRARY)
    compare("schema", logs.schema_url, SCHEMA)
    expected = {}
    for record in meant["records"]:
        expected.setdefault(record["component"], []).append(record)
    compare("scopes", [scope.scope.name for scope in logs.scope_logs], list(expected))
    for scope in logs.scope_logs:
        is_own = scope.scope.name == "http.client"
        compare(f"{scope.scope.name}: version", scope.scope.version, "0.1.0" if is_own else "")
        compare(f"{scope.scope.name}: schema", scope.schema_url, SCHEMA if is_own else "")
        compare(f"{scope.scope.name}: records", len(scope.log_records), len(expected[scope.scope.name]))
        for number, (seen, record) in enumerate(zip(scope.log_records, expected[scope.scope.name])):
            where = f"{scope.scope.name}[{number}]"
            compare(f"{where}.time", seen.time_unix_nano, int(record["time"]))
            compare(f"{where}.observed", seen.observed_time_unix_nano, int(record["time"]))
            compare(f"{where}.severity", seen.severity_number, record["severity"])
            compare(f"{where}.severityText", seen.severity_text, record["level"])
            compare(f"{where}.body", any_value(seen.body), ["string", record["message"]])
            compare(f"{where}.trace", seen.trace_id.hex(), record["traceID"])
            compare(f"{where}.span", seen.span_id.hex(), record["spanID"])
            compare(f"{where}.flags", seen.flags, record["flags"])
            compare(f"{where}.attributes", [[pair.key, any_value(pair.value)] for pair in seen.attributes],
                    [[name, tagged(value)] for name, value in record["attributes"]])


# Loki


def label(name):
    name = re.sub("[^A-Za-z0-9_]", "_", name)
    return name if re.match("[A-Za-z]", name) else "key" + ("" if name.startswith("_") else "_") + name


def as_text(value):
    kind, content = value
    if kind == "bool":
        return "true" if content else "false"
    if kind in ("array", "object"):
        return None
    return content


def same_text(text, value):
    """Returns whether metadata has the value. Numbers are compared as numbers, and nested values as JSON."""
    kind, content = value
    if kind == "double":
        return float(text) == float(content) or both_nan(float(text), float(content))
    if kind in ("array", "object"):
        return same_json(strict(text), value)
    return text == as_text(value)


def same_json(seen, value):
    kind, content = value
    if kind == "double":
        return seen == float(content) if math.isfinite(float(content)) else seen is None
    if kind == "integer":
        return type(seen) is int and seen == int(content)
    if kind == "array":
        return isinstance(seen, list) and len(seen) == len(content) and all(map(same_json, seen, content))
    if kind == "object":
        return isinstance(seen, dict) and seen.keys() == content.keys() and all(
            same_json(seen[name], content[name]) for name in content)
    return seen == content and type(seen) is type(content)


def loki(content, meant):
    tree = strict(content)
    compare("members", sorted(tree), ["streams"])
    expected = {}
    for record in meant["records"]:
        expected.setdefault((record["component"], record["level"]), []).append(record)
    common = [(name, value) for name, value in meant["resource"] if name not in meant["labels"]]
    streams = {}
    for stream in tree["streams"]:
        compare("stream", sorted(stream), ["stream", "values"])
        labels = stream["stream"]
        for name, value in labels.items():
            if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) or not isinstance(value, str):
                problem("label", f"{name!r} = {value!r}")
        key = (labels.pop("component"), labels.pop("level"))
        compare("labels", labels,
                {label(name): as_text(value) for name, value in meant["resource"] if name in meant["labels"]})
        streams[key] = stream["values"]
    compare("streams", list(streams), list(expected))
    for key, values in streams.items():
        times = [int(entry[0]) for entry in values]
        compare(f"{key}: order", times, sorted(set(times)))
        records = sorted(expected[key], key=lambda record: int(record["time"]))
        compare(f"{key}: entries", len(values), len(records))
        for number, (entry, record) in enumerate(zip(values, records)):
            where = f"{key}[{number}]"
            if not re.fullmatch("[0-9]+", entry[0]) or not 0 <= int(entry[0]) - int(record["time"]) < 1000:
                problem(where, f"the time is {entry[0]}, meant {record['time']}")
            compare(f"{where}.line", entry[1], record["message"])
            metadata = entry[2] if len(entry) > 2 else {}
            wanted = [(name, value) for name, value in common + record["all"] if value[0] != "null"]
            compare(f"{where}.metadata", sorted(metadata), sorted(label(name) for name, _ in wanted))
            for name, value in wanted:
                if not same_text(metadata[label(name)], value):
                    problem(where, f"{name} is {metadata[label(name)]!r}, meant {value!r}")


# NDJSON


def ndjson(content, meant):
    compare("the last byte", content[-1:], "\n")
    lines = content.split("\n")[:-1]
    compare("lines", len(lines), len(meant["records"]))
    for number, (line, record) in enumerate(zip(lines, meant["records"])):
        seen = strict(line)
        where = f"line {number}"
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        time = datetime.datetime.fromisoformat(seen["time"].replace("Z", "+00:00")) - epoch
        microseconds = (time.days * 86400 + time.seconds) * 1_000_000 + time.microseconds
        compare(f"{where}.time", microseconds, (int(record["time"]) + 500) // 1000)
        for name in ("level", "component", "message"):
            compare(f"{where}.{name}", seen[name], record[name])
        for name, wanted in (("attributes", record["all"]), ("resource", meant["resource"])):
            if not same_json(seen.get(name, {}), ["object", dict(wanted)]):
                problem(where, f"{name} are {seen.get(name)!r}, meant {wanted!r}")


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as file:
        text = file.read()
    if sys.argv[1] != "protobuf":
        text = text.decode("utf-8")
    with open(sys.argv[3], encoding="utf-8") as file:
        goal = json.load(file)
    try:
        {"otlp": otlp, "protobuf": protobuf, "loki": loki, "ndjson": ndjson}[sys.argv[1]](text, goal)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    print("\n".join(problems[:20]))
