import Foundation
import HTTPChainHAR

/// Numbers, sizes and times of an archive.
struct Statistics {
    /// One figure a line.
    let lines: [String]

    init(_ archive: HARArchive) {
        let entries = archive.entries
        let times = entries.map(\.time).sorted()
        func share(_ part: Double) -> String {
            times.isEmpty ? "-" : "\(Int(times[min(times.count - 1, Int(Double(times.count) * part))].rounded())) ms"
        }
        let statuses = Dictionary(grouping: entries) { $0.response.status / 100 }
        let hosts = Dictionary(grouping: entries) { URL(string: $0.request.url)?.host ?? "" }
        let sent = entries.reduce(Int64(0)) { $0 + max(0, $1.request.bodySize) }
        let received = entries.reduce(Int64(0)) { $0 + max(0, $1.response.content.size) }
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
