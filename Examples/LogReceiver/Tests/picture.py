#!/usr/bin/env python3
"""Makes the picture of a distributed call that the documentation shows.

    python3 Examples/LogReceiver/Tests/picture.py [path of the LogReceiver program] PICTURE

Has the same requirements as check.py.
"""

import sys

sys.dont_write_bytecode = True
picture = sys.argv.pop()

import harness  # noqa: E402 - it reads the arguments
import telemetry_checks  # noqa: E402
from browser import Page  # noqa: E402

receiver = harness.Receiver()
page = Page(receiver)
try:
    page.open()
    page.driver.set_window_size(1180, 560)
    base = 1_790_000_000
    for request in telemetry_checks.distributed_call(base):
        receiver.post("/v1/traces", request)
    record = harness.log_record("Shelf 7 is empty", "warning", base + 0.1) | {"traceId": telemetry_checks.TRACE}
    harness.send(receiver, record, component="stock.shelves", service="stock")
    page.click("input[value=traces] + span")
    harness.eventually(lambda: len(page.all(".row.trace-row")), 1)
    page.click(".row.trace-row")
    harness.eventually(lambda: len(page.all(".span-name")), 6)
    page.driver.save_screenshot(picture)
finally:
    page.driver.quit()
    receiver.stop()
