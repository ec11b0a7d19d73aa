#if AllTests && DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainAuth
import HTTPChainLogShipper
import HTTPChainMultipart
import HTTPChainOData
import HTTPChainPagination
import HTTPChainRemoteLogging
import HTTPChainSupport
import HTTPChainValkey
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheValkey
@testable import HTTPChainCookies
@testable import HTTPChainCore
@testable import HTTPChainEventStream
@testable import HTTPChainHAR
@testable import HTTPChainLogSpool
@testable import HTTPChainRedirect
@testable import HTTPChainResumableUpload
@testable import HTTPChainRoutes
@testable import HTTPChainSerializer

/// A reader of data from outside, with the places of its literals.
struct OutsideReader: Sendable, CustomTestStringConvertible {
    let name: String
    let folders: [String]
    var further: [String] = []
    let read: @Sendable (String) async throws -> Void

    var testDescription: String { name }

    static let all = messages + shared + stored + codings + fields + requests + documents

    /// Fields and documents.
    private static let messages: [OutsideReader] = [
        OutsideReader(name: "challenges", folders: ["Middleware/Auth/Challenges"], further: ["Digest ", "a=b"]) {
            _ = Challenge.parse([$0])
        },
        OutsideReader(name: "cookies", folders: ["Middleware/Cookies/Rules"], further: ["a=b", "; Expires="]) { text in
            var limits = CookieLimits()
            limits.field = .max
            limits.pair = .max
            limits.attribute = .max
            _ = try? SetCookie(text, limits: limits)
            _ = CookieDate.parse(text)
            _ = URLHost(text[...])?.domains
        },
        OutsideReader(name: "cookies.txt", folders: ["Middleware/Cookies/Jar/NetscapeCookies.swift"]) {
            _ = try NetscapeCookies.parse($0)
        },
        OutsideReader(name: "events", folders: ["Middleware/EventStream/Formats"], further: ["data:", ":", "\n\n"]) {
            text in
            for size in [1, 16, text.utf8.count] {
                var parser = EventParser(limits: EventStreamLimits(line: .unlimited, event: .unlimited))
                for chunk in chunks(of: text, size) { _ = try parser.events(in: chunk) }
            }
        },
        OutsideReader(name: "lines", folders: ["Middleware/EventStream/Formats/JSONTextParser.swift"]) { text in
            for format in [JSONTextParser.Format.lines, .sequence] {
                var parser = JSONTextParser(format, limit: .unlimited, lastEventID: nil)
                var items: [StreamItem] = []
                for chunk in chunks(of: text, 16) { try parser.read(chunk, into: &items) }
                try parser.end(into: &items)
            }
        },
        OutsideReader(name: "forms", folders: ["Middleware/Serializer"], further: ["a[b]=", "&", "a[][x]=1&"]) { text in
            for arrays in [ParameterEncoder.Arrays.rack, .commas, .pipes, .indexed] {
                let form = FormSerializer(ParameterEncoder(arrays: arrays))
                _ = try form.decode([String: [String]].self, from: Data(text.utf8), contentType: nil)
            }
        },
        OutsideReader(name: "har", folders: ["Middleware/HAR/JSON"], further: ["[", "{", "\"a\":", "1", ","]) { text in
            _ = try? JSONTreeParser.parse(text)
            for start in ["{\"log\":{\"entries\":[", "[\"", "["] {
                _ = try? HARArchive(Data((start + text).utf8), salvaging: true)
                _ = try? JSONTreeParser.parse(start + text)
            }
        },
        OutsideReader(
            name: "headers",
            folders: ["Sources/HTTPChainCore/Message", "Sources/HTTPChainValues/Messages"],
            further: ["a.", "/../", "%2e"]
        ) { text in
            _ = ContentLength.parse(text)
            _ = Origin(text)
            _ = MediaType(text)
            _ = try? Request(.get, text).forWire()
        },
        OutsideReader(name: "cache", folders: ["Middleware/Cache/Rules"], further: ["max-age=1", "a=\"", ", "]) {
            _ = DirectiveScanner.directives(in: $0)
        },
        OutsideReader(
            name: "location",
            folders: ["Middleware/Redirect", "Sources/HTTPChainSupport/Fields"],
            further: ["../"]
        ) {
            let base = URIReference("https://a.example/b/c;p?q#f")
            let response = HTTPResponse(status: .found, headerFields: [.location: $0])
            _ = RedirectLocation.target(of: response, from: base)
            _ = URIReference($0).resolved(against: base)
        },
        OutsideReader(
            name: "links",
            folders: ["Sources/HTTPChainPagination/WebLink.swift"],
            further: ["<a>; rel=\"next\""]
        ) {
            guard let name = HTTPField.Name("Link") else { return }
            _ = WebLink.links(in: [name: $0])
        },
        OutsideReader(
            name: "multipart",
            folders: ["Middleware/Multipart/Parsing"],
            further: ["--X", "\r\n--X\r\n", "a: b\r\n"]
        ) {
            text in
            _ = ContentDisposition(text)
            for size in [1, 16, text.utf8.count] {
                var parser = try MultipartParser(boundary: "X")
                for start in ["--X\r\n", ""] {
                    for chunk in chunks(of: start + text, size) { _ = parser.append(chunk) }
                    _ = parser.finish()
                }
            }
        },
        OutsideReader(
            name: "protobuf",
            folders: ["Middleware/RemoteLogging/Shipper/Formats/ProtobufReader.swift"],
            further: ["\n\0", "\u{8}1"]
        ) { text in
            var reader = ProtobufReader(Data(text.utf8))
            while try reader.next() != nil {}
        },
        OutsideReader(name: "routes", folders: ["Sources/HTTPChainRoutes/File"], further: ["{", "[", "\"a\":", ","]) {
            text in
            for start in ["", "[", "{\"routes\":{", "\""] {
                var parser = RouteJSONParser(Data((start + text).utf8))
                _ = parser.parse()
            }
        },
        OutsideReader(
            name: "uploads",
            folders: ["Middleware/ResumableUpload/Protocols", "Middleware/ResumableUpload/Rules"],
            further: ["max-size=1, ", "/../", "{\"type\":\"", "}", "\":"]
        ) { text in
            let names: [HTTPField.Name] = [
                .uploadOffset, .uploadLength, .uploadComplete, .uploadExpires, .uploadLimit, .tusExtension,
                .tusMaxSize, .retryAfter, .location,
            ]
            let wires: [any UploadWire] = [Tus(metadata: UploadMetadata()), Draft()]
            for name in names {
                let head = HTTPResponse(status: .ok, headerFields: [name: text])
                for wire in wires { _ = wire.answer(head, now: Date(timeIntervalSince1970: 1)) }
                _ = UploadLocation(of: head, from: "https://a.example/files") { _ in true }
            }
            for start in ["", "{\"type\":\"", "["] { _ = Draft.problem(in: Data((start + text).utf8)) }
        },
    ]

