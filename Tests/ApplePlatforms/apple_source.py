"""Produces the package's sources in the form that a compiler for an Apple platform sees, for a compiler on Linux."""
import glob
import os
import plistlib
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, os.path.join(root, "Tests"))
import targets  # noqa: E402

PACKAGE = open(os.path.join(root, "Package.swift")).read()
PLATFORMS = ("macOS", "iOS", "tvOS", "watchOS", "visionOS")
# The modules in the package's canImport conditions, and whether Apple platforms have them. All of these platforms have
# AuthenticationServices, but with different content, so the code checks the platform.
MODULES = {
    "Darwin": True, "Security": True, "Network": True, "CryptoKit": True, "AuthenticationServices": True, "os": True,
    "FoundationNetworking": False, "FoundationXML": False, "Glibc": False, "Musl": False, "Android": False,
    "Bionic": False, "WASILibc": False, "WinSDK": False,
}
# C libraries of package managers, which only macOS has (see Package.swift).
ON_MACOS = {"CBrotli", "CZstd"}
SYSTEMS = {"Linux", "Windows", "Android", "WASI", "OpenBSD", "FreeBSD"}

# Conditions with the same value on all platforms: the package's traits, the configuration, and the compiler.
SAME = re.compile(r"\b(AsyncHTTPClient|Brotli|Macros|SQLite|ServiceLifecycle|Tracing|Valkey|XML|YAML|Zstd|DEBUG"
                  r"|hasAttribute\(nonexhaustive\))(?![\w(.])")
# With the lines that continue it.
CONDITION = re.compile(r"(?m)^[ \t]*#(?:if|elseif)\b.*(?:(?:(?<=&&)|(?<=\|\|)|(?<=\())[ \t]*\n.*|\n[ \t]*(?:&&|\|\|).*)*")
ASKED = re.compile(r"\b(canImport|os)\((\w+)\)")
IMPORT = r"(?m)^((?:public |package |internal |fileprivate |private |@_exported |@preconcurrency )*)import %s$"
# A stub that adds the API that a module has only on Apple platforms.
ADDITIONS = {
    "Foundation": "AppleFoundation",
    "AsyncHTTPClient": "AsyncHTTPClientDarwin",
    "FlyingSocks": "FlyingSocksDarwin",
}
# Names of C whose types or values differ on Darwin. In stubs/Darwin.swift, they have the prefix "D_".
NAMES = """mode_t lstat fstat S_IFMT S_IFREG S_IFDIR S_IFLNK S_IFIFO S_IFSOCK S_ISVTX mkdir chmod fchmod opendir readdir
closedir fcntl SOCK_STREAM SHUT_WR sa_family_t sockaddr sockaddr_in socket bind getsockname accept shutdown nfds_t poll
TIOCGWINSZ ioctl usleep""".split()
NAME = re.compile(r'(?<![\w.`"])(' + "|".join(NAMES) + r')\b(?!")')


def modules():
    """Returns the modules of the package and their folders. Each module follows those that it imports."""
    folders = targets.modules()
    imports = {}
    for name, folder in folders.items():
        text = "".join(open(file).read() for file in files(folder))
        imports[name] = sorted(set(re.findall(r"(?m)^.*\bimport (HTTPChain\w*)$", text)) & set(folders) - {name})
    ordered = {}

    def add(name):
        for other in imports[name]:
            if other not in ordered:
                add(other)
        ordered[name] = (folders[name], imports[name])

    for name in sorted(folders):
        if name not in ordered:
            add(name)
    return ordered


def files(folder):
    """Returns the Swift files of a module."""
    return targets.files(folder, "*.swift")


def unknown(path):
    """Returns the conditions of a file that aren't known here: the stubs lack the module, the platform doesn't exist,
    or the condition is of another kind or in another form."""
    for condition in CONDITION.findall(open(path).read()):
        if not isKnown(condition):
            text = " ".join(condition.split())
            yield f"{os.path.relpath(path, root)}: error: no stub of Tests/ApplePlatforms knows {text}"


def isKnown(condition):
    """Returns whether a condition, on one line, consists only of names that are listed here."""

    def known(asked):
        kind, name = asked.groups()
        found = name in MODULES or name in ON_MACOS if kind == "canImport" else name in SYSTEMS or name in PLATFORMS
        return "" if found else asked.group()

    rest = SAME.sub("", ASKED.sub(known, condition.split("//")[0]))
    return "\n" not in condition.strip() and not re.search(r"[^\s!&|()]", re.sub(r"^\s*#(if|elseif)\b", "", rest))


def differs(folder):
    """Returns whether a module has a branch for Apple platforms."""
    return any(ASKED.search(condition) for file in files(folder) for condition in CONDITION.findall(open(file).read()))


def undeclared(name, folder):
    """Returns the errors of modules that read files' times without the App Store's privacy manifest."""
    if not any(re.search(r"(?m)^(?!\s*//).*(?<![\w.])[fl]?stat\(\S", open(file).read()) for file in files(folder)):
        return
    path = os.path.join(folder, "PrivacyInfo.xcprivacy")
    try:
        with open(path, "rb") as file:
            declared = plistlib.load(file)["NSPrivacyAccessedAPITypes"]
    except (OSError, KeyError, plistlib.InvalidFileException):
        declared = []
    reasons = {use["NSPrivacyAccessedAPIType"]: use["NSPrivacyAccessedAPITypeReasons"] for use in declared}
    if "C617.1" not in reasons.get("NSPrivacyAccessedAPICategoryFileTimestamp", []):
        yield f"{os.path.relpath(path, root)}: error: {name} calls stat, for which it has to give the reason C617.1"
    # As a library or a stage.
    found = re.findall(r'(?:library|stage)\("([\w/]+)"[^\n]*\.withPrivacyManifest\(\)', PACKAGE)
    declarations = [folder.replace("/", "") for folder in found]
    if name not in declarations and name.removeprefix("HTTPChain") not in declarations:
        yield f"Package.swift: error: {name} has a privacy manifest and does not declare it"


def seen(text, platform):
    """Returns the text of a file in the form that a platform sees."""

    def value(asked):
        kind, name = asked.groups()
        if kind == "canImport":
            return str(MODULES.get(name, platform == "macOS")).lower()
        return str(name == platform).lower()

    text = CONDITION.sub(lambda line: ASKED.sub(value, line.group()), text)
    for module, addition in ADDITIONS.items():
        text = re.sub(IMPORT % module, rf"\1import {module}; \1import {addition}", text)
    if re.search(r"(?m)^import Darwin$", text):
        text = "\n".join(map(darwin, text.split("\n")))
    return text


def darwin(line):
    """Returns a line in which the names of C that differ on Darwin are replaced."""
    if re.match(r"\s*(//|case [a-z, ]+$)", line):
        return line
    line = re.sub(r"(?<![\w.])stat\(\)", "D_stat()", line)
    line = re.sub(r": stat\)", ": D_stat)", line)
    line = re.sub(r"(?<![\w.])stat\((?=\w)", "Df_stat(", line)
    line = re.sub(r'(?<![\w.`"])(?<!func )open\((?=path|directory)', "D_open(", line)

    def put(found):
        before, after = line[: found.start()], line[found.end() :]
        isDeclared = re.search(r"\b(func|let|var) $", before)
        isLabel = after.startswith(":") and not re.search(r"\bcase $", before)
        return found.group() if isDeclared or isLabel else "D_" + found.group()

    return NAME.sub(put, line)
