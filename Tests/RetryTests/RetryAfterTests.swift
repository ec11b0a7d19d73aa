import Foundation
import HTTPChainCore
import HTTPChainRetry
import HTTPTypes
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let values: [String]
        var date: String?
        let wait: Duration?
        var testDescription: String { rule }
    }

    static let rows: [Row] = [
        Row(rule: "no field", values: [], wait: nil),
        Row(rule: "seconds", values: ["120"], wait: .seconds(120)),
        Row(rule: "zero", values: ["0"], wait: .zero),
        Row(rule: "space around seconds", values: [" 7\t"], wait: .seconds(7)),
        Row(rule: "leading zeros", values: ["007"], wait: .seconds(7)),
        Row(rule: "a date by the local calendar", values: ["Sun, 06 Nov 1994 08:50:37 GMT"], wait: .seconds(60)),
        Row(rule: "a date of RFC 850", values: ["Sunday, 06-Nov-94 08:50:37 GMT"], wait: .seconds(60)),
        Row(rule: "a date of asctime", values: ["Sun Nov  6 08:50:37 1994"], wait: .seconds(60)),
        Row(rule: "a date that is past", values: ["Sun, 06 Nov 1994 08:00:00 GMT"], wait: .zero),
        Row(
            rule: "a date is read by the clock of the server",
            values: ["Sun, 06 Nov 1994 12:00:30 GMT"],
            date: "Sun, 06 Nov 1994 12:00:00 GMT",
            wait: .seconds(30)
        ),
        Row(
            rule: "a date of the server that makes no sense does not count",
            values: ["Sun, 06 Nov 1994 08:50:37 GMT"],
            date: "yesterday",
            wait: .seconds(60)
        ),
        Row(
            rule: "seconds do not depend on the server's date",
            values: ["5"],
            date: "Sun, 06 Nov 1994 12:00:00 GMT",
            wait: .seconds(5)
        ),
        Row(rule: "negative seconds are no value", values: ["-5"], wait: nil),
        Row(rule: "a fraction is no value", values: ["1.5"], wait: nil),
        Row(rule: "a sign is no value", values: ["+5"], wait: nil),
        Row(rule: "words are no value", values: ["soon"], wait: nil),
        Row(rule: "nothing is no value", values: [""], wait: nil),
        Row(rule: "digits of another script are no value", values: ["٣"], wait: nil),
        Row(rule: "a date that does not exist is no value", values: ["Sun, 31 Feb 1994 08:49:37 GMT"], wait: nil),
        Row(rule: "more seconds than an integer holds are 100 years", values: ["99999999999999999999"], wait: .longest),
        Row(rule: "the most seconds an integer holds are 100 years", values: ["9223372036854775807"], wait: .longest),
        Row(rule: "the end of the calendar is 100 years", values: ["Fri, 31 Dec 9999 23:59:59 GMT"], wait: .longest),
        Row(rule: "of several fields the longest counts", values: ["3", "9", "5"], wait: .seconds(9)),
        Row(rule: "of several fields what makes no sense does not count", values: ["soon", "4"], wait: .seconds(4)),
        Row(rule: "fields that were joined are taken apart", values: ["3, 9"], wait: .seconds(9)),
        Row(
            rule: "dates that were joined are taken apart",
            values: ["Sun, 06 Nov 1994 08:50:37 GMT, 5, Sun, 06 Nov 1994 08:51:37 GMT"],
            wait: .seconds(120)
        ),
    ]

    @Test("The wait that is asked for", arguments: rows)
    func wait(row: Row) {
        var fields = HTTPFields()
        for value in row.values { fields.append(HTTPField(name: .retryAfter, value: value)) }
        fields[.date] = row.date
        #expect(RetryAfter.wait(in: fields, now: Self.now) == row.wait)
    }

    @Test("A fraction of a second of the local clock is rounded up: never less than asked")
    func fractions() {
        let fields: HTTPFields = [.retryAfter: "Sun, 06 Nov 1994 08:49:40 GMT"]
        #expect(RetryAfter.wait(in: fields, now: Self.now.addingTimeInterval(0.4)) == .seconds(3))
    }
}
