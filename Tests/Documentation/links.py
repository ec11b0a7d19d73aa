"""The links of the pages: relative links to files, for the repository's web view, and the same links in DocC's form.

`problems` checks all pages, and `for_docc` rewrites one. Links that only DocC understands (`doc:`) must not be used.
Pictures are beside their pages, so that the same names work in both.
"""
import glob
import os
import re
import sys
import urllib.parse

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(root, "Tests"))
import targets  # noqa: E402

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]*)\)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def masked(text):
    """Replaces each character of blocks and spans of code, so that their brackets aren't mistaken for links."""
    code = r"^ *```.*?^ *```$|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)"
    return re.sub(code, lambda match: re.sub(r"[^\n]", "x", match[0]), text, flags=re.M | re.S)


def links(text):
    """Yields the links and pictures of a page that lead to files: each match, with the path and the anchor."""
    for match in LINK.finditer(masked(text)):
        if not re.match(r"[a-z][a-z+.-]*:", match[3]):
            path, _, anchor = match[3].partition("#")
            yield match, urllib.parse.unquote(path), anchor


def headings(text):
    """Returns the titles of a page's sections by their anchors, in the form that repositories' web views use."""
    found = {}
    for match in re.finditer(r"^#+ +(.*?) *$", masked(text), re.M):
        title = text[match.start(1):match.end(1)]
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        same = [anchor for anchor in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", anchor)]
        found[f"{slug}-{len(same)}" if slug in found else slug] = title
    return found


def pages():
    """Returns the pages for DocC, with the module of each."""
    return {path: module for module, folder in targets.modules().items() for path in targets.files(folder, "*.docc/*.md")}


def program(path):
    """Returns the folder of the example that a page explains and is named after, or `None` for other pages."""
    folder = os.path.join(root, "Examples", os.path.splitext(os.path.basename(path))[0])
    return folder if path.endswith(".md") and os.path.isdir(folder) else None


def is_landing(text):
    """Returns whether a page is the page of its module, which DocC names after the module rather than the file."""
    return text.lstrip().startswith("# ``")


def problems():
    """Returns each link of a page that doesn't lead to a file and a section, in the web view and on the site."""
    ours, found, count = pages(), [], 0
    hidden = os.path.join(root, ".github", "**", "*.md")
    others = [path for folder in ("", "Examples/**/", "Middleware/", "Tests/**/")
              for path in glob.glob(os.path.join(root, folder + "*.md"), recursive=True)]
    for path in sorted({*ours, *others, *glob.glob(hidden, recursive=True)}):
        name, text = os.path.relpath(path, root), read(path)
        alone = re.findall(r"<doc:[^>]*>|\]\(doc:[^)]*\)", masked(text)) + re.findall(r"``/HTTPChain\w*``", text)
        found += [f"{name}: {link} leads nowhere in the repository's web view: write [title](Page.md#section)"
                  for link in alone]
        for match, target, anchor in links(text):
            count += 1
            file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(file):
                found.append(f"{name}: the link to {match[3]} leads to no file")
            elif anchor and anchor not in headings(read(file)):
                found.append(f"{name}: the link to {match[3]} leads to no section")
            elif path in ours and match[1] and target != os.path.basename(target):
                found.append(f"{name}: DocC doesn't find the picture {match[3]}: put it beside the page")
            elif path in ours and not match[1] and file not in ours:
                found.append(f"{name}: the link to {match[3]} leads to no page of the site: name the file as code instead")
    return found, count


def for_docc(path, text):
    """Returns the text of a page with DocC's links and fences. Entries of Topics become links without titles."""
    ours, folder = pages(), os.path.dirname(path)
    topics = masked(text).find("\n## Topics\n")
    result, end = [], 0
    for match, target, anchor in links(text):
        if match[1]:
            continue
        title = text[match.start(2):match.end(2)]
        file = os.path.normpath(os.path.join(folder, target)) if target else path
        other = read(file)
        name = ours[file] if is_landing(other) else os.path.splitext(os.path.basename(file))[0]
        if ours[file] != ours[path]:
            name = "/" + ours[file] + ("" if is_landing(other) else "/" + name)
        if anchor:
            name += "#" + urllib.parse.quote(headings(other)[anchor].replace(" ", "-"))
        link = f"<doc:{name}>" if 0 <= topics < match.start() else f"[{title}](doc:{name})"
        result += [text[end:match.start()], link]
        end = match.end()
    # DocC treats the whole line as the name of the language.
    return re.sub(r"^( *```\w+) [^\n`]+$", r"\1", "".join(result) + text[end:], flags=re.M)
