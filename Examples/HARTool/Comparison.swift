import HTTPChainHAR

/// The differences between two archives.
///
/// Each request is compared with the first one that matches.
struct Comparison {
    /// A sentence for each difference.
    let lines: [String]

    init(old: HARArchive, new: HARArchive) {
        let matching = ReplayMatching.standard
        var rest = old.redacted().entries.map { $0 as HAREntry? }
        var lines: [String] = []
        for entry in new.redacted().entries {
            let label = "\(entry.request.method) \(entry.request.url)"
            let index = rest.firstIndex { old in
                old.map { matching.differences(between: entry.request, and: $0.request).isEmpty } ?? false
            }
            guard let index, let old = rest[index] else {
                lines.append("+ \(label)")
                continue
            }
            rest[index] = nil
            lines += Self.differences(old.response, entry.response).map { "~ \(label): \($0)" }
        }
        lines += rest.compactMap { $0 }.map { "- \($0.request.method) \($0.request.url)" }
        self.lines = lines
    }

    private static func differences(_ old: HARResponse, _ new: HARResponse) -> [String] {
        var differences: [String] = []
        if old.status != new.status { differences.append("status \(old.status) is now \(new.status)") }
        if old.contentType != new.contentType {
            differences.append("type \(old.contentType ?? "none") is now \(new.contentType ?? "none")")
        }
        if old.body != new.body {
            differences.append("the content differs (\(old.contentSize) and \(new.contentSize) bytes)")
        }
        return differences
    }
}
