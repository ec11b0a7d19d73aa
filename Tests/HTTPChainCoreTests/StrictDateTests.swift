import Foundation
import HTTPChainCore
import Testing

@Suite("Strict dates (RFC 9111 §4.2)")
struct StrictDateTests {
    private let start = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "Dates are strict: the three forms of RFC 9110 §5.6.7, in any letter case, in GMT",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777),
            ("  Sun, 06 Nov 1994 08:49:37 GMT\t", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("SUNDAY, 06-NOV-94 08:49:37 gmt", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sat Aug  6 08:49:37 1994", 776_162_977),
            ("Sun Nov 06 08:49:37 1994", 784_111_777),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("0", nil), ("-1", nil), ("", nil), ("now", nil), ("784111777", nil),
            ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 AEST", nil),
            ("Sun, 06 Nov 1994 08:49:37 +0000", nil), ("Sun, 06 Nov 1994 08:49:37", nil),
            ("Sun Nov  6 08:49:37 1994 GMT", nil), ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06-Nov-1994 08:49:37 GMT", nil), ("Sun, 06 Nov 94 08:49:37 GMT", nil),
            ("06 Nov 1994 08:49:37 GMT", nil), ("Sun 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun,  06 Nov 1994 08:49:37 GMT", nil), ("Sun, 06  Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 8:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 Nov 1994 08.49.37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Foo, 06 Nov 1994 08:49:37 GMT", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:61:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT; x", nil), ("1994-11-06T08:49:37Z", nil),
        ] as [(String, Int64?)]
    )
    func dates(text: String, expected: Int64?) {
        #expect(StrictDate.seconds(text, now: start) == expected)
    }

    @Test(
        "Each day of the week is known in each form of a date",
        arguments: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    )
    func weekdays(day: String) {
        let short = day.prefix(3)
        for text in [
            "\(short), 06 Nov 1994 08:49:37 GMT", "\(short.lowercased()), 06 nov 1994 08:49:37 gmt",
            "\(short) Nov  6 08:49:37 1994", "\(day), 06-Nov-94 08:49:37 GMT",
        ] {
            #expect(StrictDate.seconds(text, now: start) == 784_111_777, "\(text)")
        }
        #expect(StrictDate.seconds("\(day), 06 Nov 1994 08:49:37 GMT", now: start) == nil)
        #expect(StrictDate.seconds("\(short), 06-Nov-94 08:49:37 GMT", now: start) == nil)
    }
}
