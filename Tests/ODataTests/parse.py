"""parse.py faults|strings: parses whole URLs of OData by the rules in odata.abnf, with a third-party parser (abnf).

Input on standard input, as JSON: a list of URLs, relative to the root of a service. Output, as JSON, for each URL:
`faults`: null, or its error; `strings`: a list of the strings and search phrases in it, or null if it doesn't match the
grammar. Exit status 3: a package is missing.
"""
import json
import os
import sys
from urllib.parse import unquote

try:
    from abnf import Rule
    from abnf.parser import ParseError
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)


class OData(Rule):
    pass


here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "odata.abnf"), encoding="utf-8") as file:
    lines = file.read().split("\n")
# A grammar consists of rules, each ended by CRLF. There must be no empty lines or whole-line comments before the first.
text = "\r\n".join(line for line in lines if line.strip() and not line.startswith(";")) + "\r\n"
OData.load_grammar(text)
rule = OData("odataRelativeUri")

sys.setrecursionlimit(1_000_000)


def fault(url):
    try:
        rule.parse_all(url)
    except ParseError as error:
        return f"{type(error).__name__}: {error}"
    return None


def texts(node):
    if node.name == "stringLiteral":
        return [unquote(node.value)[1:-1].replace("''", "'")]
    if node.name == "searchPhrase":
        text, result, index = unquote(node.value)[1:-1], "", 0
        while index < len(text):
            index += text[index] == "\\"
            result += text[index]
            index += 1
        return [result]
    if node.name == "searchWord":
        return [unquote(node.value)]
    return [text for child in node.children for text in texts(child)]


def strings(url):
    try:
        return texts(rule.parse_all(url))
    except ParseError:
        return None


answer = {"faults": fault, "strings": strings}[sys.argv[1]]
json.dump([answer(url) for url in json.load(sys.stdin)], sys.stdout)