    #if Valkey
    /// What a server of a shared cache sends.
    private static let shared: [OutsideReader] = [
        OutsideReader(
            name: "valkey",
            folders: ["Sources/HTTPChainValkey"],
            further: ["*1\r\n", "$1\r\na\r\n", "*2\r\n:1\r\n", "$9999\r\n"]
        ) { text in
            for size in [1, 16, max(1, text.utf8.count)] {
                var parser = RESPParser()
                for chunk in chunks(of: text, size) {
                    parser.append(chunk)
                    while try parser.next() != nil {}
                }
            }
        },
        OutsideReader(name: "blocks", folders: ["Middleware/Cache/Valkey"]) { text in
            let lines = lines(of: text).map { Array($0) }
            let sealed = lines.enumerated().map { SealedBytes.seal($1, name: "a/\($0)") }
            let response = StoredResponse(
                CacheMetadata(
                    head: HTTPResponse(status: .ok),
                    variant: CacheVariant([]),
                    requestTime: Date(timeIntervalSince1970: 1),
                    responseTime: Date(timeIntervalSince1970: 2)
                ),
                bodyLength: Int64(lines.reduce(0) { $0 + $1.count }),
                bodyChecksum: ContentChecksum(of: Data(lines.joined()))
            )
            _ = StoredBlocks.opened(sealed, of: "a", as: response)
            _ = StoredBlocks.opened(lines, of: "a", as: response)
        },
    ]
    #else
    private static let shared: [OutsideReader] = []
    #endif

