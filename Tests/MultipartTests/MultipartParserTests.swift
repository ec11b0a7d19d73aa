#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPTypes
import Testing

@Suite("MultipartParser")
struct MultipartParserTests {
    @Test("Parts come with their fields and contents; preamble and epilogue are passed over")
    func example() throws {
        // RFC 2046 §5.1.1.
        let message = """
            This is the preamble.  It is to be ignored, though it
            is a handy place to include a note.

            --simple boundary

            This is implicitly typed plain US-ASCII text.
            It does NOT end with a linebreak.
            --simple boundary
            Content-type: text/plain; charset=us-ascii

            This is explicitly typed plain US-ASCII text.
            It DOES end with a linebreak.

            --simple boundary--

            This is the epilogue.  It is also to be ignored.
            --simple boundary

            """
        let parsed = try parse(message.replacing("\n", with: "\r\n"), boundary: "simple boundary")
        #expect(
            try parsed
                == Parsed(parts: [
                    SeenPart(
                        [:],
                        "This is implicitly typed plain US-ASCII text.\r\nIt does NOT end with a linebreak."
                    ),
                    SeenPart(
                        ["Content-type": "text/plain; charset=us-ascii"],
                        "This is explicitly typed plain US-ASCII text.\r\nIt DOES end with a linebreak.\r\n"
                    ),
                ])
        )
    }

    @Test(
        "Contents come as they are",
        arguments: [
            "", "\r\n", "\n", "\r", "\r\n\r\n", "\r\n--", "\r\n--X", "\r\n-XX", "\r\n--XXX\r\n", "\r\n--XX-\r\n",
            "\r\n--XX-X\r\n",
            "\r\n--XX--X\r\n", "\n--XX\r\n", "a\n--XX--\r\nb", "\r\n--XX\rb", "a--XX", "--XXX\r\n", "\r\n--xx\r\n",
            "\r\r\n--X", "\r\n --XX",
        ]
    )
    func contents(content: String) throws {
        let message = "--XX\r\nA: 1\r\n\r\n\(content)\r\n--XX\r\n\r\n\(content)\r\n--XX--"
        #expect(try parse(message) == Parsed(parts: [SeenPart(["A": "1"], content), SeenPart([:], content)]))
    }

    @Test(
        "Messages that are unusual and valid are read",
        arguments: [
            ("--XX--", []), ("--XX--\r\n", []), ("\r\n--XX--", []), ("preamble\r\n--XX--  \t\r\nend", []),
            // White space that a transport added.
            ("--XX \t \r\n\r\na\r\n--XX  \r\n\r\nb\r\n--XX-- \t", ["a", "b"]),
            // No content, so that no line end stands between the head and the delimiter.
            ("--XX\r\nA: 1\r\n\r\n--XX--", [""]), ("--XX\r\n\r\n--XX--", [""]), ("--XX\r\nA: 1\r\n--XX--", [""]),
            ("--XX\r\n--XX\r\n--XX--\r\n", ["", ""]),
            // A final boundary that was cut off within its line end.
            ("--XX\r\n\r\na\r\n--XX--\r", ["a"]),
            // A nested message whose boundary begins with this one.
            ("--XX\r\n\r\n--XXY\r\n\r\nin\r\n--XXY--\r\n\r\n--XX--", ["--XXY\r\n\r\nin\r\n--XXY--\r\n"]),
            ("--XX\r\n\r\n--XX-Y\r\n\r\nin\r\n--XX-Y--\r\n\r\n--XX--", ["--XX-Y\r\n\r\nin\r\n--XX-Y--\r\n"]),
            ("--XX\r\n\r\n--XX--Y\r\n\r\nin\r\n--XX--Y--\r\n\r\n--XX--", ["--XX--Y\r\n\r\nin\r\n--XX--Y--\r\n"]),
        ]
    )
    func unusual(message: String, contents: [String]) throws {
        let parsed = try parse(message)
        #expect(parsed.contents == contents)
        #expect(parsed.error == nil)
        #expect(parsed.parts.allSatisfy { $0.isEnded })
    }

    @Test("Lines may end with LF alone when the first delimiter does")
    func lineFeeds() throws {
        let message = "preamble\n--XX\nA: 1\nB: 2\n\na\r\nb\r\n--XX\n\nc\n--XX--\n"
        #expect(
            try parse(message)
                == Parsed(parts: [SeenPart(["A": "1", "B": "2"], "a\r\nb\r"), SeenPart([:], "c")])
        )
        #expect(try parse("--XX\nA: 1\n\n--XX--").contents == [""])
    }

    @Test(
        "A message that ends before its final boundary is incomplete, whatever arrived",
        arguments: [
            ("", 0, 0), ("preamble", 0, 0), ("--XX", 0, 0), ("--XX\r\n", 1, 0), ("--XX\r\nA: 1", 1, 0),
            ("--XX\r\nA: 1\r\n\r\n", 1, 1),
            ("--XX\r\n\r\nabc", 1, 1), ("--XX\r\n\r\nabc\r\n--XX", 1, 1), ("--XX\r\n\r\nabc\r\n--XX-", 1, 1),
            ("--XX\r\n\r\nabc\r\n--XX\r\n", 2, 1), ("--XX\r\n\r\nabc\r\n--XX\r\n--XX", 2, 1),
            ("--XX\r\n\r\nabc--XX--", 1, 1),
        ]
    )
    func truncated(message: String, begun: Int, seen: Int) throws {
        let parsed = try parse(message)
        #expect(parsed.error?.problem == .truncated(parts: begun))
        #expect(parsed.parts.count == seen)
    }

    @Test("All that arrived of an incomplete part is handed on before the error")
    func contentBeforeError() throws {
        let parsed = try parse("--XX\r\n\r\nabc\r\n--X")
        #expect(parsed.contents == ["abc\r\n--X"])
        #expect(parsed.parts.map(\.isEnded) == [false])
    }

    @Test("Fields are read as messages have them")
    func fields() throws {
        let message = "--XX\r\nA:1\r\nb :  2 \t\r\nC: x\r\n  y\r\n\tz\r\nEmpty:\r\nA: é\r\n\r\n.\r\n--XX--"
        let fields: KeyValuePairs = ["A": "1", "b": "2", "C": "x y z", "Empty": "", "A": "é"]
        #expect(try parse(message) == Parsed(parts: [SeenPart(fields, ".")]))
    }

    @Test(
        "A line that is not a field is an error that names the part",
        arguments: [
            "no colon", ": no name", ":path: /", "a b: 1", "ä: 1", " folded: 1", "a: 1\r2", "a\0: 1", "a: \0", "--XXY",
            "(: 1",
        ]
    )
    func malformed(line: String) throws {
        let parsed = try parse("--XX\r\n\r\na\r\n--XX\r\n\(line)\r\n\r\nb\r\n--XX--")
        #expect(parsed.error?.problem == .malformedHeader(part: 1))
        #expect(parsed.contents == ["a"])
    }

    @Test("Beyond a limit there is an error, up to it there is none")
    func limits() throws {
        let message = "--XX\r\nAb: 1\r\nB: 2\r\n\r\nabcde\r\n--XX\r\n\r\nf\r\n--XX--"
        func problem(_ limits: MultipartLimits) throws -> MultipartError.Problem? {
            try parse(message, limits: limits).error?.problem
        }
        #expect(try problem(.init(headerSize: 15, headerCount: 2, partCount: 2, partSize: 5)) == nil)
        #expect(try problem(.init(headerSize: 14)) == .headerTooLarge(part: 0, limit: 14))
        #expect(try problem(.init(headerCount: 1)) == .tooManyHeaders(part: 0, limit: 1))
        #expect(try problem(.init(partCount: 1)) == .tooManyParts(limit: 1))
        #expect(try problem(.init(partSize: 4)) == .partTooLarge(part: 0, limit: 4))
        #expect(try parse(message, limits: .init(partSize: 4)).contents == ["abcd"])
        #expect(try problem(.init(partCount: 0)) == .tooManyParts(limit: 0))
        #expect(try problem(.init(partCount: -1)) == .tooManyParts(limit: -1))
    }

    @Test("More fields than any message can hold are refused whatever the limit is")
    func fieldFlood() throws {
        let fields = String(repeating: "a:\r\n", count: 70_000)
        let parsed = try parse(
            "--XX\r\n\(fields)\r\n.\r\n--XX--",
            limits: .init(headerSize: .unlimited, headerCount: .max)
        )
        #expect(parsed.error?.problem == .tooManyHeaders(part: 0, limit: 10_000))
    }

    @Test("Endless white space behind a boundary, and a head without end, hold back no more than a limit")
    func memory() throws {
        var parser = try MultipartParser(boundary: "XX")
        var count = 0
        _ = parser.append(Data("--XX\r\n\r\n\r\n--XX".utf8))
        for _ in 0..<100 {
            for case .content(let data) in parser.append(Data(repeating: 0x20, count: 1000)) { count += data.count }
        }
        #expect(count > 98_000)

        var endless = try MultipartParser(boundary: "XX")
        var parsed = Parsed()
        parsed.add(endless.append(Data("--XX\r\n".utf8)))
        for _ in 0..<17 { parsed.add(endless.append(Data(repeating: 0x61, count: 1024))) }
        #expect(parsed.error?.problem == .headerTooLarge(part: 0, limit: .kibibytes(16)))
    }

    @Test("After a failure and after the end there is nothing more")
    func afterwards() throws {
        var failed = try MultipartParser(boundary: "XX")
        #expect(failed.append(Data("--XX\r\nbad\r\n".utf8)).count == 1)
        #expect(failed.append(Data("\r\n--XX--".utf8)) == [])
        #expect(failed.finish() == [])
        var done = try MultipartParser(boundary: "XX")
        #expect(done.append(Data("--XX--\r\n".utf8)) == [])
        #expect(done.append(Data("--XX\r\n\r\n".utf8)) == [])
        #expect(done.finish() == [])
    }

    @Test(
        "The boundary comes from the Content-Type",
        arguments: [
            ("multipart/mixed; boundary=XX", nil), ("Multipart/Form-Data;charset=utf-8 ; BOUNDARY=\"XX\"", nil),
            ("multipart/related; type=\"a;boundary=b\"; boundary=XX", nil), ("multipart/x-unknown;boundary=XX", nil),
            ("text/plain; boundary=XX", .notMultipart(contentType: "text/plain; boundary=XX")),
            ("multipart/mixed", .noBoundary(contentType: "multipart/mixed")),
            ("multipart/mixed; boundary=", .noBoundary(contentType: "multipart/mixed; boundary=")),
            ("multipart/mixed; boundary=\"\r\n\"", .noBoundary(contentType: "multipart/mixed; boundary=\"\r\n\"")),
            ("", .notMultipart(contentType: "")), (nil, .notMultipart(contentType: nil)),
        ] as [(String?, MultipartError.Problem?)]
    )
    func contentType(value: String?, problem: MultipartError.Problem?) throws {
        do throws(MultipartError) {
            var parser = try MultipartParser(contentType: value)
            #expect(parser.append(Data("--XX--".utf8)) + parser.finish() == [])
            #expect(problem == nil)
        } catch {
            #expect(error.problem == problem)
        }
    }
}

