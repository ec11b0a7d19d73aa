#if AllTests && Zstd
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainZstd
import TestSupport
import Testing

@Suite("zstd", .heavy, .timeLimit(.minutes(10)))
struct ZstdTests {
    /// A frame of one stored block that says "hi", RFC 8878 §3.1.1.
    ///
    /// - Parameters:
    ///   - descriptor: The frame header's first byte.
    ///   - header: The rest of the frame header.
    private func frame(_ descriptor: UInt8 = 0, _ header: [UInt8] = [0x00], magic: UInt8 = 0x28) -> Data {
        Data([magic, 0xB5, 0x2F, 0xFD, descriptor] + header + [0x11, 0, 0]) + Data("hi".utf8)
    }

    private func problem(_ bytes: Data, _ coding: ContentCoding = .zstd) async throws -> ContentCodingError.Problem? {
        do {
            #expect(try await HTTPBody.pieces(bytes, of: 1).decoded(from: [coding]).text() == "hi")
            return nil
        } catch let error as ContentCodingError {
            return error.problem
        }
    }

    @Test("A window beyond what is allowed is refused before anything is decoded, RFC 9659")
    func windows() async throws {
        // The exponent is above the lowest three bits, and counts from 1 KiB.
        #expect(try await problem(frame(0, [13 << 3])) == nil)
        #expect(try await problem(frame(0, [13 << 3 | 1])) == .windowTooLarge(limit: .mebibytes(8)))
        #expect(try await problem(frame(0, [21 << 3])) == .windowTooLarge(limit: .mebibytes(8)))
        #expect(try await problem(frame(0, [14 << 3]), .zstd(maximumWindow: .mebibytes(16))) == nil)
        #expect(try await problem(frame(0, [7 << 3]), .zstd(maximumWindow: 70_000)) == .windowTooLarge(limit: 65_536))
        #expect(try await problem(frame(0, [1 << 3]), .zstd(maximumWindow: 0)) == .windowTooLarge(limit: 1024))
        #expect(try await problem(frame(0, [0]), .zstd(maximumWindow: -5)) == nil)
        // A size instead of a window: 8 bytes of it, and it is 2^40.
        let size = frame(0xE0, [0, 0, 0, 0, 0, 1, 0, 0])
        #expect(try await problem(size) == .windowTooLarge(limit: .mebibytes(8)))
        #expect(try await problem(frame(0, [14 << 3]), .zstd(maximumWindow: .unlimited)) == nil)
    }

    @Test("Data that isn't a frame, needs a dictionary or has an old format is an error with the reason")
    func otherFormats() async throws {
        #expect(try await problem(Data("<html>not zstd</html>".utf8)) == .notEncoded)
        #expect(try await problem(frame(magic: 0x27)) == .notEncoded)
        #expect(try await problem(Data([0x28, 0xB5, 0x2F, 0xFE, 0, 0, 0])) == .notEncoded)
        #expect(try await problem(frame(0x01, [0x00, 0x07])) == .needsDictionary)
        #expect(try await problem(frame(0x08)) == .corrupt("Unsupported frame parameter"))
    }

