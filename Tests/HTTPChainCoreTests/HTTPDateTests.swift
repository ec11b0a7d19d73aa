import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Dates in fields (RFC 9110 §5.6.7)")
struct HTTPDateTests {
    @Test(
        "All three forms are read",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            " sun, 06 nov 1994 08:49:37 gmt\t", "Sun, 6 Nov 1994 08:49:37 UTC", "Sun Nov 06 08:49:37 1994",
            "Mon, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        ]
    )
    func forms(text: String) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(HTTPDate(text, now: now)?.date.timeIntervalSince1970 == 784_111_777)
    }

    @Test(
        "What is not a date in GMT, or names a day or time that does not exist, is none",
        arguments: [
            "", "0", "-1", "now", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 31 Feb 2023 00:00:00 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, x", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
            "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Növ 1994 08:49:37 GMT",
        ]
    )
    func refused(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test(
        "Two digits of a year mean at most 50 years ahead",
        arguments: [(94, 1994), (23, 2023), (73, 2073), (74, 1974), (0, 2000)]
    )
    func century(digits: Int, year: Int) throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)  // 2023
        let text = "Sunday, 06-Nov-\(digits < 10 ? "0" : "")\(digits) 08:49:37 GMT"
        let date = try #require(HTTPDate(text, now: now))
        #expect(date.description.contains(" \(year) "))
    }

    @Test("A date that is written as senders must is read as one that is not", .seeded)
    func fixed() {
        let random = Seed.numbers()
        let letters = Array("0123456789, :aGMT".utf8)
        var dates = 0
        for _ in 0..<20_000 {
            let moment = Date(timeIntervalSince1970: Double(random.next() % 253_402_300_800))
            var text = Array(HTTPDate(moment).description.utf8)
            for _ in 0..<random.next() % 3 {
                text[Int(random.next() % UInt64(text.count))] = letters[Int(random.next() % UInt64(letters.count))]
            }
            let written = String(decoding: text, as: UTF8.self)
            let date = HTTPDate(written)
            // With a space before it, it is read piece by piece.
            #expect(date == HTTPDate(" " + written), "\(written)")
            if date != nil { dates += 1 }
        }
        #expect((5000..<19_000).contains(dates), "\(dates)")
    }

    @Test("A leap second counts as the second before it")
    func leapSecond() {
        #expect(
            HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate("Sat, 31 Dec 2016 23:59:59 GMT")
        )
    }

    @Test("What is written is the fixed form, and reads back the same, day by day over four centuries")
    func roundTrip() throws {
        #expect(HTTPDate(Date(timeIntervalSince1970: 784_111_777.9)).description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(Date(timeIntervalSince1970: 0)).description == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate(Date(timeIntervalSince1970: -1)).description == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate(Date(timeIntervalSince1970: 951_782_400)).description == "Tue, 29 Feb 2000 00:00:00 GMT")
        for day in stride(from: -60_000, to: 86_100, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 12_345)
            let text = HTTPDate(date).description
            guard HTTPDate(text)?.date == date else {
                Issue.record("\(text) does not read back as \(date)")
                return
            }
        }
    }

    @Test("Two digits of a year are read against any clock", arguments: [Double.infinity, .nan, 1e300])
    func clock(seconds: Double) {
        #expect(HTTPDate("Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: seconds)) != nil)
    }

    @Test("A moment outside the years 1 to 9999 is cut to them")
    func extremes() {
        #expect(HTTPDate(.distantPast).description == "Mon, 01 Jan 0001 00:00:00 GMT")
        #expect(HTTPDate(Date(timeIntervalSince1970: 1e300)).description == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate(Date(timeIntervalSince1970: -1e300)).description == "Mon, 01 Jan 0001 00:00:00 GMT")
    }
}

@Suite("What requests share")
struct SharedMessageTests {
    @Test("Safe and idempotent methods are those of RFC 9110 §9.2, and QUERY")
    func methods() {
        let all: [HTTPRequest.Method] = [
            .get, .head, .options, .trace, .query, .put, .delete, .post, .patch, .connect,
        ]
        #expect(all.filter(\.isSafe) == [.get, .head, .options, .trace, .query])
        #expect(all.filter(\.isIdempotent) == [.get, .head, .options, .trace, .query, .put, .delete])
    }

    @Test("A secret shows itself in no text made of it")
    func secret() {
        let secret: Secret = "s3cr3t"
        struct Holder { let password: Secret }
        var dumped = ""
        dump(Holder(password: secret), to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(Holder(password: secret))", "\([secret])", dumped] {
            #expect(!text.contains("s3cr3t"))
        }
        #expect(secret.revealed == "s3cr3t")
    }

    @Test("A call is its first attempt until a stage says otherwise")
    func attempts() {
        var request = Request.get("https://example.com/")
        #expect(request.attempt == 1)
        request.attempt = 2
        #expect(request.attempt == 2)
        #expect(Response(.ok).attempts == 1)
    }

    @Test("The numbers of attempts are clamped, so that a stage can add to them")
    func clampedAttempts() {
        var request = Request.get("https://example.com/")
        var response = Response(.ok)
        let kept = [Int.min, 0, 3, .max].map { number in
            request.attempt = number
            response.attempts = number
            return [request.attempt, response.attempts]
        }
        #expect(kept == [[1, 0], [1, 0], [3, 3], [1_000_000_000, 1_000_000_000]])
    }
}
