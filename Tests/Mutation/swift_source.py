"""Finds places for mutations in Swift source. It knows tokens but not types: the compiler rejects invalid mutants."""

import re

OPERATOR_CHARACTERS = set("/=-+!*%<>&|^~?")
KEYWORDS_OF_SIGNATURES = {"func", "init", "subscript", "extension", "struct", "enum", "class", "protocol", "actor", "typealias", "associatedtype", "operator", "precedencegroup", "import", "macro"}
CONDITIONS = {"if", "guard", "while"}
OPENING, CLOSING = set("([{"), set(")]}")


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "simple")

    def __init__(self, kind, text, start, end, line, simple=False):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, end, line
        # For a string: it has no escapes and no interpolation, and is on one line.
        self.simple = simple


def end_of_string(source, start):
    """Returns the end of the string literal that begins at `start`, and whether it is simple."""
    hashes = 0
    position = start
    while source[position] == "#":
        hashes += 1
        position += 1
    quote = '"""' if source.startswith('"""', position) else '"'
    closing = quote + "#" * hashes
    escape = "\\" + "#" * hashes
    position += len(quote)
    simple = hashes == 0 and quote == '"'
    while position < len(source):
        if source.startswith(closing, position):
            return position + len(closing), simple
        if source.startswith(escape, position):
            simple = False
            position += len(escape)
            if source.startswith("(", position):
                depth = 0
                while position < len(source):
                    character = source[position]
                    if character == '"':
                        position, _ = end_of_string(source, position)
                        continue
                    depth += (character == "(") - (character == ")")
                    position += 1
                    if depth == 0:
                        break
            else:
                position += 1
            continue
        position += 1
    raise ValueError("a string without its end")


def tokens(source):
    result = []
    position, line = 0, 1
    word = re.compile(r"[A-Za-z_$`][A-Za-z0-9_`]*|[$][0-9]+")
    number = re.compile(r"0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?")
    while position < len(source):
        character = source[position]
        if character == "\n":
            line += 1
            position += 1
            continue
        if character.isspace():
            position += 1
            continue
        if source.startswith("//", position):
            position = source.find("\n", position)
            if position < 0:
                break
            continue
        if source.startswith("/*", position):
            depth = 0
            while True:
                if source.startswith("/*", position):
                    depth += 1
                    position += 2
                elif source.startswith("*/", position):
                    depth -= 1
                    position += 2
                    if depth == 0:
                        break
                else:
                    line += source[position] == "\n"
                    position += 1
            continue
        if character == '"' or re.match(r'#+"', source[position : position + 8]):
            end, simple = end_of_string(source, position)
            result.append(Token("string", source[position:end], position, end, line, simple))
            line += source.count("\n", position, end)
            position = end
            continue
        match = word.match(source, position)
        if match:
            result.append(Token("word", match.group(), position, match.end(), line))
            position = match.end()
            continue
        match = number.match(source, position)
        if match:
            result.append(Token("number", match.group(), position, match.end(), line))
            position = match.end()
            continue
        if character == ".":
            end = position
            while end < len(source) and source[end] in ".<":
                end += 1
            text = source[position:end]
            if text not in ("...", "..<"):
                end, text = position + 1, "."
            result.append(Token("operator" if len(text) > 1 else "mark", text, position, end, line))
            position = end
            continue
        if character in OPERATOR_CHARACTERS:
            end = position
            while end < len(source) and source[end] in OPERATOR_CHARACTERS and not source.startswith("//", end):
                end += 1
            result.append(Token("operator", source[position:end], position, end, line))
            position = end
            continue
        result.append(Token("mark", character, position, position + 1, line))
        position += 1
    return result


def neighbor(text):
    """Returns a number increased by one, or decreased by one if the larger one might not fit."""
    if "." in text or (("e" in text or "E" in text) and not text.startswith("0x")):
        return float(text.replace("_", "")) + 1
    value = int(text.replace("_", ""), 0)
    return value - 1 if value and value & (value + 1) == 0 and value > 100 else value + 1


def is_spaced(source, token):
    return source[token.start - 1].isspace() and source[token.end : token.end + 1].isspace()


class Site:
    """A place with one or more mutants, each named by what it makes of `before`.

    The place gets its own operator, or is wrapped in a call: `opening` (with `{n}` for the number of the first mutant)
    and `closing`.
    """

    def __init__(self, kind, line, start, end, before, afters, opening=None, closing=")", operator=None):
        self.kind, self.line, self.start, self.end = kind, line, start, end
        self.before, self.afters, self.opening, self.closing, self.operator = before, afters, opening, closing, operator


