#!/usr/bin/env python3
"""Checks the receiver from outside: its responses over plain HTTP, and its page in headless Chromium.

    swift build --product LogReceiver
    python3 Examples/LogReceiver/Tests/check.py [path of the LogReceiver program]

Needs selenium and opentelemetry-proto (PyPI), chromium and chromedriver.
"""

import sys

# Keeps Python's cache out of the source folders.
sys.dont_write_bytecode = True

import server_checks  # noqa: E402, F401 - importing lists the checks
import archive_checks  # noqa: E402, F401
import telemetry_checks  # noqa: E402, F401
import page_checks  # noqa: E402, F401
from browser import Page  # noqa: E402
from harness import CHECKS, PAGE_CHECKS, Receiver  # noqa: E402


def main():
    receiver = Receiver()
    try:
        return run(receiver)
    finally:
        receiver.stop()


def run(receiver):
    page = Page(receiver)
    failures = 0
    checks = [(title, function, (receiver,)) for title, function in CHECKS]
    checks += [(title, function, (page, receiver)) for title, function in PAGE_CHECKS]
    try:
        for title, function, arguments in checks:
            try:
                function(*arguments)
                print("ok     ", title, flush=True)
            except Exception as error:  # noqa: BLE001 - one check must not end the others
                failures += 1
                place = error.__traceback__
                while place.tb_next and "_checks" in place.tb_next.tb_frame.f_code.co_filename:
                    place = place.tb_next
                print("FAILED ", title, "-", f"line {place.tb_lineno}:", type(error).__name__, error, flush=True)
        if receiver.process.poll() is not None:
            failures += 1
            print("FAILED  the receiver is still there at the end")
    finally:
        page.driver.quit()
    print(f"{len(checks)} checks, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
