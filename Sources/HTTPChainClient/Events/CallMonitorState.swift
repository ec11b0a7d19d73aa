import HTTPChainCore
import HTTPChainProgress

/// The state of the calls that a ``CallMonitor`` follows, updated on any thread.
///
/// The monitor only shows the newest state. A busy main actor therefore doesn't delay transfers, and events don't pile
/// up.
final class CallMonitorState: Sendable {
    /// The identity of a call: its client, and its number within the client.
    private struct CallName: Hashable {
        let source: ObjectIdentifier
        let number: UInt64
    }

    private struct Transfer {
        var views = ViewChoice()
        var report: TransferProgress?
    }

    /// The values to show.
    struct Summary: Sendable {
        var count = 0
        var progress: TransferProgress?
        var fraction: Double?
        var isWaiting = false
    }

    private struct State {
        var running: Set<CallName> = []
        /// The running calls that wait for a network.
        var waiting: Set<CallName> = []
        var transfers: [CallName: Transfer] = [:]
        var latest: TransferProgress?
        var version = 0
        var isOver = false

        var summary: Summary {
            let reports = transfers.values.compactMap(\.report)
            var fraction = latest?.fraction
            if reports.count > 1 {
                let fractions = reports.compactMap(\.fraction)
                fraction = fractions.count == reports.count ? fractions.reduce(0, +) / Double(fractions.count) : nil
            }
            return Summary(count: running.count, progress: latest, fraction: fraction, isWaiting: !waiting.isEmpty)
        }

        mutating func note(_ event: CallEvent) {
            let name = CallName(source: event.source, number: event.call)
            if event.change.isEnd { waiting.remove(name) }
            switch event.change {
            case .waitingForConnectivity(true): waiting.insert(name)
            case .waitingForConnectivity(false): waiting.remove(name)
            case .willBegin: running.insert(name)
            case .progress(let report): note(report, of: name)
            case .succeeded:
                running.remove(name)
                // The progress of a stream's body is reported after the call has succeeded.
                if transfers[name]?.report?.isLast != false { transfers[name] = nil }
            case .failed, .cancelled:
                running.remove(name)
                transfers[name] = nil
            case .didBegin, .slow, .notStored: break
            }
        }

        private mutating func note(_ report: TransferProgress, of name: CallName) {
            var transfer = transfers[name] ?? Transfer()
            guard transfer.views.admits(report.view) else { return }
            transfer.report = report
            latest = report
            // After the last report about the wire, another attempt of a running call may follow.
            let isOver = report.isLast && (report.view == .consumer || !running.contains(name))
            transfers[name] = isOver ? nil : transfer
        }
    }

    private let state = Watched(State())

    func note(_ event: CallEvent) {
        state.update { state in
            state.note(event)
            state.version += 1
        }
    }

    /// Ends the iteration over the states.
    func end() {
        state.update { $0.isOver = true }
    }

    /// Waits for a state newer than a version, and returns the newest state; `nil` at the end.
    func newest(after version: Int) async -> (summary: Summary, version: Int)? {
        await state.waitUninterrupted { state -> (summary: Summary, version: Int)?? in
            if state.isOver { return .some(nil) }
            return state.version > version ? (state.summary, state.version) : nil
        }
    }
}
