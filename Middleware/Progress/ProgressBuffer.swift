/// Reports that wait for a slow observer: the newest take the place of those that nobody needs any more.
///
/// It never holds more than ``limit``, and the last one that was put in is always among them.
struct ProgressBuffer: Sendable {
    static let limit = 16

    private var reports: [TransferProgress] = []

    /// Puts a report in, in place of one of the same transfer that it outdates.
    mutating func append(_ report: TransferProgress) {
        // Only the last can be outdated: what lies before it was followed by something that matters.
        if let last = reports.last, Self.isOutdated(last, by: report) { reports.removeLast() }
        if reports.count >= Self.limit {
            reports.remove(at: reports.firstIndex { $0.state == .running } ?? 0)
        }
        reports.append(report)
    }

    /// Takes the oldest report out.
    mutating func popFirst() -> TransferProgress? {
        reports.isEmpty ? nil : reports.removeFirst()
    }

    var count: Int { reports.count }

    /// A first report (0 bytes) stays: it is what shows that something began, or began again.
    private static func isOutdated(_ old: TransferProgress, by new: TransferProgress) -> Bool {
        old.state == .running && new.state == .running && old.completed > 0 && old.call == new.call
            && old.view == new.view && old.direction == new.direction && old.attempt == new.attempt
    }
}
