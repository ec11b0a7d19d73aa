import FlyingFox
import Foundation
import HTTPChain
import HTTPChainHAR
import Logging

/// Makes records of the exchanges of an archive (HAR 1.2), which the page shows as calls with their waterfalls.
///
/// Archives hold what a browser or a proxy saw, secrets among it: they are redacted first.
enum ArchiveRecords {
    /// The most bytes of an archive.
    static let sizeLimit = ByteCount.mebibytes(32)
    /// How much of an archive is read.
    static let limits = HARLimits(size: sizeLimit, entries: RecordStore.capacity)

    /// - Throws: ``Refusal`` that says what is wrong with the archive, and where.
    static func batch(_ content: Data) throws -> ReceivedBatch {
        do {
            return batch(of: try HARArchive(content, limits: limits))
        } catch {
            throw Refusal(status: error.refusalStatus, reason: "This archive cannot be read: \(error.reason).")
        }
    }

    static func batch(of archive: HARArchive) -> ReceivedBatch {
        // Names the archive, so that one that is opened twice is there twice, and its calls begin together.
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
        let failure = entry.customFields["_error"]?.string ?? entry.response.customFields["_error"]?.string
        let outcome = status > 0 ? "\(status)" : failure.map { "failed: \($0)" } ?? "no answer"
        return ReceivedRecord(
            format: "har",
            time: start * 1000 + entry.time,
            level: level(status),
            component: "har",
            service: archive.creator.name,
            message: "\(entry.request.method) \(entry.request.url) → \(outcome)",
            attributes: times(of: entry, start) + facts(of: entry, failure, call: "\(name)-\(number)", archive: name)
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

    /// When the exchange began, in seconds since 1970, and how long each part of it took, in milliseconds.
    private static func times(of entry: HAREntry, _ start: Double) -> [(name: String, value: JSONValue)] {
        let timings = entry.timings
        let parts = [
            ("blocked", timings.blocked), ("dns", timings.dns), ("connect", timings.connect), ("send", timings.send),
            ("wait", timings.wait), ("receive", timings.receive),
        ].filter { $0.1 > 0 && $0.1.isFinite }
        let head = parts.filter { $0.0 != "receive" }.reduce(0) { $0 + $1.1 }
        return [
            ("httpchain.duration", .number(entry.time / 1000)), ("httpchain.start_time", .number(start)),
            ("httpchain.time_to_head", .number(head / 1000)),
            ("har.timings", .array(parts.map { .array([.string($0.0), .number($0.1)]) })),
        ]
    }

    private static func facts(
        of entry: HAREntry,
        _ failure: String?,
        call: String,
        archive: String
    ) -> [(name: String, value: JSONValue)] {
        let facts: [(String, JSONValue?)] = [
            ("httpchain.call.id", .string(call)), ("har.archive", .string(archive)),
            // As one that was recorded here says: the call of a program, an attempt of it, or what went over the wire.
            ("har.place", entry.customFields["_place"]),
            ("har.attempt", entry.customFields["_attempt"]),
            ("har.page", entry.pageref.map { .string($0) }),
            ("http.request.method", .string(entry.request.method)), ("url.full", .string(entry.request.url)),
            (
                "http.response.status_code",
                entry.response.status > 0 ? .integer(Int64(entry.response.status)) : nil
            ),
            (
                "error.type",
                entry.response.status > 0
                    ? nil : entry.customFields["_errorKind"] ?? .string(failure ?? "no answer")
            ),
            ("network.protocol", .string(entry.request.httpVersion)),
            ("network.peer.address", entry.serverIPAddress.map { .string($0) }),
            ("http.response.body.size", .integer(entry.response.content.size)),
        ]
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Fields by their names in lower case, as OpenTelemetry calls them; values of one name together.
    private static func fields(_ prefix: String, _ fields: [HARField]) -> [(name: String, value: JSONValue)] {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in fields {
            let name = field.name.lowercased()
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(field.value)
        }
        return names.map { (prefix + $0, .string((values[$0] ?? []).joined(separator: ", "))) }
    }

    /// The contents that are text.
    private static func contents(of entry: HAREntry) -> [(name: String, value: JSONValue)] {
        var contents: [(name: String, value: JSONValue)] = []
        if let data = entry.request.postData, data.encoding == nil, let text = data.text, !text.isEmpty {
            contents.append(("http.request.body", .string(text)))
        }
        let content = entry.response.content
        if content.encoding == nil, let text = content.text, !text.isEmpty {
            contents.append(("http.response.body", .string(text)))
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
