"""Reads whole URLs of OData by the rules in odata.abnf, with a parser that was not written here (abnf).

Input on standard input, as JSON: a list of URLs, relative to the root of a service. Output, as JSON: for each, null, or
what is wrong with it. Exit status 3: a package is missing.
"""
import json
import os
import sys

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
# A grammar is its rules, each ended by CRLF: neither empty lines nor comments of a whole line stand before the first.
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


json.dump([fault(url) for url in json.load(sys.stdin)], sys.stdout)
