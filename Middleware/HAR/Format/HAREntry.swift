public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// An exchange: a request, its response, and their timings.
public struct HAREntry: HARPart, Sendable, Hashable {
    /// The page it belongs to.
    package var pageref: String?
    /// The date when the request began, or 1970 if the file doesn't contain it.
    public var started = Date(timeIntervalSince1970: 0)
    /// The request.
    public var request = HARRequest()
    /// The response.
    ///
    /// If there was none, its status is 0, or -1 in archives of Playwright.
    public var response = HARResponse(status: 0)
    /// The information about cache use, as the program wrote it.
    package var cache: JSONValue = .object([:])
    /// The duration of each part.
    package var durations = HARTimings()
    /// The server's address, IPv4 or IPv6.
    package var serverIPAddress: String?
    /// The identifier of the connection.
    package var connection: String?
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification, such as `_chunks` and `_error` of ``RecordingMiddleware`` and
    /// those of other programs.
    package var customFields: [String: JSONValue] = [:]

    /// The complete entry as in the file.
    ///
    /// It includes members that have no property here, such as `serverIPAddress`, and those outside the specification,
    /// such as `_error` of ``RecordingMiddleware`` and `_initiator` of browsers.
    public var json: JSONValue { tree.value }

    init() {}

    /// Makes an entry.
    package init(started: Date, request: HARRequest, response: HARResponse, timings: HARTimings = HARTimings()) {
        self.started = started
        self.request = request
        self.response = response
        durations = timings
    }

    /// The duration of the exchange, in milliseconds: the sum of its ``timings``, where `connect` includes `ssl`.
    public var time: Double { durations.total }

    /// The durations of the parts of the exchange, in milliseconds, by their names in the format: `blocked` (waiting
    /// for a connection), `dns`, `connect`, `ssl`, `send`, `wait` (for the head of the response) and `receive`.
    ///
    /// Parts that didn't happen or aren't known are omitted.
    public var timings: [String: Double] { durations.known }

    /// The error text of an exchange without a response, or `nil` if there is a response or no error.
    ///
    /// ``RecordingMiddleware`` writes `_error` in the entry. In the response, Chromium writes `_error` and Playwright
    /// `_failureText`.
    var failure: String? {
        guard response.status <= 0 else { return nil }
        return customFields["_error"]?.string ?? response.customFields["_error"]?.string
            ?? response.customFields["_failureText"]?.string ?? (response.status < 0 ? "no response came" : nil)
    }

    mutating func describe(_ members: inout HARMembers) throws(HARError) {
        members.text("pageref", &pageref)
        var date: Date? = started
        members.date("startedDateTime", &date)
        started = date ?? started
        var total = time
        members.milliseconds("time", &total)
        guard try members.object("request", &request) else { throw members.missing("request") }
        try members.object("response", &response)
        members.json("cache", &cache)
        if try !members.object("timings", &durations) { durations.wait = total }
        var address = serverIPAddress.flatMap { Self.isAddress($0) ? $0 : nil }
        members.text("serverIPAddress", &address)
        serverIPAddress = address.map(Self.bareAddress)
        members.text("connection", &connection)
        members.text("comment", &comment)
    }

    /// Removes the brackets that Chrome writes around IPv6 addresses, as in URLs.
    private static func bareAddress(_ text: String) -> String {
        text.without(prefix: "[")?.without(suffix: "]").map { String($0) } ?? text
    }

    private static func isAddress(_ text: String) -> Bool {
        URLHost(unbracketed: text).map { $0.isIPv6 || $0.isIPv4 && $0.text == text } ?? false
    }
}

/// The durations of the parts of an exchange, in milliseconds; -1 for parts that didn't happen or aren't known.
package struct HARTimings: HARPart, Sendable, Hashable {
    /// Waiting for a connection.
    package var blocked: Double = -1
    /// Resolving the hostname.
    package var dns: Double = -1
    /// Connecting, with the TLS handshake.
    package var connect: Double = -1
    /// The TLS handshake, which is part of ``connect``.
    package var ssl: Double = -1
    /// Sending the request.
    package var send: Double = 0
    /// Waiting for the head of the response.
    package var wait: Double = 0
    /// Reading the response.
    package var receive: Double = 0
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes timings.
    ///
    /// Parts other than these count as unknown.
    package init(send: Double = 0, wait: Double = 0, receive: Double = 0) {
        self.send = send
        self.wait = wait
        self.receive = receive
    }

    /// The sum of the known durations; ``ssl`` is included in ``connect``.
    package var total: Double {
        [blocked, dns, connect, send, wait, receive].filter { $0 > 0 && $0.isFinite }.reduce(0, +)
    }

    /// The durations that are known, by name.
    var known: [String: Double] {
        let all = [
            "blocked": blocked, "dns": dns, "connect": connect, "ssl": ssl, "send": send, "wait": wait,
            "receive": receive,
        ]
        return all.filter { $0.value >= 0 && $0.value.isFinite }
    }

    mutating func describe(_ members: inout HARMembers) {
        members.milliseconds("blocked", &blocked)
        members.milliseconds("dns", &dns)
        members.milliseconds("connect", &connect)
        members.milliseconds("ssl", &ssl)
        members.milliseconds("send", &send)
        members.milliseconds("wait", &wait)
        members.milliseconds("receive", &receive)
        members.text("comment", &comment)
    }
}

extension HAREntry: DescribedValue, RedactedDisplay {
    /// One line, with secrets redacted: `GET https://a.example/ → 200`.
    package var words: String { "\(request) → \(response)" }
}
