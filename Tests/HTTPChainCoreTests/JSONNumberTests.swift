#if AllTests
import Foundation
import HTTPChainCore
import Testing

@Suite("The numbers of a JSON value")
struct JSONNumberTests {
    private func value(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test(
        "A number that neither an integer nor a Double holds keeps its digits",
        arguments: [
            "9007199254740993.5", "123456789012345.6789", "-123456789012345.6789", "1.000000000000000001",
            "0.99999999999999999999", "9223372036854775808", "18446744073709551615", "-9223372036854775809",
            "12345678901234567890123", "0.1000000000000000055511151231257827",
        ]
    )
    func exact(text: String) throws {
        let number = try value(text)
        #expect(number == .decimal(try #require(Decimal(string: text))))
        #expect(String(decoding: try JSONEncoder().encode(["n": number]), as: UTF8.self) == "{\"n\":\(text)}")
        #expect(number.number == Double(text) && number.integer == nil)
    }

    @Test(
        "Any other number is an integer or a Double",
        arguments: [
            ("0", 0), ("-7", -7), ("1.0", 1), ("1e5", 100_000), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("0.1", 0.1),
            ("1.50", 1.5), ("0.30000000000000004", 0.30000000000000004), ("1e20", 1e20), ("1e100", 1e100),
            ("1e300", 1e300), ("1e-300", 1e-300), ("5e-324", .number(.leastNonzeroMagnitude)),
            ("3.141592653589793", .number(.pi)),
        ] as [(String, JSONValue)]
    )
    func plain(text: String, expected: JSONValue) throws {
        #expect(try value(text) == expected)
    }

    @Test("The largest unsigned integer is sent with its digits")
    func round() throws {
        #expect(try value("10000000000000000000") == .decimal(Decimal(10_000_000_000_000_000_000 as UInt64)))
        #expect(String(decoding: try JSONEncoder().encode(value("1e19")), as: UTF8.self) == "10000000000000000000")
    }

    @Test("A decimal that is not a number can't be encoded")
    func notANumber() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.decimal(.nan)) }
    }

    @Test("A decimal is read as an integer if it is one")
    func integer() {
        #expect(JSONValue.decimal(5).integer == 5)
        #expect(JSONValue.decimal(5).number == 5)
    }
}
#endif
