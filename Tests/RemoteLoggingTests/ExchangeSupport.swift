#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging

/// Keeps the records it is given.
final class ExchangeCapture: LogSink {
    private let kept = Locked<[LogRecord]>([])
    private let asked = Locked(0)
    private let levels: LogLevels

    init(_ levels: LogLevels = LogLevels(.trace)) {
        self.levels = levels
    }

    func isEnabled(_ level: Logger.Level, for component: String) -> Bool {
        asked.withLock { $0 += 1 }
        return levels.includes(level, from: component)
    }

    func log(_ record: consuming LogRecord) {
        let record = record
        kept.withLock { $0.append(record) }
    }

    var records: [LogRecord] { kept.withLock { $0 } }

    /// The records, which are not kept any longer.
    func take() -> [LogRecord] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    var questions: Int { asked.withLock { $0 } }

    /// The only record.
    func record() throws -> LogRecord {
        guard records.count == 1, let record = records.first else { throw ExchangeCaptureError(count: records.count) }
        return record
    }
}

struct ExchangeCaptureError: Error {
    let count: Int
}

/// Keeps the exchanges themselves.
final class ExchangeKeeper: Sendable {
    private let kept = Locked<[ExchangeLog]>([])

    var exchanges: [ExchangeLog] { kept.withLock { $0 } }

    /// The only exchange.
    func exchange() throws -> ExchangeLog {
        guard exchanges.count == 1, let exchange = exchanges.first else {
            throw ExchangeCaptureError(count: exchanges.count)
        }
        return exchange
    }

    /// A filter that lets everything pass and keeps it.
    var filter: LogFilter {
        LogFilter { [kept] exchange in
            kept.withLock { $0.append(exchange) }
            return true
        }
    }
}

struct ExchangeProvoked: Error, CustomStringConvertible {
    var description = "provoked"
}

let exchangeStart = Date(timeIntervalSince1970: 784_111_777)

extension LogRedaction {
    static let standard = LogRedaction(.standard, showing: .standard)
}
#endif
