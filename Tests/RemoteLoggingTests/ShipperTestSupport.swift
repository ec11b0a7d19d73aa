#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import Metrics

/// One line for each record: `info garden watered`, and its attributes.
struct LineFormat: LogWireFormat {
    struct Unencodable: Error {}

    /// A record with this message cannot be encoded.
    static let unencodable = "unencodable"

    let contentType = "text/x-lines"

    func encode(_ batch: LogBatch) throws -> Data {
        var text = ""
        for record in batch.records {
            if record.message == Self.unencodable { throw Unencodable() }
            text += "\(record.level) \(record.component) \(record.message)"
            for attribute in record.attributes {
                text += " \(attribute.name)=\(attribute.value.integer.map(String.init) ?? "?")"
            }
            text += "\n"
        }
        return Data(text.utf8)
    }

    /// `rejected 3` in the body of a good answer means what it says.
    func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        let words = String(decoding: body, as: UTF8.self).split(separator: " ")
        if head.status == .ok, words.first == "rejected", let count = words.last.flatMap({ Int($0) }) {
            return .accepted(rejected: count, message: "some were bad")
        }
        return LogReceipt(status: head.status)
    }
}

func entry(_ message: String, _ level: Logger.Level = .info, component: String = "garden") -> LogRecord {
    LogRecord(date: Date(timeIntervalSince1970: 0), level: level, component: component, message: message)
}

extension LogShipper {
    /// Makes a shipper of lines over a transport of the test.
    convenience init(
        over transport: any Transport,
        settings: Settings = Settings(),
        environment: ChainEnvironment = .live,
        metrics: (any MetricsFactory)? = nil
    ) {
        self.init(
            to: ShipperFixture.url,
            format: LineFormat(),
            resource: LogResource(serviceName: "plants"),
            over: transport,
            settings: settings,
            environment: environment,
            metrics: metrics
        )
    }
}

/// A shipper over a transport in memory, on a clock that the test moves.
struct ShipperFixture: Sendable {
    static let url = "https://logs.example.com/v1/logs"

    let clock = VirtualClock()
    let transport = InMemoryTransport()
    let shipper: LogShipper
    private let seen = Watched<[String]>([])

    init(
        _ settings: LogShipper.Settings = .standard,
        levels: LogLevels = LogLevels(.trace),
        answer: InMemoryTransport.Handler? = nil,
        filter: (@Sendable (LogRecord) -> Bool)? = nil
    ) {
        if let answer { transport.on(.post, "*", answer: answer) }
        let seen = seen
        shipper = LogShipper(
            to: Self.url,
            format: LineFormat(),
            resource: LogResource(serviceName: "plants"),
            over: transport,
            settings: settings,
            levels: levels,
            environment: .virtual(clock),
            filter: filter,
            observer: { event in seen.update { $0.append(Self.text(event)) } }
        )
    }

    /// Everything is taken.
    static func taking(_ settings: LogShipper.Settings = .standard) -> ShipperFixture {
        ShipperFixture(settings) { _ in Response(.ok) }
    }

    /// What the observer was told, in short.
    var events: [String] { seen.value }

    /// The lines of each request, in order.
    var requests: [[String]] {
        transport.requests.map { $0.text.split(separator: "\n").map(String.init) }
    }

    /// The last words of the lines of the requests that were taken.
    var delivered: [String] {
        transport.requests.filter { $0.response?.status.kind == .successful }
            .flatMap { $0.text.split(separator: "\n") }.map { String($0.split(separator: " ")[2]) }
    }

    func log(_ messages: String..., level: Logger.Level = .info) {
        for message in messages { shipper.log(entry(message, level)) }
    }

    /// Waits until the observer was told so much.
    func waitForEvents(_ count: Int) async throws {
        try await seen.wait { $0.count >= count ? () : nil }
    }

    private static func text(_ event: LogShipper.Event) -> String {
        switch event {
        case .acknowledged(let records, let rejected, _): "acknowledged \(records - rejected), rejected \(rejected)"
        case .retrying(let records, let pause, _): "retrying \(records) after \(pause)"
        case .refused(let records, _): "refused \(records)"
        case .gaveUp(let records, _): "gave up \(records)"
        case .unencodable(let records, _): "unencodable \(records)"
        }
    }
}

extension LogShipper.Statistics {
    /// Everything that was accepted is somewhere.
    var isBalanced: Bool {
        let lost = [LogShipper.DropReason.displaced, .refused, .gaveUp, .unencodable, .abandoned]
            .reduce(0) { $0 + drops[$1].total }
        return accepted + recovered == queuedRecords + inFlight + acknowledged + rejected + lost
    }
}
#endif
