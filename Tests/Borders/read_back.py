"""Reads text back from the languages that it was written in, with third-party readers.

Input on standard input, as JSON: a list of {kind, written, expected}. Output, as JSON: a line for each text that isn't
read as expected.
"""
import http.cookies
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import xml.etree.ElementTree
from email import policy
from html.parser import HTMLParser


class Page(HTMLParser):
    """Collects the elements of a page, with their attributes and text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.others = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), ""])
        self.open.append(self.elements[-1])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open:
            self.open[-1][2] += data
        elif data.strip():
            self.others.append(data)

    def handle_comment(self, data):
        self.others.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def html(written):
    """Reads the text as content, and as an attribute in each kind of quotation marks."""
    page = Page(f"<p title=\"{written}\">{written}</p><p title='{written}'>{written}</p>")
    if page.others or [element[0] for element in page.elements] != ["p", "p"]:
        return f"other elements: {page.elements} {page.others}"
    texts = {element[2] for element in page.elements}
    for element in page.elements:
        if set(element[1]) != {"title"}:
            return f"other attributes: {element[1]}"
        texts.add(element[1]["title"])
    return texts.pop() if len(texts) == 1 else f"several texts: {texts}"


def svg(written):
    name = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(
        f"<svg xmlns=\"http://www.w3.org/2000/svg\"><text id=\"{written}\" class='{written}'>{written}</text></svg>"
    )
    if [element.tag for element in root.iter()] != [name + "svg", name + "text"] or set(root[0].attrib) != {"id", "class"}:
        return "other elements or attributes"
    texts = {root[0].text or "", *root[0].attrib.values()}
    return texts.pop() if len(texts) == 1 else f"several texts: {texts}"


def quoted_string(written):
    """Reads a member of a list, followed by another one. Escapes are removed as in the module for cookies."""
    members = urllib.request.parse_http_list(f"a={written}, b=c")
    if len(members) != 2 or members[1] != "b=c" or not members[0].startswith('a="') or not members[0].endswith('"'):
        return f"other members: {members}"
    text = members[0][3:-1]
    other = http.cookies._unquote(written)
    return text if text == other else f"several texts: {text!r}, {other!r}"


def media_type(written):
    """Reads the parameter x, which must be the only one. A parser of messages turns several spaces into one."""
    parameters = dict(policy.default.header_factory("content-type", written).params)
    others = set(parameters) - {"x", "boundary", "type"}
    return f"other parameters: {others}" if others else parameters.get("x", "")


def pointer(written):
    """Reads a JSON Pointer by RFC 6901 §4, from the right."""
    if "/" in written or re.search("~(?![01])", written):
        return "more than one token"
    return written.replace("~1", "/").replace("~0", "~")


def line(written):
    """Checks that the text is one line for a terminal, without control sequences."""
    found = re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", written)
    return f"a control character: {found.group()!r}" if found else written


def page(written):
    """Returns the elements and attributes of a whole page as a list, and the texts of its list."""
    read = Page(written)
    names = sorted({name for element in read.elements for name in element[1]})
    return json.dumps({
        "elements": sorted({element[0] for element in read.elements}), "attributes": names,
        "items": [element[2] for element in read.elements if element[0] == "li"],
        "others": [text for text in read.others if text.lower() != "doctype html"],
    })


def same_json(read, expected):
    return json.loads(read) == json.loads(expected)


def shell(texts):
    """Reads all words with one shell. Each argument ends with a byte that no word may contain."""
    script = "".join(f"show {text['written']}\n" for text in texts)
    # A word with insufficient quotation might run something.
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            ["sh"], input=("show() { for word; do printf '%s\\1' \"$word\"; done; printf '\\2'; }\n" + script).encode(),
            capture_output=True, check=False, cwd=folder,
        )
    calls = output.stdout.decode().split("\2")[:-1]
    if output.returncode or output.stderr or len(calls) != len(texts):
        # One word broke the script, so each is read separately.
        if len(texts) == 1:
            return [f"the shell said: {output.stdout.decode()!r} {output.stderr.decode()!r}"]
        middle = len(texts) // 2
        return shell(texts[:middle]) + shell(texts[middle:])
    return ["\1".join(call.split("\1")[:-1]) for call in calls]


READERS = {
    "html": html, "svg": svg, "json": json.loads, "quoted-string": quoted_string, "media-type": media_type,
    "pointer": pointer, "line": line, "page": page,
}


def main():
    texts, faults = json.load(sys.stdin), []
    words = [text for text in texts if text["kind"] == "shell"]
    read = dict(zip(map(id, words), shell(words))) if words else {}
    for text in texts:
        kind, expected = text["kind"], text["expected"]
        try:
            found = read[id(text)] if kind == "shell" else READERS[kind](text["written"])
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if kind == "media-type":
            found, expected = (re.sub("[ \t]+", " ", one) for one in (found, expected))
        if found != expected and not (kind == "page" and same_json(found, expected)):
            faults.append(f"{kind} {text['written'][:300]!r}: {found[:300]!r}, not {expected[:300]!r}")
    json.dump(faults, sys.stdout)


main()
