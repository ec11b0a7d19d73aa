#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import Testing

/// What browsers send for one entry of a form, as the web platform's own tests have it for UTF-8
/// (web-platform-tests, html/semantics/forms/form-submission-0/multipart-formdata.window.js, BSD 3-Clause).
struct BrowserCase: Sendable, CustomTestStringConvertible {
    let name: String
    let value: String
    let fileName: String?
    let expectedName: String
    let expectedValue: String
    let expectedFileName: String?

    /// A text.
    init(_ name: String, _ value: String, _ expectedName: String, _ expectedValue: String) {
        (self.name, self.value, fileName) = (name, value, nil)
        (self.expectedName, self.expectedValue, expectedFileName) = (expectedName, expectedValue, nil)
    }

    /// A file without content.
    init(_ name: String, file: String, _ expectedFileName: String) {
        (self.name, value, fileName) = (name, "", file)
        (expectedName, expectedValue, self.expectedFileName) = (name, "", expectedFileName)
    }

    var testDescription: String { "\(name) \(fileName ?? value)".debugDescription }

    /// The whole message, with the boundary "b".
    var expected: String {
        var head = "Content-Disposition: form-data; name=\"\(expectedName)\""
        if let expectedFileName { head += "; filename=\"\(expectedFileName)\"\r\nContent-Type: text/plain" }
        return "--b\r\n\(head)\r\n\r\n\(expectedValue)\r\n--b--\r\n"
    }

    static let all: [BrowserCase] = [
        .init("basic", "test", "basic", "test"), .init("basic", file: "file-test.txt", "file-test.txt"),
        // NUL.
        .init("a\0b", "c", "a\0b", "c"), .init("a", "b\0c", "a", "b\0c"), .init("a", file: "b\0c", "b\0c"),
        // Line breaks: in names and values any of them is CRLF, in names percent-encoded; in file names each stays.
        .init("a\nb", "c", "a%0D%0Ab", "c"), .init("a\rb", "c", "a%0D%0Ab", "c"),
        .init("a\r\nb", "c", "a%0D%0Ab", "c"), .init("a\n\rb", "c", "a%0D%0A%0D%0Ab", "c"),
        .init("a", "b\nc", "a", "b\r\nc"), .init("a", "b\rc", "a", "b\r\nc"), .init("a", "b\r\nc", "a", "b\r\nc"),
        .init("a", "b\n\rc", "a", "b\r\n\r\nc"), .init("a", file: "b\nc", "b%0Ac"), .init("a", file: "b\rc", "b%0Dc"),
        .init("a", file: "b\r\nc", "b%0D%0Ac"), .init("a", file: "b\n\rc", "b%0A%0Dc"),
        // Quotes and backslashes: the double quote alone is encoded, and not in values.
        .init("a\"b", "c", "a%22b", "c"), .init("a", "b\"c", "a", "b\"c"), .init("a", file: "b\"c", "b%22c"),
        .init("a'b", "c", "a'b", "c"), .init("a", "b'c", "a", "b'c"), .init("a", file: "b'c", "b'c"),
        .init("a\\b", "c", "a\\b", "c"), .init("a", "b\\c", "a", "b\\c"), .init("a", file: "b\\c", "b\\c"),
        // UTF-8 as it is.
        .init("áb", "ç", "áb", "ç"), .init("a", file: "ə.txt", "ə.txt"),
    ]
}

@Suite("The notation of browsers", .timeLimit(.minutes(10)))
struct BrowserNotationTests {
    private func form(_ entry: BrowserCase) -> MultipartForm {
        var form: MultipartForm
        if let fileName = entry.fileName {
            form = [.data(entry.name, Data(entry.value.utf8), fileName: fileName, contentType: "text/plain")]
        } else {
            form = [.text(entry.name, entry.value)]
        }
        form.notation = .browser
        return form
    }

    @Test("The notation is that of the web platform's tests, byte by byte", arguments: BrowserCase.all)
    func cases(entry: BrowserCase) async throws {
        let sent = try await form(entry).body(boundary: MultipartBoundary("b")).collect()
        #expect(sent == Data(entry.expected.utf8))
    }

    @Test("The notation has all 28 of their cases in UTF-8")
    func count() {
        #expect(BrowserCase.all.count == 28)
    }
}
#endif
