import Foundation
import HTTPChainCore
import HTTPChainEventStream

/// What the service tells the harness.
struct Report: Encodable, Sendable {
    struct Event: Encodable, Sendable {
        let type: String
        let data: String
        let id: String?
    }

    let kind: String
    var event: Event?
    var comment: String?
    /// The specification puts the text of an error under `comment`, the harness reads `error` as well.
    var error: String?

    static func event(_ event: ServerSentEvent) -> Report {
        Report(kind: "event", event: Event(type: event.type, data: event.data, id: event.lastEventID))
    }

    static func comment(_ text: String) -> Report { Report(kind: "comment", comment: text) }

    static func error(_ text: String) -> Report { Report(kind: "error", comment: text, error: text) }
}

/// Sends the reports of one stream in their order, numbered from 1.
final class ReportSender: Sendable {
    private let url: String
    private let transport: any Transport
    private let reports: AsyncStream<Report>
    private let continuation: AsyncStream<Report>.Continuation

    init(to url: String, over transport: any Transport) {
        self.url = url
        self.transport = transport
        (reports, continuation) = AsyncStream.makeStream()
    }

    func enqueue(_ report: Report) { continuation.yield(report) }

    func finish() { continuation.finish() }

    /// Sends what is enqueued until ``finish()``; a report that the harness does not take is lost.
    func run() async {
        var number = 0
        for await report in reports {
            number += 1
            guard let request = try? Request.post("\(url)/\(number)", json: report) else { continue }
            _ = try? await transport.send(request).body.drain()
        }
    }
}