    /// Files that a store or a spool has left, with right checksums: each line of the text is a part of them.
    private static let stored: [OutsideReader] = [
        OutsideReader(name: "stored", folders: ["Middleware/Cache/Store"]) { text in
            var bytes = Array(text.utf8)
            _ = CacheKey(decoding: bytes)
            if bytes.count > 2 { (bytes[0], bytes[1]) = (UInt8(CacheMetadata.formatVersion), 0) }
            _ = try? StoredHead(decoding: bytes)
            _ = try StoredHead(decoding: storedHead(of: text).encoded)
        },
        OutsideReader(name: "entry", folders: ["Middleware/Cache/FileStore", "Middleware/Cache/Store"]) { text in
            let head = storedHead(of: text)
            let layout = BodyLayout([Int64](repeating: 1, count: text.utf8.count), of: Int64(text.utf8.count))
            let entries: [[UInt8]] = [
                EntryFile(id: 5, nonce: 6, head: head, isInline: true).encoded + Array(text.utf8),
                EntryFile(id: 5, nonce: 6, head: head, isInline: false, layout: layout).encoded, Array(text.utf8),
            ]
            for bytes in entries {
                _ = try? EntryFile(Array(bytes.prefix(4096)), size: Int64(bytes.count)) { Array(bytes.prefix($0)) }
            }
        },
        OutsideReader(name: "index", folders: ["Middleware/Cache/FileStore"], further: ["!"]) { text in
            var journal: [UInt8] = []
            for (number, line) in lines(of: text).enumerated() {
                if line.first == UInt8(ascii: "!") {
                    journal += line.dropFirst()
                    continue
                }
                let id = UInt64(number)
                let change: IndexJournal.Change =
                    switch number % 5 {
                    case 0: .use(id - id / 2)
                    case 1: .remove(id / 2)
                    case 2: .resize(id - 2, Int64(line.count))
                    // A store keeps few variants of a key.
                    default: .add(record(id, key: ContentChecksum(of: line).value, variant: id % 8, name: line))
                    }
                IndexJournal.append(change, to: &journal, salt: 7)
            }
            for bytes in [journal, Array(text.utf8)] {
                var index = FileIndex()
                _ = bytes.withUnsafeBytes { buffer in IndexJournal.read(buffer, salt: 7) { index.apply($0) } }
                _ = index.ids { $0.bytes > 1 }
                _ = try? IndexJournal.Header(decoding: bytes)
            }
        },
        OutsideReader(name: "spool", folders: ["Middleware/RemoteLogging/Spool"]) { text in
            let bytes = try segment(lines(of: text)) + Array(text.utf8)
            _ = SpoolSegment.header(bytes, number: 1)
            _ = SpoolSegment.content(of: bytes, salt: 7, before: 0)
            try bytes.withUnsafeBytes { buffer in
                var offset = SpoolSegment.headerSize
                var budget = SpoolSegment.searchBudget(for: buffer.count)
                while true {
                    let step = SpoolSegment.step(buffer, at: offset, salt: 7, isWhole: true, searching: &budget)
                    switch step {
                    case .record(let range):
                        _ = try LogRecordReader.record(in: UnsafeRawBufferPointer(rebasing: buffer[range]))
                        offset = range.upperBound
                    case .damaged(let next): offset = next
                    case .torn, .end, .incomplete: return
                    }
                }
            }
            _ = Data(text.utf8).withUnsafeBytes { try? LogRecordReader.record(in: $0) }
        },
    ]

    /// The description of a stored response with a field and a variant for each line.
    private static func storedHead(of text: String) -> StoredHead {
        let values = text.utf8.split(separator: 0x0A).map { String(Substring($0)) }
        let metadata = CacheMetadata(
            head: HTTPResponse(
                status: .ok,
                headerFields: HTTPFields(values.map { HTTPField(name: .accept, value: $0) })
            ),
            variant: CacheVariant(values.map { CacheVariant.Field(name: $0, value: $0) }),
            requestTime: Date(timeIntervalSince1970: 1),
            responseTime: Date(timeIntervalSince1970: 2)
        )
        let response = StoredResponse(
            metadata,
            bodyLength: Int64(text.utf8.count),
            bodyChecksum: ContentChecksum(of: Data(text.utf8))
        )
        return StoredHead(CacheKey(url: "https://a.example/" + text), response)
    }

    private static func record(_ id: UInt64, key: UInt64, variant: UInt64, name: Data) -> FileIndex.Record {
        FileIndex.Record(
            id: id,
            key: key,
            url: key,
            variant: variant,
            origin: 1,
            partition: 2,
            classification: 3,
            bytes: Int64(name.count),
            identifier: String(decoding: name, as: UTF8.self),
            name: Array(name)
        )
    }
}

