/// Reports that are waiting for a slow observer.
///
/// New reports replace outdated ones.
///
/// The buffer never holds more than ``limit`` reports, and always includes the last one added.
struct ProgressBuffer: Sendable {
    static let limit = 16

    private var reports: [TransferProgress] = []

    /// Adds a report.
    ///
    /// It replaces the previous one if that is outdated.
    mutating func append(_ report: TransferProgress) {
        // Only the last report can be outdated: earlier ones are followed by a report that doesn't replace them.
        if let last = reports.last, Self.isOutdated(last, by: report) { reports.removeLast() }
        if reports.count >= Self.limit {
            reports.remove(at: reports.firstIndex { $0.state == .running } ?? 0)
        }
        reports.append(report)
    }

    /// Removes and returns the oldest report.
    mutating func popFirst() -> TransferProgress? {
        reports.isEmpty ? nil : reports.removeFirst()
    }

    var count: Int { reports.count }

    /// Returns whether a report is outdated.
    ///
    /// A first report (0 bytes) never is, because it shows that a transfer has begun or restarted.
    private static func isOutdated(_ old: TransferProgress, by new: TransferProgress) -> Bool {
        old.state == .running && new.state == .running && old.completed > 0 && old.call == new.call
            && old.view == new.view && old.direction == new.direction && old.attempt == new.attempt
    }
}
