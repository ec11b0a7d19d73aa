"""Reads a framed form with a third-party parser, and prints its parts as JSON.

Usage: parse_form.py werkzeug|multipart CONTENT-TYPE FILE. Exits with status 3 if the parser isn't installed.
"""

import hashlib
import json
import os
import sys


def environment(content_type, path, stream):
    return {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(os.path.getsize(path)),
        "wsgi.input": stream,
    }


def with_werkzeug(content_type, path, stream):
    from werkzeug.formparser import parse_form_data

    _, form, files = parse_form_data(environment(content_type, path, stream), silent=False)
    for name, value in form.items(multi=True):
        yield name, None, None, value.encode()
    for name, file in files.items(multi=True):
        yield name, file.filename, file.content_type, file.stream.read()


def with_multipart(content_type, path, stream):
    import multipart

    _, options = multipart.parse_options_header(content_type)
    parser = multipart.MultipartParser(stream, options["boundary"], os.path.getsize(path), strict=True)
    for part in parser:
        # The parser treats a part without a Content-Type as plain text, and records that in its own field.
        kind = part.content_type if any(name == "Content-Type" for name, _ in part.headerlist) else None
        yield part.name, part.filename, kind, part.raw


def main():
    parser, content_type, path = sys.argv[1:]
    with open(path, "rb") as stream:
        parts = [
            {"name": name, "fileName": file_name, "contentType": kind, "size": len(content),
             "sha256": hashlib.sha256(content).hexdigest(), "text": content[:200].decode("utf-8", "replace")}
            for name, file_name, kind, content in globals()["with_" + parser](content_type, path, stream)
        ]
    json.dump(parts, sys.stdout)


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as error:
        sys.stderr.write(str(error))
        sys.exit(3)
