import HTTPChainSupport

/// Formats rows of text in columns; the first row is the heading.
package enum TextTable {
    package static func format(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map { $0.onOneLine().printable() } }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
