import HTTPChainSupport

extension Trace {
    /// The trace as a table with a row for each span, followed by its changes.
    public var description: String {
        var rows = [["stage", "phase", "began", "took", "own", "outcome"]]
        for span in spans {
            rows.append([
                String(repeating: "  ", count: span.depth) + span.name,
                span.phase,
                Self.milliseconds(span.start),
                Self.milliseconds(span.duration),
                Self.milliseconds(span.ownTime),
                "\(span.outcome)",
            ])
        }
        var lines = TextTable.format(rows).pieces(at: "\n", omittingEmptySubsequences: false).map(String.init)
        for span in spans.reversed() {
            let indent = String(repeating: "  ", count: span.depth + 2)
            lines.insert(contentsOf: span.lines.map { indent + $0 }, at: span.id + 2)
        }
        let heading = "\(request) → \(outcome) in \(Self.milliseconds(duration))"
        return ([heading, ""] + lines).joined(separator: "\n")
    }

    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = (duration / .microseconds(1)).rounded()
        let (whole, fraction) = Int64(microseconds).quotientAndRemainder(dividingBy: 1000)
        return "\(whole).\(CivilTime.padded(Int(fraction), 3)) ms"
    }
}

extension Trace.Span {
    /// The span's changes and the stage's notes, one line each.
    var lines: [String] {
        var lines = optionsRead.map { "reads \($0)" }
        for (call, changes) in requestChanges.enumerated() {
            let label = requestChanges.count > 1 ? "request \(call + 1)" : "request"
            lines += changes.map { "\(label) \($0)" }
        }
        return lines + notes + responseChanges.map { "response \($0)" }
    }
}
