"""The modules of the package and their folders, as Package.swift has them, for the checks in Python."""
import glob
import os
import re

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def modules():
    """The folder of each module of ours, by its name."""
    found = {os.path.basename(path): path for path in glob.glob(os.path.join(root, "Sources/HTTPChain*"))}
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        for folder, name in re.findall(r'^ *stage\(\s*"([^"]+)"(?:,\s*named: "(\w+)")?', file.read(), re.M):
            found["HTTPChain" + (name or folder.replace("/", ""))] = os.path.join(root, "Middleware", folder)
    return found


def documented():
    """The modules with pages of their own: every library of ours; the support module is for this package alone."""
    return {name: path for name, path in sorted(modules().items()) if name != "HTTPChainSupport"}


def files(folder, pattern):
    """The files of the module in a folder, without those of the modules inside it."""
    inside = [path + os.sep for path in modules().values() if path.startswith(folder + os.sep)]
    paths = sorted(glob.glob(os.path.join(folder, "**", pattern), recursive=True))
    return [path for path in paths if not path.startswith(tuple(inside))]
