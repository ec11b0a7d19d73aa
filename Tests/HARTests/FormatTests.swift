#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import TestSupport
import Testing

@Suite("The HAR format")
struct FormatTests {
    @Test("What is written is read back the same, fields of other programs included")
    func roundTrip() throws {
        var entry = HAREntry.sample(
            "POST",
            "https://a.example/x?q=a%20b&q=2",
            body: HARPostData(mimeType: "text/plain", text: "é\u{0}\"\\\n")
        )
        entry.customFields = ["_initiator": ["type": "script", "stack": [1, 2.5, nil, true]]]
        entry.durations = HARTimings(send: 0.125, wait: 12.5, receive: 3)
        entry.response.cookies = [HARCookie(name: "a", value: "b")]
        entry.serverIPAddress = "::1"
        var archive = HARArchive(entries: [entry, .sample()])
        archive.pages = [HARPage(id: "page_1", title: "Page", started: Date(timeIntervalSince1970: 5.5))]
        archive.customFields["_mine"] = "kept"
        #expect(try HARArchive(archive.data) == archive)
        #expect(entry.request.queryString.map(\.value) == ["a b", "2"])
        #expect(entry.json["_initiator"] == entry.customFields["_initiator"])
        #expect(entry.json["serverIPAddress"]?.string == "::1")
    }

    @Test("Contents are bytes, fields pairs, and durations those that are known")
    func values() throws {
        var entry = HAREntry.sample(
            "POST",
            body: HARPostData(mimeType: "text/plain; charset=iso-8859-1", text: "grüße"),
            headers: [HARField(name: "X-Plant", value: "oak"), HARField(name: ":status", value: "200")]
        )
        entry.durations = HARTimings(send: 0, wait: 12.5, receive: 3)
        entry.durations.ssl = .infinity
        entry.response.content.text = Data([0x89, 0, 0xFF]).base64EncodedString()
        entry.response.content.encoding = "base64"
        entry.response.content.size = 3000
        #expect(entry.request.body == Data("grüße".utf8))
        #expect(entry.request.contentType == "text/plain; charset=iso-8859-1")
        #expect(entry.response.body == Data([0x89, 0, 0xFF]) && entry.response.contentSize == 3000)
        #expect(entry.response.headers.map { "\($0.name): \($0.value)" } == ["X-Plant: oak", ":status: 200"])
        #expect(entry.timings == ["send": 0, "wait": 12.5, "receive": 3] && entry.time == 15.5)
        let none = HAREntry.sample(text: "")
        #expect(none.request.body == nil && none.request.contentType == nil)
        #expect(HARResponse(status: 200).body == nil && HARResponse(status: 200).contentType == nil)
        #expect(HARArchive(entries: []).creator == (name: "HTTPChain", version: "0.1"))
    }

    @Test("What is missing, null or of another type is read as not known")
    func leniency() throws {
        let archive = try HARArchive(
            Data(
                """
                \u{FEFF}{"log": {"version": 1.2, "pages": null, "creator": {"name": "x"}, "entries": [
                 {"startedDateTime": "2026-11-22T17:21:50.809+02:00", "time": null, "cache": [],
                  "request": {"url": "https://a.example/", "bodySize": "12", "headers": [{"name": "A", "value": 7}]},
                  "response": {"status": "200", "content": {"size": null, "text": "x", "encoding": ""}},
                  "timings": {"wait": "5", "send": null}, "serverIPAddress": "[::1]"},
                 {"request": {"method": "GET", "url": "https://b.example/"}, "time": 12}
                ]}}
                """.utf8
            )
        )
        let first = try #require(archive.entries.first)
        #expect(first.request.method == "GET")
        #expect(first.request.bodySize == 12)
        #expect(first.request.values(of: "a") == ["7"])
        #expect(first.response.status == 200)
        #expect(first.response.content.encoding == nil)
        #expect(first.durations.wait == 5)
        #expect(first.serverIPAddress == "::1")
        #expect(abs(first.started.timeIntervalSince1970 - 1_795_360_910.809) < 0.001)
        #expect(archive.entries[1].time == 12)
        #expect(archive.entries[1].response.status == 0)
    }