/// The lines of a text, without the line breaks.
func lines(of text: String) -> [Data] {
    Data(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
}

/// A segment of a spool with a record for each line.
private func segment(_ lines: [Data]) throws -> [UInt8] {
    var bytes = SpoolSegment.header(number: 1, salt: 7)
    for line in lines {
        let text = String(decoding: line, as: UTF8.self)
        var attributes = LogAttributes()
        attributes.append(text, .array([.string(text), .object([text: .null])]))
        var frame = try SpoolSegment.frame(
            LogRecord(
                date: Date(timeIntervalSince1970: 1),
                level: .info,
                component: "c",
                message: text,
                attributes: attributes
            )
        )
        SpoolSegment.seal(&frame, salt: 7)
        bytes += frame
    }
    return bytes
}

private func chunks(of text: String, _ size: Int) -> [Data] {
    let bytes = Data(text.utf8)
    return stride(from: 0, to: bytes.count, by: max(1, size)).map { Data(bytes[$0..<min(bytes.count, $0 + size)]) }
}

@Suite("The work of readers of data from outside", .timeLimit(.minutes(10)))
struct ParserGrowthTests {
    @Test(
        "The work grows no faster than the data, whatever it is made of",
        .seeded,
        .heavy,
        arguments: OutsideReader.all
    )
    func random(_ reader: OutsideReader) async throws {
        let growth = try Growth(literalsOf: reader.folders, and: reader.further)
        let numbers = Seed.numbers()
        let texts = Locked(0)
        let excess = await growth.excess(among: 150, size: 256, using: numbers) { text in
            texts.withLock { $0 += 1 }
            try await reader.read(text)
        }
        #expect(excess == nil)
        let most = await growth.most(among: 100, size: 256, using: numbers) { text in
            texts.withLock { $0 += 1 }
            try await reader.read(text)
        }
        #expect(most >= 32, "A reader of all bytes counts its steps.")
        Drill.report("growth-\(reader.name.replacing(/[^a-zA-Z]+/, with: "-"))", texts.withLock { $0 })
    }

    /// Parsers that are fuzzed, and the tests elsewhere that count their work.
    private static let countedElsewhere = ["secrets": "HTTPChainCoreTests/RedactionGrowthTests.swift"]

    @Test("The work of each parser that is fuzzed is counted")
    func fuzzed() throws {
        let tests = Repository.tests
        let corpus = tests.appending(path: "Fuzz/Corpus").path
        let fuzzed = Set(try FileManager.default.contentsOfDirectory(atPath: corpus))
        let counted = Set(OutsideReader.all.map(\.name) + OutsideReader.withoutTrait + Self.countedElsewhere.keys)
        #expect(fuzzed.count > 20)
        #expect(fuzzed.subtracting(counted).isEmpty)
        for (parser, path) in Self.countedElsewhere {
            #expect(fuzzed.contains(parser))
            #expect(FileManager.default.fileExists(atPath: tests.appending(path: path).path))
        }
    }

    @Test("A value of a JSON sequence that arrives line by line is decoded once", arguments: ["1,", "[],", "]", "x"])
    func sequences(line: String) async throws {
        func steps(_ count: Int) async -> Int {
            await Steps.counted {
                let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
                for text in ["\u{1E}[\n"] + Array(repeating: line + "\n", count: count) + ["1]\n"] {
                    continuation.yield(Data(text.utf8))
                }
                continuation.finish()
                let values = HTTPBody.once(chunks: stream).jsonSequence(of: [JSONValue].self, limit: .unlimited)
                do { for try await _ in values {} } catch {}
            }
        }
        let (small, large) = (await steps(1000), await steps(2000))
        #expect(small > 0 && Double(large) <= 2.2 * Double(small))
    }

    @Test("All searches for records in a damaged segment read a limited number of bytes")
    func searches() async throws {
        let record = try segment([Data("a".utf8)]).dropFirst(SpoolSegment.headerSize)
        let count = 200
        let whole = count * (record.count + SpoolSegment.prologueSize)
        // Half of them seem to begin a record of half of the segment.
        let length = withUnsafeBytes(of: UInt32(whole / 2).littleEndian) { Array($0) }
        var bytes = SpoolSegment.header(number: 1, salt: 7)
        for _ in 0..<count {
            bytes += [0, 0, 0, 0]
            bytes += length
            bytes += record
        }
        let steps = await Steps.counted { [bytes] in
            _ = SpoolSegment.content(of: bytes, salt: 7, before: 0, searching: 4 * bytes.count)
        }
        #expect(steps <= 10 * bytes.count)
        let content = SpoolSegment.content(of: bytes, salt: 7, before: 0)
        #expect(content.records == count)
    }

    @Test("A reader that copies what it holds with each piece is found", .seeded)
    func planted() async throws {
        let numbers = Seed.numbers()
        let growth = try Growth(literalsOf: ["Middleware/Multipart"])
        let excess = await growth.excess(among: 50, size: 256, using: numbers) { text in
            var held = Data()
            for chunk in chunks(of: text, 16) {
                held.append(chunk)
                Steps.take(held.count)
                if held.last == 0x0A { held = Data() }
            }
        }
        #expect(excess != nil)
    }

    @Test("A batch of 8,000 fields is written and read whole")
    func batch() async throws {
        let fields = (0..<8_000).map { "\"X-\($0)\": \"a\"" }.joined(separator: ",")
        let answer = "{\"responses\":[{\"id\":\"1\",\"status\":200,\"headers\":{\(fields)}}]}"
        var batch = ODataBatch()
        var request = Request.get("People")
        for _ in 0..<8_000 { request.headers.append(HTTPField(name: .accept, value: "a")) }
        let id = batch.add(request)
        let responses = try ODataBatchResponses(Data(answer.utf8), to: batch)
        #expect(try responses[id].headers.count == 8_000)
        #expect(try await batch.request(to: "$batch").body.collect(upTo: .mebibytes(1)).count > 24_000)
    }
}
#endif
