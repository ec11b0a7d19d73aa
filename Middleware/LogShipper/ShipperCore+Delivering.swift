import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging

extension ShipperCore {
    /// Sends a batch until it is settled, or the worker is dismissed.
    func deliver(_ batch: OutgoingBatch) async {
        guard let (content, count) = encode(batch) else { return await settle(batch, .lost(.unencodable)) }
        var retries = ExportRetries(settings)
        var isRetry = false
        while !Task.isCancelled {
            state.withLock { $0.attempt(batch.id, isRetry: isRetry) }
            isRetry = true
            switch await attempt(content) {
            case .accepted(let rejected, let message):
                let event = LogShipper.Event.acknowledged(
                    records: count,
                    rejected: min(rejected, count),
                    message: message
                )
                return await settle(batch, .acknowledged(rejected: rejected), event)
            case .refused(let failure):
                state.withLock { $0.note(failure) }
                return await settle(batch, .lost(.refused), .refused(records: count, failure: failure))
            case .again(let asked, let isAmbiguous, let failure):
                state.withLock { $0.note(failure) }
                let step = retries.step(
                    asked: asked,
                    isAmbiguous: isAmbiguous,
                    isUrgent: state.withLock { $0.isUrgent(batch: batch.id) },
                    random: environment.random
                )
                guard case .wait(let pause, let isAsked) = step else {
                    return await settle(batch, .lost(.gaveUp), .gaveUp(records: count, failure: failure))
                }
                observer?(.retrying(records: count, after: pause, failure: failure))
                publish()
                if await wait(pause, isAsked: isAsked, for: batch) { retries.hurry() }
            case nil:
                break
            }
        }
        await settle(batch, .interrupted)
    }

    /// Waits before a retry.
    ///
    /// - Returns: Whether the wait was cut short because somebody wants the batch delivered.
    private func wait(_ pause: Duration, isAsked: Bool, for batch: OutgoingBatch) async -> Bool {
        let instant = environment.time.elapsed + pause
        if isAsked {
            await environment.time.wait(until: instant)
            return false
        }
        await batch.signal.wait(until: instant, on: environment.time)
        return environment.time.elapsed < instant
    }

    /// The content of a batch and how many records it has; those that cannot be encoded are counted among the lost.
    private func encode(_ batch: OutgoingBatch) -> (content: Data, count: Int)? {
        var records = batch.records
        if let drops = batch.reported {
            records.append(DropReport.record(of: drops, date: environment.time.date))
        }
        let (content, failed, failure) = destination.encode(records)
        guard let failure else { return content.map { ($0, batch.records.count) } }
        // The report stands last.
        let reports = batch.reported != nil && failed.last?.component == DropReport.component
        let lost = reports ? failed.dropLast() : failed[...]
        observer?(.unencodable(records: lost.count, failure: failure))
        guard let content else { return nil }
        var levels = LogLevelCounts()
        for record in lost { levels[record.level] += 1 }
        state.withLock { $0.loseUnencodable(levels, reports: reports, of: batch.id) }
        return (content, batch.records.count - lost.count)
    }

    /// Sends a batch once, within the time allowed.
    ///
    /// - Returns: `nil` when the worker was dismissed first.
    private func attempt(_ content: Data) async -> ExportVerdict? {
        let deadline = environment.time.elapsed + settings.exportTimeout
        let verdict = await withTaskGroup(of: ExportVerdict?.self) { group in
            group.addTask {
                await self.destination.send(content, until: deadline, in: self.environment)
            }
            group.addTask {
                await self.environment.time.wait(until: deadline)
                return nil
            }
            // Whoever ends first ends the other. An answer that comes in the same moment counts too.
            var verdict = await group.next() ?? nil
            group.cancelAll()
            if let other = await group.next() ?? nil { verdict = other }
            return verdict
        }
        if let verdict { return verdict }
        if Task.isCancelled { return nil }
        return .again(after: nil, isAmbiguous: true, LogShipperError(.timedOut(settings.exportTimeout)))
    }
}
