import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPTypes
import ZlibLoop

/// A body like JSON, compressed and decoded by the stage and by plain C, in pieces of 64 KiB.
public struct GzipScenarios {
    /// How large the body is: 64 MiB.
    public static let size = 64 << 20
    private static let level = 6

    private let plain: Data
    private let compressed: Data

    /// Makes the body, and compresses it for those who decode.
    public init() async throws {
        plain = Self.records(Self.size)
        compressed = try await HTTPBody(plain).gzipped(level: CompressionLevel(Self.level)).collect(upTo: .unlimited)
    }

    /// The stage compresses a request, in a chain.
    public func compressing(named name: String) throws -> Scenario {
        let settings = CompressionSettings(level: CompressionLevel(Self.level))
        let chain = try Chain(transport: ConsumingTransport(expecting: Int64(compressed.count))) {
            GzipMiddleware(requests: settings)
        }
        let request = Request.post("https://api.example.com/upload", body: HTTPBody(plain))
        return Scenario(name: name) { count in
            for _ in 0..<count { _ = try await chain.send(request) }
        }
    }

    /// A loop over zlib compresses.
    public func compressingInC(named name: String) -> Scenario {
        Self.loop(name, plain, result: compressed.count) {
            zlib_loop_gzip($0, $1, HTTPBody.chunkSize, Int32(Self.level))
        }
    }

    /// The stage decodes a response, in a chain.
    public func decoding(named name: String) throws -> Scenario {
        let response = Response(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(compressed))
        let chain = try Chain(transport: AnsweringTransport(response: response)) { GzipMiddleware() }
        let request = Request.get("https://api.example.com/download")
        return Scenario(name: name) { count in
            for _ in 0..<count {
                var size = 0
                for try await chunk in try await chain.send(request).body { size += chunk.count }
                guard size == Self.size else { throw ShortBody(count: Int64(size)) }
            }
        }
    }

    /// A loop over zlib decodes.
    public func decodingInC(named name: String) -> Scenario {
        Self.loop(name, compressed, result: Self.size) { zlib_loop_gunzip($0, $1, HTTPBody.chunkSize) }
    }

    private static func loop(
        _ name: String,
        _ input: Data,
        result: Int,
        _ run: @escaping @Sendable (UnsafePointer<UInt8>?, Int) -> Int64
    ) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                let produced = input.withUnsafeBytes {
                    run($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
                }
                guard produced == Int64(result) else { throw ShortBody(count: produced) }
            }
        }
    }

    /// Records as a web service sends them, made by a congruential generator so that they are the same each time.
    private static func records(_ size: Int) -> Data {
        var seed: UInt64 = 1
        func next(_ bound: UInt64) -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (seed >> 33) % bound
        }
        var data = Data(capacity: size + 200)
        while data.count < size {
            let id = next(1_000_000)
            let price = next(100_000)
            let state = ["open", "closed", "pending"][Int(next(3))]
            let text =
                "{\"id\":\(id),\"name\":\"Plant \(next(9_973))\",\"price\":\(price / 100).\(price % 100),"
                + "\"state\":\"\(state)\",\"tags\":[\"t\(next(40))\",\"t\(next(40))\"],\"at\":\(1_700_000_000 + next(9_999_999))},\n"
            data.append(contentsOf: text.utf8)
        }
        return data.prefix(size)
    }
}

/// Answers every request with the same response.
private struct AnsweringTransport: Transport {
    let response: Response
    var capabilities: TransportCapabilities { [.streamsUploads, .backpressure] }

    func send(_ request: consuming Request) async throws -> Response { response }
}
