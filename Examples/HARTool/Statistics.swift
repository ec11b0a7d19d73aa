import Foundation
import HTTPChainHAR

/// The counts, sizes and times of an archive.
struct Statistics {
    /// The lines, with one figure each.
    let lines: [String]

    init(_ archive: HARArchive) {
        let entries = archive.entries
        let times = entries.map(\.shownTime).sorted()
        func share(_ part: Double) -> String {
            times.isEmpty ? "-" : "\(Int(times[min(times.count - 1, Int(Double(times.count) * part))].rounded())) ms"
        }
        let statuses = Dictionary(grouping: entries) { $0.response.status / 100 }
        let hosts = Dictionary(grouping: entries) { URL(string: $0.request.url)?.host ?? "" }
        func sum(_ sizes: [Int64]) -> Int64 {
            sizes.reduce(0) { sum, size in
                let (next, isBeyond) = sum.addingReportingOverflow(max(0, size))
                return isBeyond ? .max : next
            }
        }
        let sent = sum(entries.map(\.request.bodySize))
        let received = sum(entries.map(\.response.contentSize))
        var lines = [
            "written by  \(archive.creator.name) \(archive.creator.version)", "entries     \(entries.count)",
            "sent        \(sent) bytes", "received    \(received) bytes, decoded",
            "time        median \(share(0.5)), 95 % \(share(0.95)), longest \(share(1))",
        ]
        for (kind, group) in statuses.sorted(by: { $0.key < $1.key }) {
            lines.append("\(kind == 0 ? "no answer" : "\(kind)xx      ")   \(group.count)")
        }
        for (host, group) in hosts.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            lines.append("host        \(host): \(group.count)")
        }
        self.lines = lines
    }
}
