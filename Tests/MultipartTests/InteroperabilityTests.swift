#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// Parsers that were not written here, for Python.
enum ForeignParser: String, CaseIterable {
    case werkzeug
    case multipart

    /// What a parser made of a part.
    struct Part: Decodable, Hashable {
        let name: String?
        let fileName: String?
        let contentType: String?
        let size: Int
        let text: String
    }

    /// Gives a framed form to the parser; `nil` when it is not installed.
    func parse(_ content: Data, contentType: String) async throws -> [Part]? {
        let script = try #require(
            Bundle.module.url(forResource: "parse_form", withExtension: "py", subdirectory: "Resources")
        )
        let input = try ScratchFile("form", content: content)
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script.path, rawValue, contentType, input.url.path]
        )
        withExtendedLifetime(input) {}
        switch outcome.status {
        case 0: return try JSONDecoder().decode([Part].self, from: outcome.standardOutput)
        // 3 is said by the script, 127 by env where there is no Python.
        case 3, 127: return nil
        default:
            throw ParserFailed(description: "\(rawValue): \(outcome.errorText)")
        }
    }
}

private struct ParserFailed: Error, CustomStringConvertible {
    let description: String
}

@Suite("Framed forms are read by programs that were not written here", .heavy)
struct InteroperabilityTests {
    @Test("A form of every kind of part is read", .timeLimit(.minutes(10)), arguments: ForeignParser.allCases)
    func everyKind(parser: ForeignParser) async throws {
        let file = try ScratchFile("photo ü.png", content: Data(repeating: 0x0A, count: 300_000))
        let name = "n\"a\r\nme"
        let form: MultipartForm = [
            .text("title", "Sea & sky\r\né"), .text("tag", "a"), .text("tag", ""), .text(name, "--"),
            .file("photo", file.url), .data("empty", Data(), fileName: "e\"mpty.csv"),
            .stream("log", .chunks(["line\r\n--"]), fileName: "today.log"),
            .value("place", ["lat": 47], fileName: "place.json"),
        ]
        try await expect(
            parser,
            reads: form,
            as: [
                ["title", nil, nil, "Sea & sky\r\né"], ["tag", nil, nil, "a"], ["tag", nil, nil, ""],
                // Of the three encodings in a name, Werkzeug undoes %22 alone.
                [parser == .werkzeug ? "n\"a%0D%0Ame" : name, nil, nil, "--"],
                ["photo", "photo ü.png", "image/png", "300000 bytes"],
                ["empty", "e\"mpty.csv", "text/csv", ""], ["log", "today.log", "text/plain", "line\r\n--"],
                ["place", "place.json", "application/json", "{\"lat\":47}"],
            ]
        )
    }

    @Test("A form without parts is read", .timeLimit(.minutes(10)), arguments: ForeignParser.allCases)
    func empty(parser: ForeignParser) async throws {
        try await expect(parser, reads: [], as: [])
    }

    @Test("A boundary that needs quotes is read", .timeLimit(.minutes(10)), arguments: ForeignParser.allCases)
    func quotedBoundary(parser: ForeignParser) async throws {
        let form = MultipartForm(parameters: ["a": "1"], boundary: "a=b'c(d):e/f")
        try await expect(parser, reads: form, as: [["a", nil, nil, "1"]])
    }

    private func expect(_ parser: ForeignParser, reads form: MultipartForm, as expected: [[String?]]) async throws {
        let outcome = await StageHarness(MultipartMiddleware()).send(
            .post("https://api.example.com/", multipart: form)
        )
        let sent = try #require(outcome.requests.first)
        let type = try #require(sent.head.headerFields[.contentType])
        guard let parts = try await parser.parse(sent.body.collect(), contentType: type) else {
            let name = parser.rawValue
            return Programs.notRun("python3 cannot import \(name); install it with: pip install \(name)")
        }
        let seen = parts.map { part in
            [part.name, part.fileName, part.contentType, part.size > 200 ? "\(part.size) bytes" : part.text]
        }
        // In any order: Werkzeug gives fields and files apart.
        #expect(seen.map(\.description).sorted() == expected.map(\.description).sorted())
    }
}
#endif
