public import Foundation
import HTTPChainCore
import HTTPTypes

/// Bodies read to their end through a chain whose stages each wrap them in a transform.
public enum BodyScenarios {
    /// How many chunks of ``HTTPChainCore/HTTPBody/chunkSize`` each body has.
    public static let chunks = 256
    /// The bytes of a chunk, as bodies of files and in memory have them.
    static let chunkSize = 65_536

    /// A body in memory.
    public static func bytes(transforms: Int, named name: String) -> Scenario {
        let body = HTTPBody(Data(count: chunks * BodyScenarios.chunkSize))
        return Scenario(name: name) { count in
            for _ in 0..<count {
                try await drain((0..<transforms).reduce(body) { body, _ in TransformStage.transform(body) })
            }
        }
    }

    /// A body in memory whose first 4 KiB somebody looks at.
    public static func peek(named name: String) -> Scenario {
        let body = HTTPBody(Data(count: chunks * BodyScenarios.chunkSize))
        return Scenario(name: name) { count in
            for _ in 0..<count {
                try await drain(try await body.peek(upTo: .kibibytes(4)).body)
            }
        }
    }

    /// A file sent through stages that each transform it, to a transport that reads it to its end.
    public static func file(_ file: SparseFile, transforms: Int, named name: String) throws -> Scenario {
        let chain = try Chain(
            Array(repeating: TransformStage(), count: transforms),
            transport: ConsumingTransport(expecting: file.size)
        )
        let request = Request.post("https://api.example.com/upload", body: .file(file.url))
        return Scenario(name: name) { count in
            for _ in 0..<count {
                _ = try await chain.send(request)
            }
        }
    }

    /// A file of zeros that takes no space on the disk.
    public static func sparseFile(of size: Int64) throws -> SparseFile {
        try SparseFile(size: size)
    }

    fileprivate static func drain(_ body: HTTPBody) async throws {
        var count = 0
        for try await chunk in body { count += chunk.count }
        guard count == chunks * BodyScenarios.chunkSize else { throw ShortBody(count: Int64(count)) }
    }
}

/// A file in the directory for temporary files.
public struct SparseFile: Sendable {
    /// Where it is.
    public let url: URL
    /// Its size in bytes.
    public let size: Int64

    init(size: Int64) throws {
        self.size = size
        url = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(size))
    }

    /// Removes it.
    public func delete() {
        try? FileManager.default.removeItem(at: url)
    }
}

/// A body did not arrive whole.
struct ShortBody: Error {
    let count: Int64
}

/// Wraps the body of every request in a transform, as gzip, progress and digests do.
struct TransformStage: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.body = Self.transform(request.body)
        return try await next(request)
    }

    static func transform(_ body: HTTPBody) -> HTTPBody {
        body.transformed(length: body.length) { CountingReader(inner: $0) }
    }
}

/// Looks at each chunk and hands it on.
struct CountingReader: BodyReader {
    var inner: any BodyReader
    var count = 0

    init(inner: any BodyReader) {
        self.inner = inner
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else { return nil }
        count += chunk.count
        return chunk
    }
}

/// Reads the body to its end, as a network would, and answers.
struct ConsumingTransport: Transport {
    let size: Int64
    let response = Response(.ok)

    init(expecting size: Int64) {
        self.size = size
    }

    var capabilities: TransportCapabilities { [.streamsUploads, .backpressure] }

    func send(_ request: consuming Request) async throws -> Response {
        var count: Int64 = 0
        for try await chunk in request.body { count += Int64(chunk.count) }
        guard count == size else { throw ShortBody(count: count) }
        return response
    }
}