    @Test(
        "A frame of an old format that hides behind the first byte of another is no frame, however it arrives",
        arguments: [0x22, 0x23, 0x24, 0x25, 0x26, 0x27] as [UInt8],
        [1, 3, 100]
    )
    func hiddenFormat(version: UInt8, size: Int) async throws {
        let bytes = Data([0x28, version, 0xB5, 0x2F, 0xFD, 0x00, 0x24, 0xF1, 0x2F, 0x51])
        let error = await #expect(throws: ContentCodingError.self) {
            try await HTTPBody.pieces(bytes, of: size).decoded(from: [.zstd]).content
        }
        #expect(error?.problem == .notEncoded)
    }

    @Test("Frames that follow each other are one content, with skipped ones between them", arguments: [1, 5, 100_000])
    func frames(size: Int) async throws {
        let first = try await Libraries.encoded(Samples.json(70_000), .zstd)
        let skipped = Data([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
        let empty = try await Libraries.encoded(Data(), .zstd)
        let bytes = skipped + first + skipped + empty + frame() + skipped
        #expect(
            try await HTTPBody.pieces(bytes, of: size).decoded(from: [.zstd]).content
                == Samples.json(70_000) + Data("hi".utf8)
        )
        for count in [bytes.count - 1, skipped.count + first.count + 3] {
            let error = try await failure(of: .pieces(bytes.prefix(count), of: size).decoded(from: [.zstd]))
            #expect(error.problem == .truncated)
        }
    }

    @Test("A frame that has another size than it declares is damage, however it is cut", arguments: [1, 13, 100])
    func declaredSize(size: Int) async throws {
        // 37 bytes declared, one empty block, and the right checksum of nothing.
        let empty = Data([0x28, 0xB5, 0x2F, 0xFD, 0x24, 37, 0x01, 0, 0, 0x99, 0xE9, 0xD8, 0x51])
        let error = try await failure(of: .pieces(empty, of: size).decoded(from: [.zstd]))
        guard case .corrupt = error.problem else {
            Issue.record("\(error)")
            return
        }
        var right = empty
        right[5] = 0
        #expect(try await HTTPBody.pieces(right, of: size).decoded(from: [.zstd]).content.isEmpty)
    }

    @Test(
        "Frames without content are refused when there are many more of them than of others",
        arguments: [7, 100_000]
    )
    func emptyFrames(size: Int) async throws {
        let empty = frame(0, [0x00]).prefix(6) + Data([1, 0, 0])
        let skipped = Data([0x5A, 0x2A, 0x4D, 0x18, 0, 0, 0, 0])
        for frame in [empty, skipped] {
            func body(_ count: Int) -> HTTPBody {
                .pieces(Data(repeatElement(frame, count: count).joined()), of: size).decoded(from: [.zstd])
            }
            #expect(try await body(1000).content.isEmpty)
            let error = try await failure(of: body(1001))
            #expect(error.problem == .corrupt("there are more than 1000 empty frames"))
        }
        let mixed = Data(repeatElement(empty + frame(), count: 3000).joined())
        #expect(try await HTTPBody.pieces(mixed, of: size).decoded(from: [.zstd]).content.count == 6000)
    }

    @Test("What was decoded before damage is handed out before the error")
    func beforeDamage() async throws {
        let body = HTTPBody(frame() + frame(magic: 0x27)).decoded(from: [.zstd])
        var reader = try await body.makeReader()
        #expect(try await reader.read() == Data("hi".utf8))
        await #expect(throws: ContentCodingError.self) { try await reader.read() }
    }

    @Test("Output is handed on as soon as there is some")
    func latency() async throws {
        // A stored block that is not the last, and then nothing for ever.
        let flushed = Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0x58, 5 << 3, 0, 0]) + Data("event".utf8)
        let body = HTTPBody.stream(flushed, error: Missing("the rest")).decoded(from: [.zstd])
        var reader = try await body.makeReader()
        #expect(try await reader.read() == Data("event".utf8))
        await #expect(throws: Missing.self) { try await reader.read() }
    }

    @Test("A checksum is written, and verified")
    func checksum() async throws {
        var encoded = try await Libraries.encoded(Samples.json(100_000), .zstd)
        encoded[encoded.endIndex - 1] ^= 1
        let error = try await failure(of: HTTPBody.pieces(encoded, of: 100).decoded(from: [.zstd]))
        #expect(error.problem == .corrupt("Restored data doesn't match checksum"))
    }

    @Test("The level decides how small the result is; what lies outside is the nearer end")
    func levels() async throws {
        var sizes: [Int] = []
        for level in [-5, 1, 3, 19, 22] {
            sizes.append(try await HTTPBody(Samples.json(90_000)).encoded(with: .zstd(level: level)).content.count)
        }
        #expect(sizes[0] == sizes[1] && sizes[3] == sizes[4])
        #expect(sizes[1] > sizes[3] && sizes[2] > sizes[3])
        #expect(ContentCoding.zstd(level: 99).settings == "level 19")
    }

    static let producers = [
        Tool("zstd", "-c"), Tool("zstd", "-1", "-c"), Tool("zstd", "-19", "--no-check", "-c"),
        Tool("zstd", "--fast=5", "-c", "{}"), Tool("zstd", "--ultra", "-22", "--zstd=wlog=23", "-c", "{}"),
        Tool("zstd", "--long=23", "-T2", "-c"), Tool("zstd", "--rsyncable", "-c", "{}"),
    ]

    @Test("What zstd(1) writes is read back", arguments: producers)
    func reading(_ tool: Tool) async throws {
        try await Libraries.check(.zstd, readsFrom: tool)
    }

    @Test("A window of 128 MiB, as zstd --long=27 writes it, is read where that is allowed")
    func longWindow() async throws {
        guard let encoded = try await Tool("zstd", "--long=27", "-c").run(Samples.json(100_000)) else { return }
        let error = try await failure(of: HTTPBody(encoded).decoded(from: [.zstd]))
        #expect(error.problem == .windowTooLarge(limit: .mebibytes(8)))
        let generous = ContentCoding.zstd(maximumWindow: .mebibytes(128))
        #expect(try await HTTPBody(encoded).decoded(from: [generous]).content == Samples.json(100_000))
    }

    @Test("zstd(1) reads what is written here, which is as small as what it writes", arguments: [1, 3, 19])
    func writing(level: Int) async throws {
        let decoder = Tool("zstd", "-d", "-c")
        try await Libraries.check(.zstd(level: level), writesFor: decoder, asSmallAs: Tool("zstd", "-\(level)", "-c"))
    }
}
#endif
