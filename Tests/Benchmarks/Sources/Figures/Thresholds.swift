import Foundation

/// The most that counts, sizes and ratios may be: a file of `name max` lines.
struct Thresholds {
    let limits: [(name: String, limit: Double)]

    /// The committed file beside the package's manifest.
    static var file: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Thresholds.txt")
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(contentsOf url: URL) throws {
        let text = try String(contentsOf: url, encoding: .utf8)
        limits = try text.split(separator: "\n").compactMap { line in
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { return nil }
            guard words.count == 2, let limit = Double(words[1]) else {
                throw Malformed(description: "\(url.lastPathComponent): \"\(line)\" is not \"name max\"")
            }
            return (String(words[0]), limit)
        }
    }

    /// What is wrong with the figures, one line for each; nothing when all is well.
    ///
    /// - Parameters:
    ///   - figures: What was measured.
    ///   - suites: The suites that ran; thresholds of others are passed over.
    ///   - countsAllocations: Whether figures of allocations are to be expected.
    func failures(in figures: [Figure], of suites: [Suite], countsAllocations: Bool) -> [String] {
        let prefixes = Set(suites.flatMap(\.prefixes))
        return limits.compactMap { name, limit in
            guard prefixes.contains(String(name.prefix { $0 != "." })) else { return nil }
            guard countsAllocations || !name.hasSuffix(".allocations") else { return nil }
            guard let figure = figures.first(where: { $0.name == name }) else {
                return "\(name): missing (at most \(limit))"
            }
            // A count is a mean over many calls, in which what grows now and then leaves some hundredths.
            let most = figure.unit == "count" ? limit + 0.1 : limit
            // Written so that a figure that is not a number fails.
            guard !(figure.value <= most) else { return nil }
            let excess = Figure.format(figure.value - limit, digits: 3)
            return "\(name): \(figure.value) \(figure.unit), \(excess) over the threshold of \(limit)"
        }
    }
}