    @Test(
        "What is no archive is an error that says where",
        arguments: [
            ("", "the file is truncated"), ("[1]", "the file is not an object"), ("{}", "log is missing"),
            ("{\"log\":{}}", "log.entries is missing"), ("{\"log\":{\"entries\":7}}", "log.entries is not an array"),
            ("{\"log\":{\"entries\":[{}]}}", "log.entries[0].request is missing"),
            ("{\"log\":{\"entries\":[{\"request\":{}}]}}", "log.entries[0].request.url is missing"),
            ("{\"log\":{\"entries\":[{\"request\":{\"url\":\"x\",\"headers\":{}}}]}}", "headers is not an array"),
            ("{\"log\" 7}", "the file is not JSON: : was expected at byte 7"),
            ("{\"log\":{\"entries\":[]}} x", "the end was expected at byte 23"),
            ("{\"log\":{\"entries\":[nul", "the file is truncated"),
            ("{\"a\":\"\\x\"}", "an escape was expected"), ("{\"a\":01}", ", or } was expected"),
        ]
    )
    func errors(_ text: String, _ words: String) throws {
        let error = #expect(throws: HARError.self) { try HARArchive(Data(text.utf8)) }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test("Size, depth and number of entries are limited")
    func limits() throws {
        let data = HARArchive(entries: [.sample(), .sample()]).data
        func problem(_ data: Data, _ limits: HARLimits) -> HARError.Problem? {
            #expect(throws: HARError.self) { try HARArchive(data, limits: limits) }?.problem
        }
        #expect(problem(data, HARLimits(size: 100)) == .tooLarge(limit: 100))
        #expect(problem(data, HARLimits(entries: 1)) == .tooManyEntries(limit: 1))
        let deep = Data((String(repeating: "[", count: 100_000)).utf8)
        #expect(problem(deep, HARLimits()) == .tooDeep(limit: 128))
    }

    @Test("A file that ends anywhere gives the entries that are whole, or says that it ends in the middle")
    func cutFiles() throws {
        let archive = HARArchive(entries: [.sample(), .sample("POST"), .sample("PUT", text: "é{[\"")])
        let data = archive.data
        let lines = data.split(separator: 0x0A)
        var ends: [Int] = []
        for line in lines.dropLast() { ends.append((ends.last ?? 0) + line.count + 1) }
        for length in 0..<(data.count - 1) {
            let cut = Data(data.prefix(length))
            #expect(throws: HARError.self) { try HARArchive(cut) }
            let whole = ends.dropFirst().count { $0 - 2 <= length - (length == 0 ? 1 : 0) && length >= $0 - 2 }
            let saved = try HARArchive(cut, salvaging: true).entries
            #expect(saved.count >= whole - 1 && saved.count <= 3)
            #expect(saved == Array(archive.entries.prefix(saved.count)), "cut at \(length)")
        }
        #expect(try HARArchive(Data(data.dropLast(4)), salvaging: true).entries.count == 3)
    }

    @Test("Texts survive: halves of surrogate pairs, control characters, bytes that are not UTF-8")
    func strings() throws {
        func text(_ json: [UInt8]) throws -> String? {
            let head = Array("{\"log\":{\"comment\":\"".utf8)
            return try HARArchive(Data(head + json + Array("\",\"entries\":[]}}".utf8))).comment
        }
        #expect(try text(Array("\\ud83d\\ude00\\u00e9\\/\\b".utf8)) == "😀é/\u{8}")
        #expect(try text(Array("\\ud83dx".utf8)) == "\u{FFFD}x")
        #expect(try text(Array("\\ud83d\\u0041".utf8)) == "\u{FFFD}A")
        #expect(try text([0xFF, 0x41]) == "\u{FFFD}A")
    }

    @Test("Dates are read in the forms of ISO 8601 and written in one")
    func dates() throws {
        func date(_ text: String) throws -> Date? {
            let json = "{\"log\":{\"entries\":[{\"startedDateTime\":\"\(text)\",\"request\":{\"url\":\"x\"}}]}}"
            return try HARArchive(Data(json.utf8)).entries.first?.started
        }
        let expected = Date(timeIntervalSince1970: 1_709_210_096.789)
        for text in [
            "2024-02-29T12:34:56.789Z", "2024-02-29T14:34:56.789+02:00", "2024-02-29T14:34:56.789+0200",
            "2024-02-29T02:34:56.789-10:00", "20240229T123456.789Z", "2024-02-29 12:34:56,789",
        ] {
            let read = try #require(try date(text))
            #expect(abs(read.timeIntervalSince(expected)) < 0.0005, "\(text)")
        }
        #expect(try date("yesterday") == Date(timeIntervalSince1970: 0))
        let json = String(decoding: HARArchive(entries: [.sample(started: expected)]).data, as: UTF8.self)
        #expect(json.contains("\"2024-02-29T12:34:56.789Z\""))
        let old = String(decoding: HARArchive(entries: [.sample(started: .distantPast)]).data, as: UTF8.self)
        #expect(old.contains("\"0001-01-01T00:00:00.000Z\""))
    }
}
#endif
