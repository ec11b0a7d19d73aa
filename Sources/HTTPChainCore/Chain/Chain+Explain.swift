extension Chain {
    /// The chain as a table: order, phase, what each stage does and how it is set, and the transport with what it
    /// offers.
    ///
    /// Secrets are redacted.
    public func explain() -> String {
        var rows = [["", "phase", "stage", "what it does", "settings"]]
        for (index, stage) in stages.enumerated() {
            let summary = stage.summary
            rows.append([
                "\(index + 1)", stage.phase.name, summary.name, summary.purpose,
                summary.settings.map { "\($0.name): \($0.value)" }.joined(separator: "; "),
            ])
        }
        rows.append(["→", "", transport.name, "transport", "\(transport.capabilities)"])
        return TextTable.format(rows)
    }
}

/// Lays out rows of text in columns; the first row is the heading.
package enum TextTable {
    package static func format(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") } }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
