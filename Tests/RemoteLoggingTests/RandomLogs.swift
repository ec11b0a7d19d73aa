#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import Logging
import TestSupport

/// Batches of every kind of value, the same for the same seed.
struct RandomLogs {
    private let random: SeededRandom

    init(seed: UInt64) {
        random = Seed.numbers(seed)
    }

    func batch(of count: Int) -> LogBatch {
        var resource: LogAttributes = ["host.name": .string(text()), "deployment.environment.name": "production"]
        resource["1st"] = .integer(Int64(number(9)))
        return LogBatch(
            resource: LogResource(
                serviceName: "shop \(text())",
                serviceVersion: "1.\(number(9))",
                attributes: resource
            ),
            records: (0..<count).map { _ in record() }
        )
    }

    func value(depth: Int = 0) -> JSONValue {
        switch number(depth < 3 ? 10 : 7) {
        case 0: .null
        case 1: .bool(number(2) == 0)
        case 2: .integer([0, -1, .min, .max, 1 << 53 + 1][number(5)])
        case 3: .integer(Int64(truncatingIfNeeded: random.next() >> UInt64(number(64))))
        case 4: .number(double())
        case 5, 6: .string(text())
        case 7, 8: .array((0..<number(4)).map { _ in value(depth: depth + 1) })
        default: .object(Dictionary((0..<number(4)).map { ("\($0)\(text())", value(depth: depth + 1)) }) { $1 })
        }
    }

    func text() -> String {
        let pieces = [
            "plain", "\"", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{1F}", "\u{7F}", "ü", "日本", "👩‍👩‍👧", "e\u{301}",
            "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}", "/", "</script>", "a = b", "0123456789abcdef",
        ]
        return (0..<number(6)).map { _ in pieces[number(pieces.count)] }.joined()
    }

    private func record() -> LogRecord {
        var attributes = LogAttributes()
        for index in 0..<number(8) { attributes.append("a\(index).\(text())", value()) }
        if number(3) == 0 { attributes.append("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736") }
        if number(3) == 0 { attributes.append("span_id", "00f067aa0ba902b7") }
        return LogRecord(
            // Microseconds over many years, so that a year's end and leap days are among them.
            date: Date(timeIntervalSince1970: Double(number(4_000_000_000)) + Double(number(1_000_000)) / 1e6),
            level: Logger.Level.allCases[number(7)],
            component: ["http.client", "shop", "shop.cart \"ü\""][number(3)],
            message: text(),
            attributes: attributes
        )
    }

    private func double() -> Double {
        let choices: [Double] = [
            0, -0.0, 0.1, 1, 1e21, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.pi, .nan, .infinity, -.infinity,
            Double(bitPattern: random.next()),
        ]
        return choices[number(choices.count)]
    }

    private func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
#endif
