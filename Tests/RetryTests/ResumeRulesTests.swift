import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainRetry

@Suite("Rules of resuming")
struct ResumeRulesTests {
    @Test(
        "A Content-Range is read",
        arguments: [
            ("bytes 0-499/1234", ContentRange(first: 0, last: 499, total: 1234)),
            ("bytes 5-5/6", ContentRange(first: 5, last: 5, total: 6)),
            ("Bytes 0-499/*", ContentRange(first: 0, last: 499, total: nil)),
            ("bytes */1234", nil), ("bytes 9-8/10", nil), ("bytes 0-10/10", nil), ("bytes -5/10", nil),
            ("bytes 0-/10", nil), ("bytes 0-1", nil), ("bytes 0-1/", nil), ("items 0-1/10", nil), ("0-1/10", nil),
            ("bytes=0-1/10", nil), ("bytes 0-1/10/20", nil), ("bytes 0-1/-10", nil), ("bytes +0-1/10", nil), ("", nil),
            ("bytes 0-1/10/", nil), ("bytes /0-1/10", nil), ("bytes 0--1/10", nil), ("bytes -0-1/10", nil),
            ("bytes 0-1-2/10", nil), ("bytes 5/10", nil), ("bytes 0-1:/20", nil),
            ("bytes 0-9223372036854775807/*", nil), ("bytes 0-99999999999999999999/*", nil),
            ("bytes 0-9223372036854775806/9223372036854775807", ContentRange(first: 0, last: .max - 1, total: .max)),
        ]
    )
    func contentRange(text: String, range: ContentRange?) {
        #expect(ContentRange(text) == range)
    }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "A validator is strong, or there is none",
        arguments: [
            ([.eTag: "\"abc\""], .entityTag("\"abc\"")), ([.eTag: "\"\""], .entityTag("\"\"")),
            ([.eTag: "W/\"abc\""], nil), ([.eTag: "abc"], nil), ([.eTag: "\""], nil), ([.eTag: ""], nil),
            ([.eTag: "abc\""], nil), ([.eTag: "\"abc"], nil),
            ([.eTag: "\"a\", \"b\""], nil), ([:], nil),
            // A minute and a second after, a second before that, and with no date to compare with.
            ([.lastModified: date, .date: "Sun, 06 Nov 1994 08:50:37 GMT"], .lastModified(date)),
            ([.lastModified: date, .date: "Sun, 06 Nov 1994 08:50:36 GMT"], nil),
            ([.lastModified: date], nil), ([.lastModified: "long ago", .date: date], nil),
            // A weak tag is not made up for by a date.
            ([.eTag: "W/\"a\"", .lastModified: date, .date: "Mon, 07 Nov 1994 08:50:37 GMT"], nil),
            ([.eTag: "\"a\"", .lastModified: date, .date: date], .entityTag("\"a\"")),
        ] as [(HTTPFields, StrongValidator?)]
    )
    func validator(fields: HTTPFields, validator: StrongValidator?) {
        #expect(StrongValidator(of: fields) == validator)
    }

    struct Start: Sendable, CustomTestStringConvertible {
        let rule: String
        var code = 200
        var fields: HTTPFields = [.eTag: "\"1\""]
        var body: HTTPBody = .once(length: 10) { throw OtherError() }
        var original: HTTPFields = [:]
        /// The range that would be asked for at once.
        let range: String?
        var testDescription: String { rule }
    }

    static let starts: [Start] = [
        Start(rule: "a download of known length", range: "bytes=0-9"),
        Start(rule: "a download of unknown length", body: .once { throw OtherError() }, range: "bytes=0-"),
        Start(rule: "another status", code: 203, range: nil),
        Start(rule: "no validator", fields: [:], range: nil),
        Start(rule: "a server without ranges", fields: [.eTag: "\"1\"", .acceptRanges: "none"], range: nil),
        Start(rule: "a server with other ranges", fields: [.eTag: "\"1\"", .acceptRanges: "seconds"], range: nil),
        Start(rule: "a server with ranges", fields: [.eTag: "\"1\"", .acceptRanges: "Bytes"], range: "bytes=0-9"),
        Start(
            rule: "a server with several ranges",
            fields: [.eTag: "\"1\"", .acceptRanges: "seconds, bytes"],
            range: "bytes=0-9"
        ),
        Start(rule: "content that was decoded", original: [.contentEncoding: "gzip"], range: nil),
        Start(
            rule: "content that is still encoded",
            fields: [.eTag: "\"1\"", .contentEncoding: "gzip"],
            range: "bytes=0-9"
        ),
        Start(
            rule: "a range",
            code: 206,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 100-109/500"],
            range: "bytes=100-109"
        ),
        Start(
            rule: "a range of unknown length",
            code: 206,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 100-109/*"],
            body: .once { throw OtherError() },
            range: "bytes=100-109"
        ),
        Start(rule: "several ranges", code: 206, fields: [.eTag: "\"1\""], range: nil),
        Start(
            rule: "a range that does not fit its length",
            code: 206,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 100-110/500"],
            range: nil
        ),
    ]

    @Test("What can be resumed, and how", arguments: starts)
    func start(row: Start) {
        var response = Response(.init(code: row.code), headers: row.fields, body: row.body)
        response.options[OriginalContentFields.self] = row.original
        var request = Request(
            .get,
            url,
            headers: [.ifNoneMatch: "\"0\"", .ifModifiedSince: "then", .accept: "a/b"]
        )
        let position = DownloadPosition(response)
        position?.restrict(&request)
        #expect(request.head.headerFields[.range] == row.range)
        if row.range != nil {
            #expect(request.head.headerFields[.ifRange] == "\"1\"")
            #expect(request.head.headerFields[.ifNoneMatch] == nil)
            #expect(request.head.headerFields[.ifModifiedSince] == nil)
        }
        #expect(request.head.headerFields[.accept] == "a/b")
    }

    struct Rest: Sendable, CustomTestStringConvertible {
        let rule: String
        var total: Int64? = 10
        var code = 206
        var fields: HTTPFields = [.eTag: "\"1\"", .contentRange: "bytes 4-9/10"]
        var length: Int64?
        var original: HTTPFields = [:]
        let refusal: String?
        var testDescription: String { rule }
    }

    private static let range = "the range is not the one that is missing"

    static let rests: [Rest] = [
        Rest(rule: "the rest", refusal: nil),
        Rest(rule: "the rest with its length", length: 6, refusal: nil),
        Rest(rule: "the rest of what has no known size", total: nil, refusal: nil),
        Rest(
            rule: "a size that is not told again",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/*"],
            refusal: nil
        ),
        Rest(
            rule: "the whole again",
            code: 200,
            refusal: "the server sends the whole again: it has changed, or ranges are not supported"
        ),
        Rest(rule: "no content", code: 204, refusal: "the server answers 204"),
        Rest(
            rule: "another version",
            fields: [.eTag: "\"2\"", .contentRange: "bytes 4-9/10"],
            refusal: "the version is not the same"
        ),
        Rest(
            rule: "a weak version",
            fields: [.eTag: "W/\"1\"", .contentRange: "bytes 4-9/10"],
            refusal: "the version is not the same"
        ),
        Rest(rule: "no version", fields: [.contentRange: "bytes 4-9/10"], refusal: "the version is not the same"),
        Rest(
            rule: "no range",
            fields: [.eTag: "\"1\""],
            refusal: "the response does not say which range it holds"
        ),
        Rest(rule: "a later start", fields: [.eTag: "\"1\"", .contentRange: "bytes 5-9/10"], refusal: range),
        Rest(rule: "an earlier start", fields: [.eTag: "\"1\"", .contentRange: "bytes 3-9/10"], refusal: range),
        Rest(rule: "an earlier end", fields: [.eTag: "\"1\"", .contentRange: "bytes 4-8/10"], refusal: range),
        Rest(rule: "a later end", fields: [.eTag: "\"1\"", .contentRange: "bytes 4-10/11"], refusal: range),
        Rest(
            rule: "an end that may not be the end",
            total: nil,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/*"],
            refusal: range
        ),
        Rest(
            rule: "an end before the size it tells",
            total: nil,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/11"],
            refusal: range
        ),
        Rest(
            rule: "another size",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/11"],
            refusal: "the size is not the same"
        ),
        Rest(rule: "another length", length: 7, refusal: "the length and the range do not fit"),
        Rest(
            rule: "decoded content",
            original: [.contentEncoding: "gzip"],
            refusal: "the content coding is not the same"
        ),
        Rest(
            rule: "content of another coding",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/10", .contentEncoding: "br"],
            refusal: "the content coding is not the same"
        ),
    ]

    @Test("What is taken for the rest", arguments: rests)
    func rest(row: Rest) throws {
        let first = Response(.ok, headers: [.eTag: "\"1\""], body: .once(length: row.total) { throw OtherError() })
        var position = try #require(DownloadPosition(first))
        position.advance(by: 4)
        var response = Response(
            .init(code: row.code),
            headers: row.fields,
            body: .once(length: row.length) { throw OtherError() }
        )
        response.options[OriginalContentFields.self] = row.original
        do throws(DownloadPosition.Refusal) {
            try position.resume(with: response)
            #expect(row.refusal == nil)
            #expect(position.missing == 6)
        } catch {
            #expect(error.reason == row.refusal)
        }
    }

    @Test("The rest may leave out what the head told: the coding")
    func codingLeftOut() throws {
        let first = Response(
            .ok,
            headers: [.eTag: "\"1\"", .contentEncoding: "gzip"],
            body: .once(length: 10) { throw OtherError() }
        )
        var position = try #require(DownloadPosition(first))
        position.advance(by: 4)
        try position.resume(
            with: Response(
                .partialContent,
                headers: [.eTag: "\"1\"", .contentRange: "bytes 4-9/10"],
                body: .once { throw OtherError() }
            )
        )
    }

    @Test(
        "The rest of a range whose whole has no known size says what it says of the size, or nothing",
        arguments: ["*", "500"]
    )
    func unknownSize(size: String) throws {
        let first = Response(
            .partialContent,
            headers: [.eTag: "\"1\"", .contentRange: "bytes 100-109/*"],
            body: .once { throw OtherError() }
        )
        var position = try #require(DownloadPosition(first))
        position.advance(by: 4)
        try position.resume(
            with: Response(
                .partialContent,
                headers: [.eTag: "\"1\"", .contentRange: "bytes 104-109/\(size)"],
                body: .once { throw OtherError() }
            )
        )
        #expect(position.missing == 6)
    }

    @Test("By date, the rest must have the same date")
    func byDate() throws {
        let late = "Mon, 07 Nov 1994 08:49:37 GMT"
        let first = Response(
            .ok,
            headers: [.lastModified: Self.date, .date: late],
            body: .once(length: 10) { throw OtherError() }
        )
        let position = try #require(DownloadPosition(first))
        var request = Request.get(url)
        position.restrict(&request)
        #expect(request.head.headerFields[.ifRange] == Self.date)
        for (fields, isSame) in [
            ([.lastModified: Self.date], true), ([.lastModified: late], false), ([:], false),
            ([.lastModified: Self.date, .eTag: "\"new\""], false),
        ] as [(HTTPFields, Bool)] {
            var fields = fields
            fields[.contentRange] = "bytes 0-9/10"
            var copy = position
            let rest = Response(.partialContent, headers: fields, body: .once { throw OtherError() })
            let wasTaken = (try? copy.resume(with: rest)) != nil
            #expect(wasTaken == isSame)
        }
    }
}
