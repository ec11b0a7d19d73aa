#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Lines for curl", .heavy, .timeLimit(.minutes(10)))
struct CurlTests {
    private static func line(
        _ method: HTTPRequest.Method = .get,
        _ url: String = "https://a.example/",
        _ fields: HTTPFields = [:],
        body: LoggedBody? = nil,
        size: Int64? = nil
    ) -> String {
        var exchange = ExchangeLog(method, url, start: exchangeStart)
        exchange.requestFields = fields
        exchange.requestBody = body
        exchange.requestSize = .init(declared: size)
        return CurlLogFormatter().message(for: exchange)
    }

    @Test(
        "The arguments of curl say what the request was",
        arguments: [
            (line(), "curl 'https://a.example/'"),
            (line(.head), "curl --head 'https://a.example/'"),
            (line(.delete), "curl --request DELETE 'https://a.example/'"),
            (
                line(.post, body: LoggedBody(.text, "x=1")),
                "curl --header 'Content-Type:' --data-raw 'x=1' 'https://a.example/'"
            ),
            (
                line(
                    .put,
                    "https://a.example/",
                    [.contentType: "text/plain", .contentLength: "1"],
                    body: LoggedBody(.text, "x")
                ),
                "curl --request PUT --header 'Content-Type: text/plain' --data-raw x 'https://a.example/'"
            ),
            (
                line(.get, body: LoggedBody(.text, "x")),
                "curl --request GET --header 'Content-Type:' --data-raw x 'https://a.example/'"
            ),
            (line(.get, "https://a.example/?a[]={b}"), "curl --globoff 'https://a.example/?a[]={b}'"),
            (line(.get, "https://a.example/../b"), "curl --path-as-is 'https://a.example/../b'"),
            (
                line(.get, "https://a.example/", [.acceptEncoding: "gzip"]),
                "curl --compressed --header 'Accept-Encoding: gzip' 'https://a.example/'"
            ),
            (line(.get, "https://a.example/", [.accept: ""]), "curl --header 'Accept;' 'https://a.example/'"),
            (line(.get, "-o/etc/passwd"), "curl --url '-o/etc/passwd'"),
            (line(.get, ""), "curl ''"),
            (line(.post, size: 12), "curl --request POST 'https://a.example/' # the body is not shown: 12 bytes"),
            (
                line(.post, body: LoggedBody(.binary, "image/png, 9 bytes\nrm -rf")),
                "curl --request POST 'https://a.example/' # the body is not shown: image/png, 9 bytes rm -rf"
            ),
            (
                line(
                    .post,
                    "https://a.example/",
                    [.contentType: "text/plain"],
                    body: LoggedBody(.text, "x", isTruncated: true)
                ),
                "curl --header 'Content-Type: text/plain' --data-raw x 'https://a.example/' # the body is cut off"
            ),
        ]
    )
    func lines(line: String, expected: String) {
        #expect(line == expected)
    }

    private static let hostile = [
        "it's", "'", "''", "\"", "\\", "\\'", "a\nb", "\n", "a\r\nb", "$(touch /tmp/x)", "`id`", "$HOME", "${IFS}",
        "!x",
        "-o x", "--", "-", "@/etc/passwd", "a;b", "a&b", "a|b", ">x", "<x", "*", "~", "#x", " ", "\t", "é\u{301}", "😀",
        "\u{1B}[2J", "%s", "\\n", "a\\", "x'; rm -rf / #", "=", "{a,b}", "[a-z]", "?",
    ]

