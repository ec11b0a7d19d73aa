import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("The server's clock")
struct ServerTimeTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let fields: HTTPFields = [.date: "Tue, 14 Nov 2023 22:13:20 GMT"]

    @Test(
        "The server's clock is that of Date and Age, and the local one without Date",
        arguments: [-86_400.0, -600, 0, 600, 1e9]
    )
    func now(offset: Double) {
        let local = Self.date.addingTimeInterval(offset)
        #expect(ServerTime(Self.fields, now: local).now == Self.date)
        #expect(ServerTime([:], now: local).now == local)
        #expect(ServerTime([.date: "yesterday", .age: "9"], now: local).now == local)
        var cached = Self.fields
        cached[.age] = "90"
        let server = ServerTime(cached, now: local)
        #expect(server.now == Self.date.addingTimeInterval(90))
        #expect(server.local(Self.date.addingTimeInterval(100)) == local.addingTimeInterval(10))
        for age in ["-1", "+5", "4294967296", "99999999999999999999", "1.5", "soon"] {
            cached[.age] = age
            #expect(ServerTime(cached, now: local).now == Self.date, "\(age)")
        }
    }

    @Test(
        "The server's clock reads dates in any form, with limits",
        arguments: [
            ("Tue, 14 Nov 2023 22:13:25 GMT", Duration.seconds(5)),
            ("2023-11-14T23:13:20.0005+01:00", .milliseconds(1)),
            ("1700000060", .seconds(60)), ("1700000060500", .milliseconds(60_500)), ("1600000000", .zero),
            ("Fri, 31 Dec 9999 23:59:59 GMT", .longest), ("9e300", .longest), ("5", nil), ("-1", nil), ("nan", nil),
            ("inf", nil), ("", nil), ("soon", nil), ("2023-02-30T00:00:00Z", nil),
        ]
    )
    func waits(text: String, expected: Duration?) {
        #expect(ServerTime(Self.fields, now: Date()).wait(untilDateIn: text) == expected)
    }
}
