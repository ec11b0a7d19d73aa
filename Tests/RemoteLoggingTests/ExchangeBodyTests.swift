#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPTypes
import Testing

@Suite("What is shown of a body")
struct ExchangeBodyTests {
    private func shown(
        _ text: String,
        _ type: String?,
        coding: String? = nil,
        truncated: Bool = false,
        size: Int64? = nil
    ) -> LoggedBody? {
        var fields = HTTPFields()
        fields[.contentType] = type
        fields[.contentEncoding] = coding
        return LoggedBody(
            BodyPreview(Data(text.utf8), isTruncated: truncated),
            size: size,
            fields: BodyFields(fields),
            redaction: .standard
        )
    }

    @Test(
        "Text is shown with its secrets redacted",
        arguments: [
            ("hello", "text/plain", "hello"),
            (#"{"password":"hunter2","n":1}"#, "application/json", #"{"password":"<redacted>","n":1}"#),
            (#"{"token":"hunter2"}"#, "application/vnd.api+json", #"{"token":"<redacted>"}"#),
            ("a=1&code=hunter2", "application/x-www-form-urlencoded", "a=1&code=<redacted>"),
            ("<a><secret>hunter2</secret></a>", "application/xml", "<a><secret><redacted></secret></a>"),
            ("password: hunter2\nn: 1", "application/yaml", "password: <redacted>\nn: 1"),
            ("hello", nil, "hello"),
        ]
    )
    func text(text: String, type: String?, expected: String) {
        #expect(shown(text, type) == LoggedBody(.text, expected))
    }

    @Test("Text that was cut off is told to be, and its last secret does not show")
    func cutOff() {
        #expect(
            shown(#"{"n":1,"password":"hunt"#, "application/json", truncated: true)
                == LoggedBody(.text, #"{"n":1,"password":"<redacted>"#, isTruncated: true)
        )
    }

    @Test(
        "Content of other types is shown by type and size, and nothing of it",
        arguments: [
            ("hunter2", "image/png", nil, "image/png, 7 bytes"),
            ("hunter2", "application/octet-stream", nil, "application/octet-stream, 7 bytes"),
            ("hunter2", "application/jwt", nil, "application/jwt, 7 bytes"),
            ("hunter2", "application/json", "gzip", "application/json, 7 bytes, gzip"),
            ("hunter2", "multipart/form-data", nil, "multipart/form-data, 7 bytes"),
            ("hunter2", "multipart/form-data; boundary=x", nil, "multipart/form-data, 7 bytes"),
            ("hunter2\u{0}", "text/plain", nil, "text/plain, 8 bytes"),
            ("hunter2\u{1}", nil, nil, "binary data, 8 bytes"),
        ] as [(String, String?, String?, String)]
    )
    func binary(text: String, type: String?, coding: String?, expected: String) {
        #expect(shown(text, type, coding: coding) == LoggedBody(.binary, expected))
    }

    @Test("Of binary content that was cut off the whole size is shown where it is known")
    func sizes() {
        #expect(shown("hunter2", "image/png", truncated: true, size: 9000)?.text == "image/png, 9000 bytes")
        #expect(shown("hunter2", "image/png", truncated: true)?.text == "image/png, unknown length")
        #expect(shown("h", "image/png")?.text == "image/png, 1 byte")
    }

    @Test("An empty body is not shown")
    func empty() {
        #expect(shown("", "text/plain") == nil)
        #expect(shown("", nil, truncated: true, size: 0) == nil)
    }

    @Test("Of a form of several parts names, types and sizes are shown")
    func multipart() {
        let body = """
            --b\r
            Content-Disposition: form-data; name="title"\r
            \r
            hunter2\r
            --b\r
            content-disposition: form-data; name="photo"; filename="hunter2.png"\r
            Content-Type: image/png\r
            \r
            hunter2hunter2\r
            --b--\r

            """
        let expected = LoggedBody(
            .multipart,
            #"multipart/form-data: "title" (7 bytes), "photo" image/png (14 bytes)"#
        )
        #expect(shown(body, "multipart/form-data; boundary=b") == expected)
        #expect(shown(body, "multipart/form-data; boundary=\"b\"") == expected)
        #expect(shown("preamble\r\n" + body, "multipart/form-data; boundary=b") == expected)
    }

    @Test("Parts that were cut off anywhere are told to be")
    func cutOffParts() {
        let body = Array("--b\r\nContent-Disposition: form-data; name=\"secret\"\r\n\r\nhunter2\r\n--b\r\n\r\nhunter2")
        for length in 3..<body.count {
            let text = shown(String(body.prefix(length)), "multipart/mixed; boundary=b", truncated: true)?.text ?? ""
            #expect(!text.contains("hunt"))
            #expect(text.hasPrefix("multipart/mixed: "))
        }
        #expect(
            shown(String(body), "multipart/mixed; boundary=b", truncated: true)?.text
                == #"multipart/mixed: "secret" (7 bytes), part (cut off), …"#
        )
    }

    @Test("A part's name cannot break the line, and no number of parts is too much")
    func hostileParts() {
        let part = "\r\n--b\r\nContent-Disposition: form-data; name=\"a\u{1B}[2J\u{2028}\"\r\n\r\nx"
        let text = shown(String(repeating: part, count: 100), "multipart/mixed; boundary=b")?.text ?? ""
        #expect(text.contains(#""a [2J ""#))
        #expect(text.hasSuffix("…"))
        #expect(text.split(separator: "(").count == 65)
    }

    @Test("Of a typed value the type is shown")
    func value() {
        #expect(LoggedBody(value: ["token": "hunter2"]).text == "value of type Dictionary<String, String>")
    }
}
#endif
