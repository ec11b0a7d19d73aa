#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import Testing

/// What is sent for one entry of a form, from the web platform's own tests for UTF-8
/// (web-platform-tests, html/semantics/forms/form-submission-0/multipart-formdata.window.js, BSD 3-Clause).
///
/// Names and file names are written as by browsers, except that NUL is refused. Texts are sent unchanged.
struct BrowserCase: Sendable, CustomTestStringConvertible {
    let name: String
    let value: String
    let fileName: String?
    let expectedName: String
    let expectedFileName: String?

    /// A text.
    init(_ name: String, _ value: String, _ expectedName: String) {
        (self.name, self.value, fileName) = (name, value, nil)
        (self.expectedName, expectedFileName) = (expectedName, nil)
    }

    /// A file without content.
    init(_ name: String, file: String, _ expectedFileName: String) {
        (self.name, value, fileName) = (name, "", file)
        (expectedName, self.expectedFileName) = (name, expectedFileName)
    }

    var testDescription: String { "\(name) \(fileName ?? value)".debugDescription }

    /// The whole message, with the boundary "b".
    var expected: String {
        var head = "Content-Disposition: form-data; name=\"\(expectedName)\""
        if let expectedFileName { head += "; filename=\"\(expectedFileName)\"\r\nContent-Type: text/plain" }
        return "--b\r\n\(head)\r\n\r\n\(value)\r\n--b--\r\n"
    }

    static let refused: [BrowserCase] = [.init("a\0b", "c", "a\0b"), .init("a", file: "b\0c", "b\0c")]

    static let all: [BrowserCase] = [
        .init("basic", "test", "basic"), .init("basic", file: "file-test.txt", "file-test.txt"),
        .init("a", "b\0c", "a"),
        // Line breaks: in names any of them is CRLF, percent-encoded; in file names each stays.
        .init("a\nb", "c", "a%0D%0Ab"), .init("a\rb", "c", "a%0D%0Ab"), .init("a\r\nb", "c", "a%0D%0Ab"),
        .init("a\n\rb", "c", "a%0D%0A%0D%0Ab"), .init("a", "b\nc", "a"), .init("a", "b\rc", "a"),
        .init("a", "b\r\nc", "a"), .init("a", "b\n\rc", "a"), .init("a", file: "b\nc", "b%0Ac"),
        .init("a", file: "b\rc", "b%0Dc"), .init("a", file: "b\r\nc", "b%0D%0Ac"),
        .init("a", file: "b\n\rc", "b%0A%0Dc"),
        // Quotes and backslashes: the double quote alone is encoded, and not in values.
        .init("a\"b", "c", "a%22b"), .init("a", "b\"c", "a"), .init("a", file: "b\"c", "b%22c"),
        .init("a'b", "c", "a'b"), .init("a", "b'c", "a"), .init("a", file: "b'c", "b'c"),
        .init("a\\b", "c", "a\\b"), .init("a", "b\\c", "a"), .init("a", file: "b\\c", "b\\c"),
        // UTF-8 as it is.
        .init("áb", "ç", "áb"), .init("a", file: "ə.txt", "ə.txt"),
    ]
}

@Suite("The notation of browsers", .timeLimit(.minutes(10)))
struct BrowserNotationTests {
    private func form(_ entry: BrowserCase) -> MultipartForm {
        if let fileName = entry.fileName {
            [.data(entry.name, Data(entry.value.utf8), fileName: fileName, contentType: "text/plain")]
        } else {
            [.text(entry.name, entry.value)]
        }
    }

    @Test("Names are written as in the web platform's tests, byte by byte", arguments: BrowserCase.all)
    func cases(entry: BrowserCase) async throws {
        let sent = try await form(entry).body(boundary: MultipartBoundary("b")).collect()
        #expect(sent == Data(entry.expected.utf8))
    }

    @Test("A NUL in a name is refused", arguments: BrowserCase.refused)
    func refused(entry: BrowserCase) {
        #expect(throws: MultipartError.self) { try form(entry).body(boundary: MultipartBoundary("b")) }
    }

    @Test("All 28 of their cases in UTF-8 are tried")
    func count() {
        #expect(BrowserCase.all.count + BrowserCase.refused.count == 28)
    }
}
#endif
