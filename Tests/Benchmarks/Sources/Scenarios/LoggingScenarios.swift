public import Foundation
public import HTTPChainCore
public import HTTPChainLogShipper
import HTTPChainLogSpool
public import HTTPChainRemoteLogging
import HTTPTypes
import Logging

/// Records on their way into a shipper, and out of it.
public enum LoggingScenarios {
    /// A record as an application makes one for a call.
    public static func record(_ number: Int) -> LogRecord {
        LogRecord(
            date: Date(timeIntervalSince1970: 1_700_000_000),
            level: .info,
            component: "http.client",
            message: "GET https://api.example.com/plants/\(number) 200 OK",
            attributes: [
                "http.request.method": "GET", "http.response.status_code": 200,
                "url.full": .string("https://api.example.com/plants/\(number)"),
                "httpchain.duration": 0.0421, "http.response.body.size": 1832,
            ]
        )
    }

    /// A shipper with room for many records.
    public static func shipper(
        over transport: any Transport,
        to url: String = "http://127.0.0.1/logs",
        format: any LogWireFormat = .otlp,
        settings: LogShipper.Settings = LogShipper.Settings()
    ) -> LogShipper {
        LogShipper(
            to: url,
            format: format,
            resource: LogResource(serviceName: "figures"),
            over: transport,
            settings: settings
        )
    }

    /// Settings for 100,000 records a second.
    public static var manyRecords: LogShipper.Settings {
        var settings = LogShipper.Settings()
        settings.queueRecords = 65_536
        settings.queueBytes = .mebibytes(64)
        settings.concurrentExports = 2
        settings.batchRecords = 2048
        settings.batchBytes = .mebibytes(2)
        return settings
    }

    /// One record into a queue: with room and nobody who takes, with a worker that takes, full of records as severe, and
    /// not taken because of its level.
    public static func enqueueing() -> [Scenario] {
        let record = record(42)
        var roomy = manyRecords
        roomy.queueRecords = 1 << 20
        roomy.queueBytes = .gibibytes(1)
        let full = shipper(over: MuteTransport())
        for _ in 0..<10_000 { full.log(record) }
        let draining = shipper(over: CannedTransport(), format: EmptyLogFormat(), settings: roomy)
        return [
            Scenario(name: "logging.enqueue") { [roomy] count in
                let shipper = shipper(over: MuteTransport(), settings: roomy)
                for _ in 0..<count { shipper.log(record) }
                guard shipper.statistics.accepted == count else { throw Lost() }
            },
            Scenario(name: "logging.enqueue.draining") { count in
                let before = draining.statistics
                for _ in 0..<count { draining.log(record) }
                guard draining.statistics.accepted == before.accepted + count else { throw Lost() }
                // It drains: some are taken while others come in, or soon after.
                let end = ContinuousClock.now + .seconds(30)
                while draining.statistics.acknowledged == before.acknowledged {
                    guard ContinuousClock.now < end else { throw Lost() }
                    await Task.yield()
                }
            },
            Scenario(name: "logging.enqueue.full") { count in
                let before = full.statistics
                for _ in 0..<count { full.log(record) }
                let after = full.statistics
                // It is full: each was one too many.
                guard after.accepted - before.accepted + after.dropped - before.dropped == count,
                    after.dropped > before.dropped
                else { throw Lost() }
            },
            Scenario(name: "logging.level.off") { count in
                var taken = 0
                for _ in 0..<count where full.isEnabled(.debug, for: "http.client") { taken += 1 }
                guard taken == 0 else { throw Lost() }
            },
        ]
    }

    /// A shipper with a spool of a gibibyte, and nobody who takes what it sends.
    public static func spoolingShipper(in directory: URL) throws -> LogShipper {
        LogShipper(
            to: "http://127.0.0.1/logs",
            format: .otlp,
            resource: LogResource(serviceName: "figures"),
            over: MuteTransport(),
            settings: manyRecords,
            spool: try LogSpool(directory: directory, limit: .gibibytes(1))
        )
    }

    /// One record into a shipper with a spool, which writes it behind.
    public static func spooling(in directory: URL) throws -> Scenario {
        let record = record(42)
        let shipper = try spoolingShipper(in: directory)
        return Scenario(name: "logging.enqueue.spool") { count in
            let before = shipper.statistics
            for _ in 0..<count { shipper.log(record) }
            while shipper.statistics.unwritten > 0 { try await Task.sleep(for: .milliseconds(1)) }
            guard shipper.statistics.accepted == before.accepted + count else { throw Lost() }
        }
    }

    /// Fills a spool to its limit, and closes it.
    public static func fillSpool(in directory: URL, limit: ByteCount) throws {
        let spool = try LogSpool(directory: directory, limit: limit)
        let records = (0..<512).map { record($0) }
        while spool.append(contentsOf: records).allSatisfy({ $0 == nil }) {}
        spool.close()
    }

    /// A call with a small body, without a logging stage and with one, at each detail, and with one that leaves it out.
    public static func stages() throws -> [Scenario] {
        let answer = HTTPBody(#"{"id":42,"name":"Aloe","height":31,"watered":"2026-11-21T15:19:20Z"}"#)
        let response = Response(.ok, headers: [.contentType: "application/json", .eTag: "\"42\""], body: answer)
        let stages: [(String, (any Middleware)?)] = [
            ("bare", nil), ("summary", RemoteLoggingMiddleware(NoRecords())),
            ("headers", RemoteLoggingMiddleware(NoRecords(), detail: .headers)),
            ("bodies", RemoteLoggingMiddleware(NoRecords(), detail: .bodies)),
            ("sampled.out", RemoteLoggingMiddleware(NoRecords(), filter: .not(.sampled(oneIn: 1)))),
        ]
        return try stages.map { name, stage in
            let chain = try Chain([stage].compactMap { $0 }, transport: CannedTransport(response))
            return Scenario(name: "logging.stage.\(name)") { count in
                for _ in 0..<count {
                    let request = Request.post(
                        "https://api.example.com/plants/42?page=3",
                        headers: [.accept: "application/json", .contentType: "application/json"],
                        body: HTTPBody(#"{"height":32}"#)
                    )
                    guard try await chain.send(request).status == .ok else { throw Lost() }
                }
            }
        }
    }

    private struct Lost: Error {}
}

/// Takes everything and keeps nothing.
private struct NoRecords: LogSink {
    func log(_ record: consuming LogRecord) {}
}

/// No content at all, where only the queue is measured.
private struct EmptyLogFormat: LogWireFormat {
    let contentType = "text/plain"

    func encode(_ batch: LogBatch) throws -> Data { Data() }
}

/// Never answers.
private struct MuteTransport: Transport {
    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        try await request.environment.time.sleep(for: .seconds(3600))
        throw CancellationError()
    }
}

/// A receiver that is not there.
public struct AbsentReceiver: Transport {
    /// Nothing.
    public var capabilities: TransportCapabilities { [] }

    /// Makes the transport.
    public init() {}

    /// Finds no receiver.
    public func send(_ request: consuming Request) async throws -> Response {
        throw TransportError(.cannotConnect, sent: .nothing, stage: "AbsentReceiver")
    }
}
