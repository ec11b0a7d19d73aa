import Foundation
import HTTPChainCore
import HTTPChainMultipart

/// A file that is a part of a form.
public enum MultipartScenarios {
    private static func form(_ file: SparseFile) -> MultipartForm {
        [.text("title", "a large file"), .file("file", file.url)]
    }

    /// The form sent through its stage, to a transport that reads it to its end.
    public static func upload(_ file: SparseFile, named name: String) async throws -> Scenario {
        let form = form(file)
        let length = try await form.framed().body.length ?? 0
        let chain = try Chain(transport: ConsumingTransport(expecting: length)) { MultipartMiddleware() }
        return Scenario(name: name) { count in
            for _ in 0..<count {
                _ = try await chain.send(.post("https://api.example.com/upload", multipart: form))
            }
        }
    }

    /// The framed form written to where nothing is kept.
    public static func frame(_ file: SparseFile, named name: String) async throws -> Scenario {
        let body = try await form(file).framed().body
        return Scenario(name: name) { count in
            for _ in 0..<count {
                let sink = try Sink()
                for try await chunk in body { try chunk.withUnsafeBytes { try sink.write($0) } }
                guard sink.count == body.length else { throw ShortBody(count: sink.count) }
            }
        }
    }

    /// The file copied to where nothing is kept, in plain code with one buffer of the size of a body's chunks.
    public static func copy(_ file: SparseFile, named name: String) throws -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                let sink = try Sink()
                let source = open(file.url.path, O_RDONLY)
                guard source >= 0 else { throw POSIXError(.ENOENT) }
                defer { close(source) }
                var buffer = [UInt8](repeating: 0, count: BodyScenarios.chunkSize)
                try buffer.withUnsafeMutableBytes { bytes in
                    while true {
                        let count = read(source, bytes.baseAddress, bytes.count)
                        guard count > 0 else { break }
                        try sink.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    }
                }
                guard sink.count == file.size else { throw ShortBody(count: sink.count) }
            }
        }
    }
}

/// Writes to `/dev/null`, and counts.
private final class Sink {
    private let descriptor: Int32
    private(set) var count: Int64 = 0

    init() throws {
        descriptor = open("/dev/null", O_WRONLY)
        guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard Foundation.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
            throw POSIXError(.EIO)
        }
        count += Int64(bytes.count)
    }

    deinit { close(descriptor) }
}
