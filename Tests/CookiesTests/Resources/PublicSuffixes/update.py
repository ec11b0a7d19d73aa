#!/usr/bin/env python3
"""Compiles public_suffix_list.dat into Middleware/Cookies/PublicSuffix/PublicSuffixRules.swift."""

import pathlib
import unicodedata

here = pathlib.Path(__file__).resolve().parent
target = here.parents[3] / "Middleware/Cookies/PublicSuffix/PublicSuffixRules.swift"


def ascii_label(label):
    label = unicodedata.normalize("NFC", label.lower())
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()


# The day of the copy beside this script.
version = "2026-08-19"

exact, wildcard, exception = set(), set(), set()
for line in (here / "public_suffix_list.dat").read_text("utf-8").splitlines():
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
words = []
for name in sorted(exact | wildcard | exception, key=str.encode):
    mark = "!" if name in exception else "+" if name in exact & wildcard else "*" if name in wildcard else ""
    words.append(name + mark)

lines = [""]
for word in words:
    if len(lines[-1]) + len(word) > 110:
        lines.append("")
    lines[-1] += (" " if lines[-1] else "") + word

body = "\n".join("        " + line for line in lines)
target.write_text(
    f"""// swift-format-ignore-file
// Made by Tests/CookiesTests/Resources/PublicSuffixes/update.py from the public suffix list, version {version}
// (https://publicsuffix.org), which is subject to the Mozilla Public License 2.0: https://mozilla.org/MPL/2.0/.

/// The rules of the public suffix list, sorted by the bytes of their names, as text that lies in the program as it is.
///
/// `*` behind a name stands for the names one label below it, `+` for both, `!` for an exception.
enum PublicSuffixRules {{
    /// The version of the list.
    static let version = "{version}"

    /// The rules, with a space or a line break between them.
    static let text: StaticString = \"\"\"
{body}
        \"\"\"
}}
"""
)
print(len(words), "rules,", version)
