#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import Testing

@Suite("Cookie dates (RFC 6265bis §5.1.1)")
struct DateTests {
    @Test(
        "Dates are read in the forms that servers write",
        arguments: [
            ("Mon, 10-Dec-2007 17:02:24 GMT", "Mon, 10 Dec 2007 17:02:24 GMT"),
            ("Wed, 09 Dec 2009 16:27:23 GMT", "Wed, 09 Dec 2009 16:27:23 GMT"),
            ("Thursday, 01-Jan-1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("Mon Dec 10 16:32:30 2007 GMT", "Mon, 10 Dec 2007 16:32:30 GMT"),
            ("Wednesday, 01-Jan-10 00:00:00 GMT", "Fri, 01 Jan 2010 00:00:00 GMT"),
            ("Mon, 10-Dec-07 20:35:03 GMT", "Mon, 10 Dec 2007 20:35:03 GMT"),
            ("Wed, 1 Jan 2020 00:00:00 GMT", "Wed, 01 Jan 2020 00:00:00 GMT"),
            ("Saturday, 8-Dec-2012 21:24:09 GMT", "Sat, 08 Dec 2012 21:24:09 GMT"),
            ("Thu, 31 Dec 23:55:55 2037 GMT", "Thu, 31 Dec 2037 23:55:55 GMT"),
            ("Sun,  9 Dec 2012 13:42:05 GMT", "Sun, 09 Dec 2012 13:42:05 GMT"),
            ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", "Wed, 12 Dec 2007 08:44:07 GMT"),
            ("Sun, 1-Jan-1995 00:00:00 GMT", "Sun, 01 Jan 1995 00:00:00 GMT"),
            ("Wednesday, 01-Jan-10 0:0:00 GMT", "Fri, 01 Jan 2010 00:00:00 GMT"),
            ("Thu, 10 Dec 2009 13:57:2 GMT", "Thu, 10 Dec 2009 13:57:02 GMT"),
            ("23:59:59 29 FEBRUARY 2024", "Thu, 29 Feb 2024 23:59:59 GMT"),
            ("1 jan 70 1:2:3x", "Thu, 01 Jan 1970 01:02:03 GMT"),
            ("1 jan 69 1:2:3", "Tue, 01 Jan 2069 01:02:03 GMT"),
            ("1 jan 1601 0:0:0", "Mon, 01 Jan 1601 00:00:00 GMT"),
            ("31st Dec 9999 23:59:59", "Fri, 31 Dec 9999 23:59:59 GMT"),
        ]
    )
    func dates(text: String, expected: String) {
        #expect(CookieDate.parse(text).map { HTTPDate($0).description } == expected)
    }

    @Test(
        "Dates that name no moment are ignored",
        arguments: [
            "Mon, 01-Jan-2011 00: 00:00 GMT", "", "tomorrow", "10 Dec 2007", "17:02:24 10 Dec", "17:02:24 Dec 2007",
            "24:00:00 1 Jan 2020", "0:60:00 1 Jan 2020", "0:0:60 1 Jan 2020", "0:0:0 32 Jan 2020", "0:0:0 0 Jan 2020",
            "0:0:0 29 Feb 2023", "0:0:0 29 Feb 1900", "0:0:0 31 Apr 2020", "0:0:0 1 Jan 1600", "0:0:0 1 Jan 20200",
            "000:0:0 1 Jan 2020", "0:0:000 1 Jan 2020",
        ]
    )
    func noDates(text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test("Dates agree with Foundation's calendar on every day of four centuries and more")
    func calendar() {
        for day in stride(from: 0, to: 220_000, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 - 11_644_473_600)
            #expect(CookieDate.parse(HTTPDate(date).description) == date)
        }
    }
}
#endif
