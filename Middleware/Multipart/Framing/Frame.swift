import Foundation
import HTTPChainCore

/// Concatenated bodies.
///
/// Adjacent bodies in memory are combined, so that small parts don't result in small chunks.
struct Frame {
    private var bodies: [HTTPBody] = []
    private var pending = Data()

    mutating func append(_ text: String) {
        pending.append(contentsOf: text.utf8)
    }

    mutating func append(_ body: HTTPBody) {
        if let bytes = body.bytes, bytes.count <= HTTPBody.chunkSize {
            pending.append(bytes)
        } else {
            flush()
            bodies.append(body)
        }
    }

    private mutating func flush() {
        guard !pending.isEmpty else { return }
        bodies.append(HTTPBody(pending))
        pending = Data()
    }

    consuming func body(isReplayable: Bool) -> HTTPBody {
        flush()
        if bodies.count == 1, isReplayable { return bodies[0] }
        let bodies = bodies
        let length = Self.length(of: bodies)
        if isReplayable { return .replayable(length: length) { FramingReader(bodies) } }
        return .once(length: length) { FramingReader(bodies) }
    }

    /// The sum of the lengths, or `nil` if one is unknown or invalid, or if the sum overflows.
    private static func length(of bodies: [HTTPBody]) -> Int64? {
        var sum: Int64 = 0
        for body in bodies {
            guard let length = body.length, length >= 0 else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(length)
            guard !overflow else { return nil }
            sum = total
        }
        return sum
    }
}

/// Reads bodies one after another.
///
/// Each is opened when it's needed and released at its end.
struct FramingReader: BodyReader {
    private var waiting: ArraySlice<HTTPBody>
    private var current: (any BodyReader)?

    init(_ bodies: [HTTPBody]) {
        waiting = bodies[...]
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        while true {
            if let chunk = try await current?.read() { return chunk }
            current = nil
            guard let next = waiting.popFirst() else { return nil }
            current = try await next.makeReader()
        }
    }
}