@Suite("Content-Disposition")
struct ContentDispositionTests {
    @Test(
        "Name and file name are read as senders write them",
        arguments: [
            ("form-data; name=a", "form-data", "a", nil),
            ("form-data; name=\"a b\"; filename=\"c.txt\"", "form-data", "a b", "c.txt"),
            ("FORM-DATA;NAME=a;FileName=\"ä.txt\"", "form-data", "a", "ä.txt"),
            ("form-data ; name = \"a\" ; filename = b.txt ", "form-data", "a", "b.txt"),
            ("form-data; filename=\"x; name=y\"; name=\"z\"", "form-data", "z", "x; name=y"),
            ("form-data; name=\"a%22b%0D%0Ac\"", "form-data", "a\"b\r\nc", nil),
            ("form-data; name=\"50%25\"", "form-data", "50%25", nil),
            ("form-data; name=\"a%2\"; filename=\"%\"", "form-data", "a%2", "%"),
            ("attachment; filename=\"a%22b\"", "attachment", nil, "a%22b"),
            (#"attachment; filename="a\"b\\c""#, "attachment", nil, #"a"b\c"#),
            (#"form-data; name="f"; filename="C:\dir\file.txt""#, "form-data", "f", #"C:\dir\file.txt"#),
            ("attachment; filename*=UTF-8''na%C3%AFve%20file.txt", "attachment", nil, "naïve file.txt"),
            ("attachment; filename=\"plain.txt\"; filename*=utf-8'en'%e2%82%ac.txt", "attachment", nil, "€.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "attachment", nil, "£ rates"),
            ("attachment; filename*=UTF-8''bad%ZZ; filename=good", "attachment", nil, "good"),
            ("attachment; filename*=UTF-8''%FF; filename=good", "attachment", nil, "good"),
            ("attachment; filename*=UTF-8''cut%4; filename=good", "attachment", nil, "good"),
            ("attachment; filename*=koi8-r''x; filename=good", "attachment", nil, "good"),
            ("attachment; filename*=nothing", "attachment", nil, nil),
            ("form-data; name=a; name=b", "form-data", "a", nil),
            ("form-data; ;; =x; name; name=\"open", "form-data", "open", nil),
            ("inline", "inline", nil, nil), ("form-data; name=\"\"", "form-data", "", nil),
        ]
    )
    func reads(value: String, type: String, name: String?, fileName: String?) throws {
        let disposition = try #require(ContentDisposition(value))
        #expect(disposition.type == type)
        #expect(disposition.name == name)
        #expect(disposition.fileName == fileName)
    }

    @Test("There is none without a type", arguments: ["", " ", ";name=a", "a b; name=c", "\"form-data\"; name=a"])
    func none(value: String) {
        #expect(ContentDisposition(value) == nil)
    }
}
#endif
