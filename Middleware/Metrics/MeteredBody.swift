import Foundation
import HTTPChainCore

/// The number of bytes transferred of a body.
struct MeteredSize: Sendable {
    private let count: Locked<Int64>?
    private let known: Int64?

    /// Observes a request's body.
    ///
    /// A body whose length isn't known beforehand is counted as it is read.
    init(_ request: inout Request) {
        known = request.body.isEmpty ? 0 : request.body.length
        guard known == nil, request.body.value == nil else {
            count = nil
            return
        }
        let count = Locked<Int64>(0)
        self.count = count
        request.body = request.body.transformed { CountingReader($0, into: count, restarting: true) }
    }

    /// The size; `nil` if it isn't known.
    var value: Int64? { known ?? count?.withLock { $0 } }
}

extension Response {
    /// The size of a complete body; `nil` if more may arrive.
    var settledSize: Int64? { body.hasTransfer || body.isUnmeasuredFile ? nil : body.length ?? 0 }

    /// Calls a closure with the number of bytes read when the body has ended or was dropped.
    mutating func meterBody(_ onEnd: @escaping @Sendable (_ size: Int64, _ end: BodyEnd) -> Void) {
        let count = Locked<Int64>(0)
        let length = body.length
        body = body.transformed(length: length) { CountingReader($0, into: count, restarting: false) }
            .notifying { end in
                let size = count.withLock { $0 }
                onEnd(size, end)
            }
    }
}

/// Counts bytes as they are read.
private struct CountingReader: BodyReader {
    private var inner: any BodyReader
    private let count: Locked<Int64>

    init(_ inner: sending any BodyReader, into count: Locked<Int64>, restarting: Bool) {
        self.inner = inner
        self.count = count
        if restarting { count.withLock { $0 = 0 } }
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else { return nil }
        count.withLock { $0 += Int64(chunk.count) }
        return chunk
    }
}

/// The protocol of an attempt's connection, if the transport reports it.
final class ProtocolReport: Sendable {
    private let name = Locked<String?>(nil)

    /// Subscribes to the transport's report, or returns `nil` if the transport doesn't report it.
    init?(_ request: inout Request, _ next: Next) {
        guard next.capabilities.contains(.reportsConnections) else { return nil }
        let listener = request.options[ConnectionReportNote.self]
        request.options[ConnectionReportNote.self] = { [name] metrics in
            name.withLock { $0 = metrics.protocolName }
            listener?(metrics)
        }
    }

    /// The HTTP version; `nil` if it wasn't reported.
    var version: String? { name.withLock { $0 }.flatMap(HTTPSemantics.protocolVersion) }
}
