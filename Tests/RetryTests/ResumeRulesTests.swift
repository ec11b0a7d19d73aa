import Foundation
import HTTPChainCore
import HTTPChainRetry
import HTTPTypes
import Testing

@Suite("Rules of resuming")
struct ResumeRulesTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

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

    @Test("Each response can be resumed from its range, or not at all", arguments: starts)
    func start(row: Start) {
        var response = Response(.init(code: row.code), headers: row.fields, body: row.body)
        response.options[OriginalContentFieldsFact.self] = row.original
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
        var repeated = 0
        var testDescription: String { rule }
    }

    private static let range = "the range is not the one that is missing"
    private static let size = "the size is not the same"

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
            refusal: "the server sends the whole content again: it has changed, or ranges are not supported"
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
            refusal: "the response does not say which range it contains"
        ),
        Rest(rule: "a later start", fields: [.eTag: "\"1\"", .contentRange: "bytes 5-9/10"], refusal: range),
        Rest(rule: "a range before", fields: [.eTag: "\"1\"", .contentRange: "bytes 0-3/10"], refusal: range),
        Rest(
            rule: "an earlier start",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 3-9/10"],
            refusal: nil,
            repeated: 1
        ),
        Rest(
            rule: "the whole as a range",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 0-9/10"],
            refusal: nil,
            repeated: 4
        ),
        Rest(rule: "an earlier end", fields: [.eTag: "\"1\"", .contentRange: "bytes 4-8/10"], refusal: nil),
        Rest(rule: "a later end", fields: [.eTag: "\"1\"", .contentRange: "bytes 4-10/11"], refusal: size),
        Rest(
            rule: "a later end without a size",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-10/*"],
            refusal: size
        ),
        Rest(
            rule: "an end that may not be the end",
            total: nil,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/*"],
            refusal: nil
        ),
        Rest(
            rule: "an end before the size it tells",
            total: nil,
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/11"],
            refusal: nil
        ),
        Rest(rule: "another size", fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/11"], refusal: size),
        Rest(rule: "another length", length: 7, refusal: "the length and the range do not match"),
        Rest(
            rule: "decoded content",
            original: [.contentEncoding: "gzip"],
            refusal: "the content coding differs"
        ),
        Rest(
            rule: "content of another coding",
            fields: [.eTag: "\"1\"", .contentRange: "bytes 4-9/10", .contentEncoding: "br"],
            refusal: "the content coding differs"
        ),
    ]

    @Test("Each response is taken for the rest, or refused with a reason", arguments: rests)
    func rest(row: Rest) throws {
        let first = Response(.ok, headers: [.eTag: "\"1\""], body: .once(length: row.total) { throw OtherError() })
        var position = try #require(DownloadPosition(first))
        #expect(try position.take(4) == 0..<4)
        var response = Response(
            .init(code: row.code),
            headers: row.fields,
            body: .once(length: row.length) { throw OtherError() }
        )
        response.options[OriginalContentFieldsFact.self] = row.original
        do {
            try position.resume(with: response)
            #expect(row.refusal == nil)
            #expect(try position.take(row.repeated + 1) == row.repeated..<(row.repeated + 1))
            #expect(position.offset == 5)
        } catch {
            #expect((error as? DownloadPosition.Refusal)?.reason == row.refusal)
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
        _ = try position.take(4)
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
        _ = try position.take(4)
        try position.resume(
            with: Response(
                .partialContent,
                headers: [.eTag: "\"1\"", .contentRange: "bytes 104-109/\(size)"],
                body: .once { throw OtherError() }
            )
        )
        #expect(position.missing == 6)
    }

    @Test("By date, the rest has the same date or none")
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
            ([.lastModified: Self.date], true), ([.lastModified: late], false), ([:], true),
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

    @Test("A range of a caller whose end the size contradicts is not resumed")
    func endBeyondSize() throws {
        let first = Response(
            .partialContent,
            headers: [.eTag: "\"1\"", .contentRange: "bytes 0-9/*"],
            body: .once { throw OtherError() }
        )
        var position = try #require(DownloadPosition(first))
        _ = try position.take(4)
        let rest = Response(
            .partialContent,
            headers: [.eTag: "\"1\"", .contentRange: "bytes 4-6/8"],
            body: .once { throw OtherError() }
        )
        #expect(throws: DownloadPosition.Refusal.self) { try position.resume(with: rest) }
    }

    @Test(
        "416 with the number of bytes that were read ends a download of unknown size",
        arguments: [
            (nil, 416, [.contentRange: "bytes */4"], true), (nil, 416, [.contentRange: "bytes */5"], false),
            (nil, 416, [:], false), (nil, 404, [.contentRange: "bytes */4"], false),
            (10, 416, [.contentRange: "bytes */4"], false),
            (nil, 416, [.contentRange: "bytes */4", .eTag: "\"1\""], true),
            (nil, 416, [.contentRange: "bytes */4", .eTag: "\"2\""], false),
            (nil, 416, [.contentRange: "bytes */4", .eTag: "W/\"1\""], false),
        ] as [(Int64?, Int, HTTPFields, Bool)]
    )
    func endOfUnknownSize(total: Int64?, code: Int, fields: HTTPFields, isComplete: Bool) throws {
        let first = Response(.ok, headers: [.eTag: "\"1\""], body: .once(length: total) { throw OtherError() })
        var position = try #require(DownloadPosition(first))
        _ = try position.take(4)
        #expect(position.isComplete(by: Response(.init(code: code), headers: fields)) == isComplete)
    }
}
