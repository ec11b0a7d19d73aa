#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPChainTesting
import TestSupport
import Testing

@Suite("MultipartParser under random input", .seeded)
struct ParserRandomTests {
    private let message = Data(
        ("preamble\r\n--XX \r\nContent-Disposition: form-data; name=\"a\"\r\nFolded: x\r\n y\r\n\r\n1\r\n--X\r\n--XXX\r\n\r\n"
            + "--XX\r\n--XX\r\n\r\n--XX--\t\r\nepilogue\r\n--XX--").utf8
    )

    @Test("A message split in two at any place gives the same parts")
    func splitsInTwo() throws {
        let whole = try parse([message])
        #expect(whole.parts.count == 3 && whole.error == nil)
        for index in 0...message.count {
            #expect(try parse([message.prefix(index), message.dropFirst(index)]) == whole, "at \(index)")
        }
    }

    @Test("A message split in three at any places gives the same parts")
    func splitsInThree() throws {
        let short = Data("--X\r\nA: 1\r\n\r\na\r\n--\r\n--X--".utf8)
        let whole = try parse([short], boundary: "X")
        #expect(whole.contents == ["a\r\n--"])
        for first in 0...short.count {
            for second in first...short.count {
                let pieces = [short[..<first], short[first..<second], short[second...]]
                #expect(try parse(pieces, boundary: "X") == whole, "at \(first) and \(second)")
            }
        }
    }

    @Test("Random parts framed and split at random come back whole", arguments: 0..<60)
    func roundTrip(seed: UInt64) async throws {
        let random = Seed.numbers(seed)
        let alphabet = Array("\r\n-X a\0\u{1}z".utf8) + [0xFF]
        func bytes(upTo limit: Int) -> Data {
            Data((0..<random.index(below: limit + 1)).map { _ in alphabet[random.index(below: alphabet.count)] })
        }
        // A boundary of characters that the content does not have, though it begins like it.
        let boundary = "X" + String(repeating: "Q", count: random.index(below: 5) + 1)
        let contents = (0..<random.index(below: 6)).map { _ in bytes(upTo: 300) }
        let form = MultipartForm(contents.enumerated().map { .data("n\($0)", $1) })
        let framed = try await form.body(boundary: MultipartBoundary(boundary)).collect()
        let parsed = try parse(random.split(framed), boundary: boundary)
        #expect(parsed.parts.map(\.content) == contents)
        #expect(parsed.parts.map(\.head.name) == contents.indices.map { "n\($0)" })
        #expect(parsed.error == nil && parsed.parts.allSatisfy { $0.isEnded })
    }

    @Test("Random lines never trap, and mean the same however they are split", arguments: 0..<300)
    func randomLines(seed: UInt64) throws {
        let random = Seed.numbers(1000 + seed)
        let words = [
            "--X", "--X--", "--X-", "--", "-", "X", "\r\n", "\r\n", "\n", "\r", "\r\n\r\n", " ", "\t", "a: b", ":", "é",
            "\0", "text",
            "--X\r\n", "--X\r\n\r\n", "\r\n--X\r\n", "\r\n--X--\r\n", "Content-Disposition: form-data; name=\"a\"",
        ]
        let limits = MultipartLimits(
            headerSize: ByteCount(Int64(random.index(below: 60))),
            headerCount: random.index(below: 4),
            partCount: random.index(below: 8),
            partSize: ByteCount(Int64(random.index(below: 30)))
        )
        let input = Data(
            (0..<random.index(below: 40)).map { _ in words[random.index(below: words.count)] }.joined().utf8
        )
        for limits in [MultipartLimits(), limits] {
            let whole = try parse([input], boundary: "X", limits: limits)
            #expect(try parse(random.split(input), boundary: "X", limits: limits) == whole)
            #expect(try parse(input.map { Data([$0]) }, boundary: "X", limits: limits) == whole)
        }
    }

    @Test("Random bytes never trap the parsers", arguments: 0..<100)
    func randomBytes(seed: UInt64) throws {
        let random = Seed.numbers(2000 + seed)
        let input = Data(random.bytes(random.index(below: 2000)))
        let boundary = String(decoding: input.prefix(random.index(below: 4)).map { $0 & 0x3F | 0x40 }, as: UTF8.self)
        if !boundary.isEmpty, var parser = try? MultipartParser(boundary: boundary) {
            for piece in random.split(input) { _ = parser.append(piece) }
            _ = parser.finish()
        }
        let text = String(decoding: input.map { $0 & 0x7F }, as: UTF8.self)
        _ = ContentDisposition("form-data; " + text)
        _ = ContentDisposition("a; filename*=UTF-8'" + text)
        _ = try? MultipartParser(contentType: "multipart/" + text)
        _ = try? MultipartBoundary(text)
        _ = FileContentType.guess(fileName: text)
    }
}

extension SeededRandom {
    /// The bytes in pieces, some of them empty.
    fileprivate func split(_ bytes: Data) -> [Data] {
        var rest = bytes
        var pieces: [Data] = []
        while !rest.isEmpty {
            let piece = rest.prefix(index(below: 20))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
#endif
