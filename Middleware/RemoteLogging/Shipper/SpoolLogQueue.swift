import HTTPChainCore

/// A queue in files, which survives the process.
///
/// Reading and acknowledging may take long, and are done where nobody waits for the queue; adding is one call of the
/// system. How many records an earlier process has left is an estimate where files were damaged: until the end was seen
/// once, there may always be one more.
struct SpoolLogQueue: LogQueue {
    private struct Outstanding: Sendable {
        let position: LogQueueBatch.Position
        var isSettled = false
    }

    private let spool: LogSpool
    private(set) var latest: Int
    private var waiting: Int
    private(set) var bytes: Int
    private var hasSeenEnd: Bool
    /// Up to where records were taken out.
    private var front: LogSpoolPosition?
    /// What was taken out, in order: an acknowledgement covers all that is before it.
    private var outstanding: [Outstanding] = []

    init(_ spool: LogSpool) {
        self.spool = spool
        let report = spool.report
        waiting = report.pendingRecords
        latest = waiting
        bytes = Int(clamping: report.pendingBytes)
        hasSeenEnd = waiting == 0
    }

    var count: Int { hasSeenEnd ? waiting : max(1, waiting) }

    var oldest: Int? { count == 0 ? nil : min(latest, latest - waiting + 1) }

    mutating func add(
        _ record: LogRecord,
        size: Int,
        displaced: inout LogLevelCounts
    ) -> LogShipper.DropReason? {
        do throws(LogSpoolError) {
            try spool.append(record)
        } catch {
            if case .system = error.problem { return .unwritable }
            return .full
        }
        latest += 1
        waiting += 1
        bytes += size
        return nil
    }

    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext {
        .reading { [spool, front, latest] in
            var front = front
            do throws(LogSpoolError) {
                while let batch = try spool.nextBatch(
                    after: front,
                    maximumRecords: count,
                    maximumBytes: ByteCount(Int64(bytes))
                ) {
                    if !batch.records.isEmpty { return .records(batch.records, batch.position) }
                    // Nothing but damage, which the next batch's acknowledgement covers.
                    front = batch.position
                }
                return .end(after: latest)
            } catch {
                return .failed
            }
        }
    }

    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch? {
        switch reading {
        case .failed: return nil
        case .end(let number):
            hasSeenEnd = true
            waiting = min(waiting, latest - number)
            if waiting == 0 { bytes = 0 }
            return nil
        case .records(let records, let end):
            var levels = LogLevelCounts()
            for record in records {
                levels[record.level] += 1
                bytes -= record.estimatedSize
            }
            let first = min(latest, latest - waiting + 1)
            waiting = max(0, waiting - records.count)
            bytes = waiting == 0 ? 0 : max(0, bytes)
            front = end
            let position = LogQueueBatch.Position(
                first: first,
                last: min(latest, first + records.count - 1),
                spool: end
            )
            outstanding.append(Outstanding(position: position))
            return LogQueueBatch(records: records, levels: levels, position: position)
        }
    }

    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)? {
        if let index = outstanding.firstIndex(where: { $0.position == batch }) { outstanding[index].isSettled = true }
        let settled = outstanding.prefix { $0.isSettled }
        guard let end = settled.last?.position.spool else { return nil }
        outstanding.removeFirst(settled.count)
        // Where it cannot be written down, the next process sends the records again.
        return { [spool] in try? spool.acknowledge(end) }
    }

    mutating func giveBack(_ count: Int) -> Bool {
        waiting += count
        return true
    }

    mutating func abandon() -> LogLevelCounts { LogLevelCounts() }
}
