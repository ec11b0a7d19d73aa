#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPTypes
import TestSupport
import Testing

extension MultipartForm {
    /// The framed form as text.
    func framedText(_ boundary: String = "XX", values: MultipartValueEncoding = .json) async throws -> String {
        try await body(boundary: MultipartBoundary(boundary), values: values).text()
    }
}

/// Expects the error of a closure to be a ``MultipartError`` with this problem.
func expectProblem(
    _ problem: MultipartError.Problem,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing was thrown; expected \(problem)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? MultipartError)?.problem == problem, comment, sourceLocation: sourceLocation)
    }
}

/// A part as a test compares it.
struct SeenPart: Hashable {
    var head: MultipartHead
    var content = Data()
    var isEnded = false

    init(_ head: MultipartHead) {
        self.head = head
    }

    init(_ fields: KeyValuePairs<String, String>, _ content: String) throws {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        head = MultipartHead(headers: headers)
        self.content = Data(content.utf8)
        isEnded = true
    }
}

/// What a parser made of a message.
struct Parsed: Hashable {
    var parts: [SeenPart] = []
    var error: MultipartError?

    /// Adds events; content before a part, or anything after a failure, is recorded as an issue.
    mutating func add(_ events: [MultipartParser.Event]) {
        for event in events {
            if error != nil { Issue.record("an event came after the failure: \(event)") }
            switch event {
            case .partBegan(let head):
                if parts.last?.isEnded == false { Issue.record("a part began in another") }
                parts.append(SeenPart(head))
            case .content(let data):
                if data.isEmpty { Issue.record("an empty piece of content") }
                if parts.last?.isEnded != false {
                    Issue.record("content outside a part")
                } else {
                    parts[parts.count - 1].content += data
                }
            case .partEnded:
                if parts.last?.isEnded != false {
                    Issue.record("the end of no part")
                } else {
                    parts[parts.count - 1].isEnded = true
                }
            case .failed(let failure): error = failure
            }
        }
    }

    var contents: [String] { parts.map { String(decoding: $0.content, as: UTF8.self) } }
}

/// Parses a message given in pieces.
func parse(
    _ pieces: some Sequence<Data>,
    boundary: String = "XX",
    limits: MultipartLimits = MultipartLimits()
) throws -> Parsed {
    var parser = try MultipartParser(boundary: boundary, limits: limits)
    var parsed = Parsed()
    for piece in pieces { parsed.add(parser.append(piece)) }
    parsed.add(parser.finish())
    return parsed
}

/// Parses a message given at once.
func parse(_ text: String, boundary: String = "XX", limits: MultipartLimits = MultipartLimits()) throws -> Parsed {
    try parse([Data(text.utf8)], boundary: boundary, limits: limits)
}

/// A file in the directory for temporary files that goes when the value does.
final class ScratchFile: Sendable {
    private let scratch: ScratchDirectory
    let url: URL

    init(_ name: String = "notes.txt", content: Data = Data()) throws {
        scratch = try ScratchDirectory.created()
        url = try scratch.file(name, content)
    }

    /// Makes it so long without writing to the disk.
    func grow(to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: size)
    }
}
#endif
