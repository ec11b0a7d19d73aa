import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging

extension ShipperCore {
    /// A part of a batch that is sent separately.
    ///
    /// It is the whole batch, unless that is too large for the receiver.
    private struct Part {
        var records: [LogRecord]
        /// Whether the last record reports losses.
        var reports: Bool
        let content: Data

        /// The number of records from the batch.
        var count: Int { reports ? records.count - 1 : records.count }

        /// The numbers of those records by level.
        var levels: LogLevelCounts {
            var levels = LogLevelCounts()
            for record in records.prefix(count) { levels[record.level] += 1 }
            return levels
        }
    }

    /// Sends a batch until all of its parts are settled, or the worker is dismissed.
    func deliver(_ batch: OutgoingBatch) async {
        var records = batch.records
        if let drops = batch.reported {
            records.append(DropReport.record(of: drops, date: environment.time.date))
        }
        guard let whole = encode(records, reports: batch.reported != nil, of: batch) else {
            return await settle(batch, .lost(.unencodable))
        }
        var parts = [whole]
        var isRetry = false
        while let part = parts.popLast() {
            var retries = ExportRetries(settings)
            attempts: while true {
                guard !Task.isCancelled else { return await settle(batch, .interrupted) }
                state.withLock { $0.attempt(batch.id, records: part.count, isRetry: isRetry) }
                isRetry = true
                switch await attempt(part.content) {
                case .accepted(let rejected, let message):
                    let rejected = min(rejected, part.count)
                    let event = LogShipper.Event.acknowledged(
                        records: part.count,
                        rejected: rejected,
                        message: message
                    )
                    if parts.isEmpty { return await settle(batch, .acknowledged(rejected: rejected), event) }
                    state.withLock {
                        $0.acknowledge(part.levels, rejected: rejected, reports: part.reports, of: batch.id)
                    }
                    observer?(event)
                    isRetry = false
                    break attempts
                case .tooLarge(let failure):
                    state.withLock { $0.note(failure) }
                    if let halves = halves(of: part, batch) {
                        parts += halves.reversed()
                        observer?(.retrying(records: part.count, after: .zero, failure: failure))
                        break attempts
                    }
                    if await isOver(part, parts, .refused, failure, batch) { return }
                    break attempts
                case .refused(let failure):
                    state.withLock { $0.note(failure) }
                    if await isOver(part, parts, .refused, failure, batch) { return }
                    break attempts
                case .again(let asked, let isAmbiguous, let holdsOthers, let failure):
                    state.withLock { $0.note(failure) }
                    let step = retries.step(
                        asked: asked,
                        isAmbiguous: isAmbiguous,
                        isUrgent: state.withLock { $0.isUrgent(batch: batch.id) },
                        random: environment.random
                    )
                    guard case .wait(let pause, let isAsked) = step else {
                        if await isOver(part, parts, .gaveUp, failure, batch) { return }
                        break attempts
                    }
                    observer?(.retrying(records: part.count, after: pause, failure: failure))
                    publish()
                    if !isAsked, !holdsOthers { wake(state.withLock { $0.pause(batch.id) }) }
                    if await wait(pause, isAsked: isAsked, for: batch) { retries.hurry() }
                case nil: break
                }
            }
        }
    }

    /// Settles a part of a batch that won't be retried.
    ///
    /// - Returns: Whether it was the last part, so that the batch is settled.
    private func isOver(
        _ part: Part,
        _ rest: [Part],
        _ reason: LogShipper.DropReason,
        _ failure: any Error,
        _ batch: OutgoingBatch
    ) async -> Bool {
        let event: LogShipper.Event =
            reason == .gaveUp
            ? .gaveUp(records: part.count, failure: failure) : .refused(records: part.count, failure: failure)
        if rest.isEmpty {
            await settle(batch, .lost(reason), event)
            return true
        }
        state.withLock { $0.lose(part.levels, reason, reports: part.reports, of: batch.id) }
        observer?(event)
        return false
    }

    /// Returns the two halves of a part that is too large, or `nil` if it is one record or a half can't be encoded.
    private func halves(of part: Part, _ batch: OutgoingBatch) -> [Part]? {
        guard part.records.count > 1 else { return nil }
        let middle = part.records.count / 2
        let first = Array(part.records[..<middle])
        let second = Array(part.records[middle...])
        guard let one = destination.encode(first).content, let other = destination.encode(second).content else {
            return nil
        }
        return [
            Part(records: first, reports: false, content: one),
            Part(records: second, reports: part.reports, content: other),
        ]
    }

    /// Waits before a retry.
    ///
    /// - Returns: Whether the wait ended early because a flush needs the batch to be delivered.
    private func wait(_ pause: Duration, isAsked: Bool, for batch: OutgoingBatch) async -> Bool {
        let instant = environment.time.elapsed + pause
        if isAsked {
            await environment.time.wait(until: instant)
            return false
        }
        await batch.signal.wait(until: instant, on: environment.time)
        return environment.time.elapsed < instant
    }

    /// Encodes the content of a batch.
    ///
    /// Records that can't be encoded are counted as lost.
    private func encode(_ records: [LogRecord], reports: Bool, of batch: OutgoingBatch) -> Part? {
        let (content, kept, failed, failure) = destination.encode(records)
        guard let failure else { return content.map { Part(records: kept, reports: reports, content: $0) } }
        // The report is the last record.
        let losesReport = reports && failed.last?.component == DropReport.component
        let lost = losesReport ? failed.dropLast() : failed[...]
        observer?(.unencodable(records: lost.count, failure: failure))
        guard let content else { return nil }
        var levels = LogLevelCounts()
        for record in lost { levels[record.level] += 1 }
        state.withLock { $0.lose(levels, .unencodable, reports: losesReport, of: batch.id) }
        return Part(records: kept, reports: reports && !losesReport, content: content)
    }

    /// Sends a batch once, within the timeout.
    ///
    /// - Returns: `nil` if the worker was dismissed first.
    private func attempt(_ content: Data) async -> ExportVerdict? {
        let deadline = environment.time.elapsed + settings.exportTimeout
        let verdict = await withTaskGroup(of: ExportVerdict?.self) { group in
            let signal = WakeSignal()
            let alarm = self.environment.time.alarm(at: deadline, for: "an export of log records") { signal.wake() }
            defer { alarm.cancel() }
            group.addTask {
                await self.destination.send(content, until: deadline, in: self.environment)
            }
            group.addTask {
                await signal.wait()
                return nil
            }
            // The first task to end cancels the other. A response that arrives at the same moment is used too.
            var verdict = await group.next() ?? nil
            group.cancelAll()
            if let other = await group.next() ?? nil { verdict = other }
            return verdict
        }
        if let verdict { return verdict }
        if Task.isCancelled { return nil }
        return .again(
            after: nil,
            isAmbiguous: true,
            holdsOthers: false,
            LogShipperError(.timedOut(settings.exportTimeout))
        )
    }
}
