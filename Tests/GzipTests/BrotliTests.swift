#if AllTests && Brotli
import Foundation
import HTTPChainBrotli
import HTTPChainCore
import HTTPChainGzip
import TestSupport
import Testing

@Suite("brotli", .heavy, .timeLimit(.minutes(10)))
struct BrotliTests {
    @Test("A large window is refused, and one beyond what is allowed, before anything is decoded")
    func windows() async throws {
        let largeWindow = Data([0x11, 0x18, 0x03])
        let error = try await failure(of: HTTPBody(largeWindow).decoded(from: [.brotli]))
        #expect(error.problem == .windowTooLarge(limit: .mebibytes(16)))
        #expect("\(error)".contains("the br content needs a window of more than 16 MiB (byte 0)"))
        // RFC 7932 §9.1: nothing but the window and an empty last block.
        let windows: [(UInt8, Int)] = [
            (0b0000_0110, 16), (0b0011_0111, 20), (0b1100_0001, 12), (0b0011_1111, 24), (0b1000_0001, 17),
        ]
        for (byte, bits) in windows {
            let bytes = Data([byte, 0x03, 0x03])
            for (limit, isRefused) in [(Int64(1) << bits, false), (Int64(1) << bits - 1, true)] {
                let coding = ContentCoding.brotli(maximumWindow: ByteCount(limit))
                var problem: ContentCodingError.Problem?
                do {
                    _ = try await HTTPBody(bytes).decoded(from: [coding]).content
                } catch let error as ContentCodingError { problem = error.problem }
                #expect((problem == .windowTooLarge(limit: ByteCount(limit))) == isRefused, "\(bits)")
            }
        }
    }

    @Test("Output is handed on as soon as there is some")
    func latency() async throws {
        // A stored block that is not the last, and then nothing for ever.
        let flushed = Data([0x40, 0x00, 0x10]) + Data("event".utf8)
        let body = HTTPBody.stream(flushed, error: Missing("the rest")).decoded(from: [.brotli])
        var reader = try await body.makeReader()
        #expect(try await reader.read() == Data("event".utf8))
        await #expect(throws: Missing.self) { try await reader.read() }
    }

    @Test("The quality decides how small the result is; what lies outside is the nearer end")
    func quality() async throws {
        var sizes: [Int] = []
        for quality in [-1, 0, 5, 11, 99] {
            sizes.append(
                try await HTTPBody(Samples.json(50_000)).encoded(with: .brotli(quality: quality)).content.count
            )
        }
        #expect(sizes[0] == sizes[1] && sizes[3] == sizes[4])
        #expect(sizes[1] > sizes[2] && sizes[2] > sizes[3])
        #expect(ContentCoding.brotli(quality: 99).settings == "quality 11")
    }

    static let producers = [
        Tool("brotli", "-c"), Tool("brotli", "-q", "0", "-c"), Tool("brotli", "-q", "5", "-w", "10", "-c"),
        Tool("brotli", "-q", "9", "-w", "24", "-c"), Tool("brotli", "-q", "5", "-c", "{}"),
    ]

    @Test("What brotli(1) writes is read back", arguments: producers)
    func reading(_ tool: Tool) async throws {
        try await Libraries.check(.brotli, readsFrom: tool)
    }

    @Test("brotli(1) refuses a large window here as there", arguments: ["26"])
    func largeWindow(bits: String) async throws {
        guard let encoded = try await Tool("brotli", "-q", "5", "--large_window=\(bits)", "-c").run(Samples.json(5000))
        else { return }
        let error = try await failure(of: HTTPBody(encoded).decoded(from: [.brotli]))
        #expect(error.problem == .windowTooLarge(limit: .mebibytes(16)))
    }

    @Test("brotli(1) reads what is written here, which is as small as what it writes", arguments: [2, 5, 11])
    func writing(quality: Int) async throws {
        let encoder = Tool("brotli", "-q", "\(quality)", "-c")
        let coding = ContentCoding.brotli(quality: quality)
        try await Libraries.check(coding, writesFor: Tool("brotli", "-d", "-c"), asSmallAs: encoder)
    }
}
#endif
