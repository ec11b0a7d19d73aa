import Foundation
import HTTPChainHAR

extension HAREntry {
    /// The exchange's duration in milliseconds, limited so that it fits in an integer.
    var shownTime: Double { min(time, 1e15) }
}

/// Prints entries in redacted form, because an archive of another program may contain secrets.
struct Show {
    private let archive: HARArchive

    init(_ archive: HARArchive) {
        self.archive = archive.redacted()
    }

    func list() {
        let start = archive.entries.map(\.started).min() ?? Date()
        let total = archive.entries.map { $0.started.timeIntervalSince(start) * 1000 + $0.shownTime }.max() ?? 0
        for (index, entry) in archive.entries.enumerated() {
            let offset = entry.started.timeIntervalSince(start) * 1000
            let columns = [
                Self.padded("\(index + 1)", 4), entry.response.status == 0 ? "  -" : "\(entry.response.status)",
                Self.padded("\(Int(entry.shownTime.rounded())) ms", 9), Self.bar(offset, entry.shownTime, of: total),
                "\(entry.request.method) \(entry.request.url)",
            ]
            print(columns.joined(separator: "  "))
        }
    }

    /// Prints one entry, and returns `false` if there is none.
    func entry(_ number: Int) -> Bool {
        guard archive.entries.indices.contains(number - 1) else {
            printError("there is no entry \(number); the archive has \(archive.entries.count)")
            return false
        }
        let entry = archive.entries[number - 1]
        print("\(entry.request.method) \(entry.request.url)")
        for field in entry.request.headers { print("\(field.name): \(field.value)") }
        if let body = entry.request.body { print("\n\(Self.shown(body, entry.request.contentType))") }
        print("\n\(entry.response.status) \(entry.response.statusText)")
        for field in entry.response.headers { print("\(field.name): \(field.value)") }
        if let body = entry.response.body { print("\n\(Self.shown(body, entry.response.contentType))") }
        let times = ["send", "wait", "receive"].map { "\($0) \(entry.timings[$0] ?? 0) ms" }
        print("\n" + times.joined(separator: ", "))
        return true
    }

    /// Returns a bar that shows an exchange's time relative to the whole archive.
    private static func bar(_ start: Double, _ length: Double, of total: Double) -> String {
        let width = 20
        guard total > 0 else { return String(repeating: " ", count: width) }
        let first = min(width - 1, Int(start / total * Double(width)))
        let count = max(1, min(width - first, Int((length / total * Double(width)).rounded())))
        let after = width - first - count
        return String(repeating: "·", count: first) + String(repeating: "█", count: count)
            + String(repeating: "·", count: after)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func shown(_ body: Data, _ type: String?) -> String {
        guard let text = String(data: body, encoding: .utf8) else {
            return "\(body.count) bytes of \(type ?? "an unknown type")"
        }
        return text.count > 4000 ? text.prefix(4000) + "…" : text
    }
}
