#if AllTests && DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainAuth
import HTTPChainLogShipper
import HTTPChainMultipart
import HTTPChainOData
import HTTPChainPagination
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCookies
@testable import HTTPChainCore
@testable import HTTPChainEventStream
@testable import HTTPChainHAR
@testable import HTTPChainRedirect
@testable import HTTPChainRoutes
@testable import HTTPChainSerializer

/// A reader of data from outside, with the places of its literals.
struct OutsideReader: Sendable, CustomTestStringConvertible {
    let name: String
    let folders: [String]
    var further: [String] = []
    let read: @Sendable (String) throws -> Void

    var testDescription: String { name }

    static let all: [OutsideReader] = [
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
            _ = URLHost(text)?.domains
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
        OutsideReader(name: "headers", folders: ["Sources/HTTPChainCore/Message"], further: ["a.", "/../", "%2e"]) {
            text in
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
    ]
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
        let excess = await growth.excess(among: 150, size: 256, using: numbers) { try reader.read($0) }
        #expect(excess == nil)
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
