import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import HTTPChainURLSession
import Logging

/// The numbers of the records, a line each.
struct NumberFormat: LogWireFormat {
    let contentType = "text/plain"

    func encode(_ batch: LogBatch) throws -> Data {
        let numbers = batch.records.compactMap { $0.attributes["number"]?.integer }
        return Data(numbers.map { "\($0)\n" }.joined().utf8)
    }
}

extension Drill {
    /// Logs numbered records to a shipper with a spool, and says which were accepted.
    static func ship(_ directory: URL, _ first: Int, to url: String) async throws {
        let spool = try LogSpool(directory: directory, limit: .mebibytes(8), segmentSize: .kibibytes(16))
        var settings = LogShipper.Settings()
        settings.batchRecords = 64
        settings.batchAge = .milliseconds(5)
        settings.retryBase = .milliseconds(10)
        settings.retryCap = .milliseconds(50)
        let shipper = LogShipper(
            to: url,
            format: NumberFormat(),
            resource: LogResource(serviceName: "drill"),
            over: URLSessionTransport(),
            settings: settings,
            spool: spool
        )
        say("ready")
        var number = first
        // Those that were logged and of which it is not known yet whether the spool has them, in order. It has room for
        // all that is logged, as the receiver takes it: none is refused.
        var logged: [Int] = []
        var accepted = 0
        while shipper.statistics.drops.isEmpty {
            if logged.count < 500 {
                shipper.log(record(number, length: number % 50 == 0 ? 2000 : 20))
                logged.append(number)
                number += 1
            }
            let statistics = shipper.statistics
            while accepted < statistics.accepted, !logged.isEmpty {
                say("a \(logged.removeFirst())")
                accepted += 1
            }
            if number % 16 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