    /// The arguments that a shell gives to curl.
    private func arguments(of line: String) async throws -> [String] {
        // Each argument ends with a byte that no argument holds.
        let shell = try await runProgram(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", #"curl() { for word; do printf '%s\1' "$word"; done; }"# + "\n" + line]
        )
        #expect(shell.status == 0)
        return shell.standardOutput.split(separator: 1, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("A shell gives curl each word as it was, whatever is in it", arguments: hostile)
    func hostileWords(text: String) async throws {
        let data = try await arguments(of: Self.line(.post, body: LoggedBody(.text, text)))
        #expect(data == ["--header", "Content-Type:", "--data-raw", text, "https://a.example/"])

        let url = try await arguments(of: Self.line(.get, text))
        #expect(url.last == text)
        #expect(!text.hasPrefix("-") || url.dropLast().last == "--url")

        let field = HTTPField(name: .userAgent, value: text)
        let header = try await arguments(of: Self.line(.get, "https://a.example/", HTTPFields([field])))
        let value = field.value.isEmpty ? "User-Agent;" : "User-Agent: \(field.value)"
        #expect(header == ["--header", value, "https://a.example/"])

        let comment = try await arguments(of: Self.line(.post, body: LoggedBody(.binary, text)))
        #expect(comment == ["--request", "POST", "https://a.example/"])
    }

    @Test(
        "No neighbour of a quotation mark ends a word, and no line has a control character that a terminal obeys",
        .seeded
    )
    func neighbours() async throws {
        let texts = BorderTexts.all(Seed.numbers())
        let written = texts.flatMap { text -> [BorderTexts.Written] in
            let shown = text.substituting("\u{FFFD}") { $0 == 0 }
            let field = HTTPField(name: .userAgent, value: "a\(text)a")
            let lines = [
                (
                    Self.line(.post, body: LoggedBody(.text, text)),
                    ["--header", "Content-Type:", "--data-raw", shown, "https://a.example/"]
                ),
                (Self.line(.post, "https://a.example/\(text)"), ["--request", "POST", "https://a.example/\(shown)"]),
                (
                    Self.line(.get, "https://a.example/", HTTPFields([field])),
                    ["--header", "User-Agent: \(field.value)", "https://a.example/"]
                ),
            ]
            return lines.map { line, words in
                let isObeyed = line.unicodeScalars.contains {
                    $0 != "\n" && $0 != "\t" && $0.properties.generalCategory == .control
                }
                #expect(!isObeyed, "\(line.debugDescription)")
                // The flags that curl has for some URLs are not of interest here.
                let plain = String(line.dropFirst("curl ".count)).replacing("--globoff ", with: "")
                    .replacing("--path-as-is ", with: "")
                return BorderTexts.Written("shell", plain, words.joined(separator: "\u{1}"))
            }
        }
        guard let faults = try await BorderTexts.misread(written) else { return }
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        Drill.report("curl-lines-read-back", written.count)
    }

    @Test("All of these texts in one body are read back unchanged")
    func together() async throws {
        let all = Self.hostile.joined()
        #expect(try await arguments(of: Self.line(.post, body: LoggedBody(.text, all))).contains(all))
    }

    @Test("NUL, which no argument can hold, is told to have been there")
    func nul() async throws {
        let line = Self.line(.post, "https://a.example/a\0b", body: LoggedBody(.text, "a\0b"))
        #expect(try await arguments(of: line).suffix(2) == ["a\u{FFFD}b", "https://a.example/a\u{FFFD}b"])
    }

    @Test("A method may be any token")
    func methods() async throws {
        let method = try #require(HTTPRequest.Method("A'B`$*"))
        #expect(try await arguments(of: Self.line(method)) == ["--request", "A'B`$*", "https://a.example/"])
    }

    @Test("The stage gives it the fields without being asked for them, secrets redacted")
    func stage() async throws {
        let sink = ExchangeCapture()
        let request = Request.post(
            "https://u:hunter2@a.example/?token=hunter2",
            headers: [
                .contentType: "application/json", .authorization: "Bearer hunter2", .contentEncoding: "identity",
            ],
            body: #"{"password":"hunter2"}"#
        )
        _ = await StageHarness(RemoteLoggingMiddleware(sink, formatter: .curl)).send(request)
        _ = await StageHarness(RemoteLoggingMiddleware(sink, formatter: .curl)).send(request.logging(detail: .bodies))
        let messages = sink.records.map(\.message)
        #expect(messages.count == 2 && !messages.joined().contains("hunter2"))
        #expect(messages[0].hasSuffix("# the body is not shown: 22 bytes"))
        #expect(
            messages[1]
                == "curl --header 'Content-Type: application/json' --header 'Authorization: <redacted>' "
                + #"--data-raw '{"password":"<redacted>"}' 'https://<redacted>@a.example/?token=<redacted>'"#
        )
        #expect(sink.records[1].attributes["http.request.method"] == "POST")
    }
}
#endif
