import FlyingFox
import Foundation
import HTTPChain
import HTTPChainHAR
import Logging

/// Converts the exchanges of an archive (HAR 1.2) to records, which the page shows as calls with their waterfalls.
///
/// Archives of browsers and proxies may contain secrets, so they are redacted first.
enum ArchiveRecords {
    /// The maximum size of an archive.
    static let sizeLimit = ByteCount.mebibytes(32)
    /// The limits for reading an archive.
    static let limits = HARLimits(size: sizeLimit, entries: RecordStore.capacity)

    /// - Throws: ``Refusal`` with the problem and its place in the archive.
    static func batch(_ content: Data) throws -> ReceivedBatch {
        do {
            return batch(of: try HARArchive(content, limits: limits))
        } catch {
            throw Refusal(status: error.refusalStatus, reason: "This archive cannot be read: \(error.reason).")
        }
    }

    static func batch(of archive: HARArchive) -> ReceivedBatch {
        // The name is unique, so that an archive that is opened twice is shown twice, with a separate start for each.
        let name = "har-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let records = archive.redacted().entries.enumerated().map { index, entry in
            record(entry, of: archive, named: name, number: index + 1)
        }
        return ReceivedBatch(records: records)
    }

    private static func record(
        _ entry: HAREntry,
        of archive: HARArchive,
        named name: String,
        number: Int
    ) -> ReceivedRecord {
        let start = entry.started.timeIntervalSince1970
        let status = entry.response.status
        let members = entry.json
        let failure = members["_error"]?.string ?? members["response"]?["_error"]?.string
        let outcome = status > 0 ? "\(status)" : failure.map { "failed: \($0)" } ?? "no answer"
        return ReceivedRecord(
            format: "har",
            time: start * 1000 + entry.time,
            level: level(status),
            component: "har",
            service: archive.creator.name,
            message: "\(entry.request.method) \(entry.request.url) → \(outcome)",
            attributes: times(of: entry, start)
                + facts(of: entry, members, failure, call: "\(name)-\(number)", archive: name)
                + fields("http.request.header.", entry.request.headers)
                + fields("http.response.header.", entry.response.headers) + contents(of: entry)
        )
    }

    private static func level(_ status: Int) -> Logger.Level {
        switch status {
        case ..<100, 500...: .error
        case 400...: .warning
        default: .info
        }
    }

    /// Returns the start of the exchange, in seconds since 1970, and the duration of each of its parts, in
    /// milliseconds.
    private static func times(of entry: HAREntry, _ start: Double) -> [(name: String, value: JSONValue)] {
        let timings = entry.timings
        let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].map { ($0, timings[$0] ?? 0) }
            .filter { $0.1 > 0 }
        let head = parts.filter { $0.0 != "receive" }.reduce(0) { $0 + $1.1 }
        return [
            ("httpchain.duration", .number(entry.time / 1000)), ("httpchain.start_time", .number(start)),
            ("httpchain.time_to_head", .number(head / 1000)),
            ("har.timings", .array(parts.map { .array([.string($0.0), .number($0.1)]) })),
        ]
    }

    private static func facts(
        of entry: HAREntry,
        _ members: JSONValue,
        _ failure: String?,
        call: String,
        archive: String
    ) -> [(name: String, value: JSONValue)] {
        let facts: [(String, JSONValue?)] = [
            ("httpchain.call.id", .string(call)), ("har.archive", .string(archive)),
            // Archives recorded by HTTPChain contain this. It distinguishes whole calls, attempts, and wire exchanges.
            ("har.place", members["_place"]),
            ("har.attempt", members["_attempt"]),
            ("har.page", members["pageref"]),
            ("http.request.method", .string(entry.request.method)), ("url.full", .string(entry.request.url)),
            (
                "http.response.status_code",
                entry.response.status > 0 ? .integer(Int64(entry.response.status)) : nil
            ),
            (
                "error.type",
                entry.response.status > 0
                    ? nil : members["_errorKind"] ?? .string(failure ?? "no answer")
            ),
            ("network.protocol", members["request"]?["httpVersion"]),
            ("network.peer.address", members["serverIPAddress"]),
            (
                "http.response.body.size",
                entry.response.contentSize >= 0 ? .integer(entry.response.contentSize) : nil
            ),
        ]
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns fields with OpenTelemetry's names (lower case).
    ///
    /// Values with the same name are joined.
    private static func fields(
        _ prefix: String,
        _ fields: [(name: String, value: String)]
    ) -> [(name: String, value: JSONValue)] {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in fields {
            let name = field.name.lowercased()
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(field.value)
        }
        return names.map { (prefix + $0, .string((values[$0] ?? []).joined(separator: ", "))) }
    }

    /// Returns the text contents of an entry.
    private static func contents(of entry: HAREntry) -> [(name: String, value: JSONValue)] {
        var contents: [(name: String, value: JSONValue)] = []
        for (name, body) in [("http.request.body", entry.request.body), ("http.response.body", entry.response.body)] {
            guard let body, !body.isEmpty, let text = String(data: body, encoding: .utf8) else { continue }
            contents.append((name, .string(text)))
        }
        return contents
    }
}

extension HARError {
    fileprivate var refusalStatus: HTTPStatusCode {
        switch problem {
        case .tooLarge, .tooManyEntries: .payloadTooLarge
        default: .badRequest
        }
    }
}