BINARY = {
    "==": ["!="],
    "!=": ["=="],
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "&&": ["left side alone", "right side alone"],
    "||": ["left side alone", "right side alone"],
    "+": ["-, or nothing joined"],
    "-": ["+"],
    "*": ["+"],
    "/": ["*"],
    "%": ["/"],
    "&+": ["&-"],
    "&-": ["&+"],
    "<<": [">>"],
    ">>": ["<<"],
    "&": ["|"],
    "|": ["&"],
    "^": ["&"],
    "+=": ["-=, or nothing appended"],
    "-=": ["+="],
}


def sites(source):
    """Returns all places of a file, in order."""
    all_tokens = tokens(source)
    found = []
    skipped = skipped_tokens(source, all_tokens)
    for index, token in enumerate(all_tokens):
        if index in skipped:
            continue
        previous = all_tokens[index - 1] if index else None
        following = all_tokens[index + 1] if index + 1 < len(all_tokens) else None
        if token.kind == "operator":
            if token.text in BINARY and is_spaced(source, token):
                found.append(
                    Site("binary", token.line, token.start, token.end, token.text, BINARY[token.text], operator=token.text)
                )
            elif token.text == "!" and following and token.end == following.start and not (
                previous and previous.end == token.start and (previous.kind in ("word", "string") or previous.text in ")]}")
            ):
                found.append(Site("prefix", token.line, token.start, token.end, "!", ["nothing"], operator="!"))
            elif token.text == "?" and is_spaced(source, token):
                site = ternary(source, all_tokens, index)
                if site:
                    found.append(site)
        elif token.kind == "number":
            if previous and (previous.text == "." and previous.end == token.start):
                continue
            other = neighbor(token.text)
            call = "mutantFraction" if isinstance(other, float) else "mutantNumber"
            found.append(
                Site("number", token.line, token.start, token.end, token.text, [str(other)], call + "({n}, ", f", {other})")
            )
        elif token.kind == "string":
            text = token.text[1:-1]
            before = [t.text for t in all_tokens[max(0, index - 4) : index]]
            if before[-4:] == ["UInt8", "(", "ascii", ":"] and following and following.text == ")":
                first = all_tokens[index - 4]
                found.append(
                    Site("byte", token.line, first.start, following.end, token.text, ["the next byte"], "mutantByte({n}, ")
                )
                continue
            # Changes of prose, interpolation patterns, and text with escapes reveal little.
            if not token.simple or not text or len(text) > 40 or " " in text or before[-2:] == ["ascii", ":"]:
                continue
            other = ("~" if text != "~" else "!") if len(text) == 1 else text + "~"
            found.append(
                Site("string", token.line, token.start, token.end, token.text, [f'"{other}"'], "mutantText({n}, ", f', "{other}")')
            )
        elif token.kind == "word":
            if token.text in ("true", "false"):
                line = source[source.rfind("\n", 0, token.start) + 1 : token.start].lstrip()
                # The compiler could no longer see that the cases are exhaustive, or that the loop has no other end.
                if (line.startswith("case ") and ":" not in line) or (previous and previous.text == "while"):
                    continue
                other = "false" if token.text == "true" else "true"
                found.append(
                    Site("truth", token.line, token.start, token.end, token.text, [other], "mutantTruth({n}, ")
                )
            elif following and following.text == ":":
                continue  # This is the label of an argument.
            elif token.text in CONDITIONS and not (previous and previous.text == "."):
                found += clauses(source, all_tokens, index)
            elif token.text == "where":
                found += where(source, all_tokens, index)
    found.sort(key=lambda site: (site.start, site.kind))
    return found


def skipped_tokens(source, all_tokens):
    """Returns tokens of signatures, attributes, directives and raw values, in which an expression would not compile."""
    skipped = set()
    index = 0
    while index < len(all_tokens):
        token = all_tokens[index]
        previous = all_tokens[index - 1] if index else None
        if token.kind == "word" and token.text in KEYWORDS_OF_SIGNATURES and not (previous and previous.text in (".", "`")):
            depth = 0
            start = index
            while index < len(all_tokens):
                token = all_tokens[index]
                if depth == 0 and token.text in "{}" and token.kind == "mark":
                    break
                if depth == 0 and index > start and token.line > all_tokens[index - 1].line and token.kind == "word" and (
                    token.text not in ("where", "throws", "async", "rethrows") and all_tokens[index - 1].text not in (",", "->", ":", "&", "where", "==")
                ):
                    break
                depth += token.text in OPENING and token.kind == "mark"
                depth -= token.text in CLOSING and token.kind == "mark"
                skipped.add(index)
                index += 1
            continue
        if token.text in ("@", "#"):
            line = token.line
            while index < len(all_tokens) and all_tokens[index].line == line:
                skipped.add(index)
                index += 1
            continue
        if token.text == "case" and re.match(r"\s*case \w+ = ", source[source.rfind("\n", 0, token.start) + 1 :]):
            line = token.line
            while index < len(all_tokens) and all_tokens[index].line == line:
                skipped.add(index)
                index += 1
            continue
        index += 1
    return skipped


