import CodecLoops
import Foundation
import HTTPChainBrotli
import HTTPChainCore
import HTTPChainGzip
import HTTPChainZstd
import HTTPTypes

/// A body like JSON, encoded and decoded by the stage and by plain C, in pieces of 64 KiB.
public struct CodingScenarios {
    /// How large the body is: 64 MiB.
    public static let size = 64 << 20

    /// A coding, and the loops in C that do the same.
    public struct Coding: Sendable {
        /// What its figures are called.
        public let name: String
        let coding: ContentCoding
        let encode: @Sendable (UnsafePointer<UInt8>?, Int, Int) -> Int64
        let decode: @Sendable (UnsafePointer<UInt8>?, Int, Int) -> Int64

        /// gzip at level 6.
        public static let gzip = Coding(
            name: "gzip",
            coding: .gzip(level: 6),
            encode: { zlib_loop_gzip($0, $1, $2, 6) },
            decode: { zlib_loop_gunzip($0, $1, $2) }
        )
        /// brotli at quality 5.
        public static let brotli = Coding(
            name: "brotli",
            coding: .brotli(quality: 5),
            encode: { brotli_loop_encode($0, $1, $2, 5) },
            decode: { brotli_loop_decode($0, $1, $2) }
        )
        /// zstd at level 3.
        public static let zstd = Coding(
            name: "zstd",
            coding: .zstd(level: 3),
            encode: { zstd_loop_encode($0, $1, $2, 3) },
            decode: { zstd_loop_decode($0, $1, $2) }
        )
    }

    private let coding: Coding
    private let plain: Data
    private let encoded: Data

    /// Makes the body, and encodes it for those who decode.
    public init(_ coding: Coding) async throws {
        self.coding = coding
        plain = Self.records(Self.size)
        encoded = try await HTTPBody(plain).encoded(with: coding.coding).collect(upTo: .unlimited)
    }

    /// The stage encodes a request, in a chain.
    public func encoding(named name: String) throws -> Scenario {
        let settings = CompressionSettings(coding: coding.coding)
        let chain = try Chain(transport: ConsumingTransport(expecting: Int64(encoded.count))) {
            GzipMiddleware(requests: settings)
        }
        let request = Request.post("https://api.example.com/upload", body: HTTPBody(plain))
        return Scenario(name: name) { count in
            for _ in 0..<count { _ = try await chain.send(request) }
        }
    }

    /// A loop in C encodes.
    public func encodingInC(named name: String) -> Scenario {
        Self.loop(name, plain, result: encoded.count, coding.encode)
    }

    /// The stage decodes a response, in a chain.
    public func decoding(named name: String) throws -> Scenario {
        let response = Response(.ok, headers: [.contentEncoding: coding.coding.name], body: HTTPBody(encoded))
        let chain = try Chain(transport: AnsweringTransport(response: response)) {
            GzipMiddleware(codings: [coding.coding])
        }
        let request = Request.get("https://api.example.com/download")
        return Scenario(name: name) { count in
            for _ in 0..<count { try await Self.consume(chain.send(request).body, expecting: Self.size) }
        }
    }

    /// A loop in C decodes.
    public func decodingInC(named name: String) -> Scenario {
        Self.loop(name, encoded, result: Self.size, coding.decode)
    }

    /// A stream of records is encoded and decoded again, and never in memory as a whole.
    public static func passing(_ size: Int, _ coding: Coding) async throws {
        let block = records(8 << 20)
        let body = HTTPBody.once { RepeatingReader(block: block, left: size) }
            .encoded(with: coding.coding)
            .decoded(from: [coding.coding], limits: .unlimited)
        try await consume(body, expecting: size)
    }

    private static func consume(_ body: HTTPBody, expecting size: Int) async throws {
        var count = 0
        for try await chunk in body { count += chunk.count }
        guard count == size else { throw ShortBody(count: Int64(count)) }
    }

    private static func loop(
        _ name: String,
        _ input: Data,
        result: Int,
        _ run: @escaping @Sendable (UnsafePointer<UInt8>?, Int, Int) -> Int64
    ) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                let produced = input.withUnsafeBytes {
                    run($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, BodyScenarios.chunkSize)
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

/// Gives a block again and again, in chunks of 64 KiB.
private struct RepeatingReader: BodyReader {
    let block: Data
    var left: Int
    private var offset = 0

    init(block: Data, left: Int) {
        self.block = block
        self.left = left
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard left > 0 else { return nil }
        let count = min(left, BodyScenarios.chunkSize, block.count - offset)
        let start = block.startIndex + offset
        offset = (offset + count) % block.count
        left -= count
        return block[start..<start + count]
    }
}
