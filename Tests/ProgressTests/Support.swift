#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPTypes
import TestSupport

/// Keeps the reports of a call, in order.
final class ReportLog: Sendable {
    private let kept = Locked<[TransferProgress]>([])

    func add(_ report: TransferProgress) {
        kept.withLock { $0.append(report) }
    }

    var reports: [TransferProgress] { kept.withLock { $0 } }

    /// Each report in short.
    var lines: [String] { reports.map(\.line) }

    func lines(_ view: TransferProgress.View) -> [String] { reports.filter { $0.view == view }.map(\.line) }
}

extension TransferProgress {
    /// "down 3/10", "up 0/?, attempt 2", "down 10/10 finished": direction, bytes, state unless running, attempt after
    /// the first.
    var line: String {
        var text = (direction == .upload ? "up" : "down") + " \(completed)/" + (expected.map { "\($0)" } ?? "?")
        if state != .running { text += " \(state)" }
        if attempt > 1 { text += ", attempt \(attempt)" }
        return text
    }
}

extension Request {
    func observed(by log: ReportLog) -> Request {
        progress { log.add($0) }
    }

    static let sample = Request.get("https://example.com/file")

    static func sampleUpload(_ body: HTTPBody) -> Request {
        .put("https://example.com/file", body: body)
    }
}

/// So many bytes in chunks of a size.
func chunks(_ sizes: Int...) -> [Data] {
    sizes.map { Data(repeating: 0x61, count: $0) }
}

/// A body that gives so many bytes in each chunk.
func body(_ sizes: Int..., declaring length: Int64? = nil, replayable: Bool = true) -> HTTPBody {
    .chunks(sizes.map { Data(repeating: 0x62, count: $0) }, length: length, replayable: replayable)
}

/// Sends the request again until it has been sent so often.
func resending(_ times: Int, phase: Phase = .retry) -> ClosureMiddleware {
    ClosureMiddleware("Resending", phase: phase) { request, next in
        for _ in 1..<times {
            let copy = request
            let response = try await next(copy)
            await response.body.drain()
        }
        return try await next(request)
    }
}

struct Provoked: Error {}
#endif
