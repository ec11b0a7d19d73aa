#!/usr/bin/env python3
"""Compiles public_suffix_list.dat into Middleware/Cookies/PublicSuffix/PublicSuffixRules.swift.

With --fetch, downloads the newest list and its tests first. The date of the list is read from its line "// VERSION".
"""

import argparse
import pathlib
import re
import sys
import unicodedata
import urllib.request

here = pathlib.Path(__file__).resolve().parent
target = here.parents[3] / "Middleware/Cookies/PublicSuffix/PublicSuffixRules.swift"


def ascii_label(label):
    label = unicodedata.normalize("NFC", label.lower())
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


# The list is served in only one place. Its tests are in its repository.
LIST = "https://publicsuffix.org/list/public_suffix_list.dat"
TESTS = "https://raw.githubusercontent.com/publicsuffix/list/main/tests/tests.txt"
LIMIT = 4 << 20


def fetched(url):
    with urllib.request.urlopen(url, timeout=60) as response:
        data = response.read(LIMIT + 1)
    if len(data) > LIMIT:
        sys.exit(f"{url} is larger than {LIMIT} bytes: nothing was changed")
    return data.decode("utf-8")


def version_of(text):
    """Returns the day in "// VERSION: 2026-08-19_07-12-33_UTC", a line that the copies in the repository don't have."""
    found = re.search(r"^// VERSION: (\d{4}-\d{2}-\d{2})", text, re.MULTILINE)
    return found.group(1) if found else None


arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--fetch", action="store_true", help="get the newest list and its tests first")
arguments.add_argument("--list", default=LIST, help="where the list is")
arguments.add_argument("--tests", default=TESTS, help="where its tests are")
arguments.add_argument("--version", help="the day of a list that does not say its own: 2026-08-19")
arguments = arguments.parse_args()

if arguments.fetch:
    # Both are downloaded before either is replaced.
    new_list, new_tests = fetched(arguments.list), fetched(arguments.tests)
    marks = ["===BEGIN ICANN DOMAINS===", "===END PRIVATE DOMAINS==="]
    if not all(mark in new_list for mark in marks) or version_of(new_list) is None:
        sys.exit(f"{arguments.list} is not the list: nothing was changed")
    if "example.com" not in new_tests:
        sys.exit(f"{arguments.tests} are not its tests: nothing was changed")
    (here / "public_suffix_list.dat").write_text(new_list, "utf-8")
    (here / "public-suffix-tests.txt").write_text(new_tests, "utf-8")

source = (here / "public_suffix_list.dat").read_text("utf-8")
version = version_of(source) or arguments.version
if version is None:
    sys.exit('the list has no line "// VERSION": give its day with --version')

exact, wildcard, exception = set(), set(), set()
for line in source.splitlines():
    rule = line.split()[0] if line.split() else ""
    if not rule or rule.startswith("//"):
        continue
    kind = exact
    if rule.startswith("*."):
        kind, rule = wildcard, rule[2:]
    elif rule.startswith("!"):
        kind, rule = exception, rule[1:]
    assert "*" not in rule, rule
    kind.add(".".join(map(ascii_label, rule.split("."))))

assert not exception & (exact | wildcard)
rules = []
for name in exact | wildcard | exception:
    mark = "!" if name in exception else "+" if name in exact & wildcard else "*" if name in wildcard else ""
    label, _, parent = name.partition(".")
    rules.append((parent.encode(), label.encode(), label + mark))

# Each line begins with a parent, so that it can be searched without the lines before it.
lines, open_parent = [""], None
for parent, _, word in sorted(rules):
    head = parent.decode() + ":"
    words = [word] if parent == open_parent else [head, word]
    if lines[-1] and len(lines[-1]) + sum(len(word) + 1 for word in words) > 111:
        lines.append("")
        words = [head, word]
    lines[-1] += (" " if lines[-1] else "") + " ".join(words)
    open_parent = parent

body = "\n".join("        " + line for line in lines)
target.write_text(
    f"""// swift-format-ignore-file
// Made by Tests/CookiesTests/Resources/PublicSuffixes/update.py from the public suffix list, version {version}
// (https://publicsuffix.org).
//
// This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
// distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

/// The rules of the public suffix list as text that is part of the program and is searched in place.
///
/// Each name is divided into its first label and its parent. `uk: ac co` stands for `ac.uk` and `co.uk`, and the parent
/// of `uk` is empty. Parents, and the labels of a parent, are sorted by their bytes. Each line begins with a parent.
/// `*` after a label stands for the names one label below it, `+` for both, `!` for an exception.
package enum PublicSuffixRules {{
    /// The version of the list.
    static let version = "{version}"

    /// The rules, with a space or a line break between the words.
    package static let text: StaticString = \"\"\"
{body}
        \"\"\"
}}
"""
)
print(len(rules), "rules,", version)