LOGIC = {"==", "!=", "<", "<=", ">", ">=", "&&", "||", "===", "!==", "~="}


def condition_site(source, all_tokens, first, last, afters, kind):
    start, end = all_tokens[first].start, all_tokens[last].end
    return Site(kind, all_tokens[first].line, start, end, " ".join(source[start:end].split()), afters, kind + "({n}, ")


def has_logic(source, all_tokens, first, last):
    depth = 0
    for index in range(first, last + 1):
        token = all_tokens[index]
        if token.kind == "mark":
            depth += token.text in OPENING
            depth -= token.text in CLOSING
        if depth == 0 and token.kind == "operator" and (token.text in LOGIC or (token.text == "!" and index == first)):
            return True
    return False


def clauses(source, all_tokens, keyword):
    """Returns the conditions of `if`, `guard` and `while` other than bindings."""
    is_loop = all_tokens[keyword].text == "while"
    parts = []
    depth = 0
    first = index = keyword + 1
    while index < len(all_tokens):
        token = all_tokens[index]
        if depth == 0 and (token.text == "{" or token.text == "else" or (token.text == "," and token.kind == "mark")):
            parts.append((first, index - 1))
            first = index + 1
            if token.text != ",":
                break
        if token.kind == "mark":
            depth += token.text in OPENING
            depth -= token.text in CLOSING
            if depth < 0:
                return []
        index += 1
    found = []
    for position, (first, last) in enumerate(parts):
        if first > last or all_tokens[first].text in ("let", "var", "case", "#", "_", "true"):
            continue
        if is_loop:
            # A loop whose only condition is always true would run until the time limit, and reveal little.
            if position > 0:
                found.append(condition_site(source, all_tokens, first, last, ["true"], "mutantTrue"))
            elif len(parts) == 1 and not has_logic(source, all_tokens, first, last):
                found.append(condition_site(source, all_tokens, first, last, ["false"], "mutantFalse"))
        elif has_logic(source, all_tokens, first, last):
            if len(parts) > 1:
                found.append(condition_site(source, all_tokens, first, last, ["true"], "mutantTrue"))
        else:
            found.append(condition_site(source, all_tokens, first, last, ["true", "false"], "mutantEither"))
    return found


def where(source, all_tokens, keyword):
    """Returns the condition after `where`, of a loop or a case."""
    depth = 0
    first = index = keyword + 1
    while index < len(all_tokens):
        token = all_tokens[index]
        if depth == 0 and token.kind == "mark" and token.text in "{:,":
            break
        if token.kind == "mark":
            depth += token.text in OPENING
            depth -= token.text in CLOSING
            if depth < 0:
                return []
        index += 1
    last = index - 1
    if first > last or has_logic(source, all_tokens, first, last):
        return [condition_site(source, all_tokens, first, last, ["true"], "mutantTrue")] if first <= last else []
    return [condition_site(source, all_tokens, first, last, ["true", "false"], "mutantEither")]


def ternary(source, all_tokens, mark):
    """Returns the condition before `? :`, if it is a single call or property without operators."""
    depth = 0
    index = mark - 1
    while index >= 0:
        token = all_tokens[index]
        if token.kind == "mark" and token.text in CLOSING:
            depth += 1
        elif token.kind == "mark" and token.text in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (
            (token.kind == "operator" and token.text != "!" and is_spaced(source, token))
            or token.text in (",", ":", "return", "in", "else")
        ):
            break
        if depth == 0 and index + 1 < len(all_tokens) and token.line < all_tokens[mark].line and all_tokens[index + 1].line > token.line:
            break
        index -= 1
    if all_tokens[index].kind == "operator" and all_tokens[index].text not in ("=", "+=", "?"):
        return None
    first, last = index + 1, mark - 1
    if first > last or has_logic(source, all_tokens, first, last):
        return None
    return condition_site(source, all_tokens, first, last, ["its contrary"], "mutantContrary")
