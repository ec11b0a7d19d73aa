"""The modules of the package and their folders, read from Package.swift, for the checks in Python."""
import glob
import os
import re

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def modules():
    """Returns the folders of this package's modules, by name."""
    found = {os.path.basename(path): path for path in glob.glob(os.path.join(root, "Sources/HTTPChain*"))}
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        for folder, name in re.findall(r'^ *stage\(\s*"([^"]+)"(?:,\s*named: "(\w+)")?', file.read(), re.M):
            found["HTTPChain" + (name or folder.replace("/", ""))] = os.path.join(root, "Middleware", folder)
    return found


# The modules that others re-export with their public declarations. To users, these are declarations of the others.
PARTS = {
    "HTTPChainCore": [
        "HTTPChainParameters", "HTTPChainRedaction", "HTTPChainReports", "HTTPChainTime", "HTTPChainValues",
    ]
}


def documented():
    """Returns the libraries that users import, without the support module and the parts of the core."""
    hidden = {"HTTPChainSupport"}.union(*PARTS.values())
    return {name: path for name, path in sorted(modules().items()) if name not in hidden}


def with_parts(module):
    """Returns options of swift-symbolgraph-extract for including the parts that a module re-exports in its graph."""
    return ["-experimental-allowed-reexported-modules=" + ",".join(PARTS[module])] if module in PARTS else []


def files(folder, pattern):
    """Returns the files of the module in a folder, without those of modules inside it."""
    inside = [path + os.sep for path in modules().values() if path.startswith(folder + os.sep)]
    paths = sorted(glob.glob(os.path.join(folder, "**", pattern), recursive=True))
    return [path for path in paths if not path.startswith(tuple(inside))]
