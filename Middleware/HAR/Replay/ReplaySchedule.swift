import Foundation
import HTTPChainCore

/// The times at which parts of content arrive.
struct ReplaySchedule: Sendable {
    /// The time after the head, in milliseconds, and the fraction (0 to 1) of the content that has arrived by then.
    let steps: [(time: Double, share: Double)]

    /// Makes a schedule from the recorded chunks.
    ///
    /// If there are none, all content arrives at the end.
    init(_ entry: HAREntry, factor: Double) {
        let chunks = (entry.customFields["_chunks"]?.array ?? []).compactMap { chunk -> (Double, Double)? in
            guard let time = chunk[0]?.number, let count = chunk[1]?.number, count > 0, time.isFinite else {
                return nil
            }
            // Forged counts with an infinite sum would make the fractions NaN.
            return (time, min(count, 1e18))
        }
        let total = chunks.reduce(0) { $0 + $1.1 }
        guard total > 0 else {
            steps = [(max(0, entry.durations.receive) * factor, 1)]
            return
        }
        var sum = 0.0
        steps = chunks.map { time, count in
            sum += count
            // The stored content may be decoded, so that its length differs from the number of bytes that arrived.
            return (time * factor, sum / total)
        }
    }
}

/// Delivers content on a schedule.
struct ReplayReader: BodyReader {
    private var inner: any BodyReader
    private var rest = Data()
    private var given: Int64 = 0
    private let total: Int64
    private let schedule: ReplaySchedule
    private var step = 0
    /// The error thrown at the end.
    private let ending: (any Error)?
    private let time: any TimeSource
    private let start: Duration

    init(
        inner: sending any BodyReader,
        total: Int64,
        schedule: ReplaySchedule,
        ending: (any Error)?,
        time: any TimeSource
    ) {
        self.inner = inner
        self.total = total
        self.schedule = schedule
        self.ending = ending
        self.time = time
        start = time.elapsed
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if rest.isEmpty {
            guard let chunk = try await inner.read() else {
                if let ending { throw ending }
                return nil
            }
            rest = chunk
        }
        try Task.checkCancellation()
        // Skips steps that add nothing.
        while step < schedule.steps.count - 1, end(of: step) <= given { step += 1 }
        guard step < schedule.steps.count else { return take(rest.count) }
        let due = start + .milliseconds(schedule.steps[step].time)
        try await time.sleep(for: due - time.elapsed)
        let isLast = step == schedule.steps.count - 1
        return take(isLast ? rest.count : min(rest.count, Int(clamping: end(of: step) - given)))
    }

    private func end(of step: Int) -> Int64 { Int64((schedule.steps[step].share * Double(total)).rounded()) }

    private mutating func take(_ count: Int) -> Data {
        let chunk = rest.prefix(count)
        rest = rest.dropFirst(count)
        given += Int64(chunk.count)
        return chunk
    }
}
