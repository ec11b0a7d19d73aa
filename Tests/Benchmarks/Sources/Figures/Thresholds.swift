import Foundation

/// The bounds of counts, sizes and ratios: a file of `name max` and `name >= min` lines.
struct Thresholds {
    /// One line of the file.
    struct Bound {
        let name: String
        let value: Double
        let isLeast: Bool

        /// The bound in words, as it stands in a failure.
        var words: String { isLeast ? "at least \(value)" : "at most \(value)" }

        /// Whether a figure is within it; one that is not a number never is.
        func holds(for figure: Figure) -> Bool {
            if isLeast { return figure.value >= value }
            // A count is a mean over many calls, in which what grows now and then leaves some hundredths.
            return figure.value <= (figure.unit == "count" ? value + 0.1 : value)
        }
    }

    let bounds: [Bound]

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
        try self.init(String(contentsOf: url, encoding: .utf8))
    }

    /// - Throws: ``Malformed`` for a line that is no bound, and for a name that no suite's figures begin with.
    init(_ text: String, suites: [Suite] = Suite.all) throws {
        let prefixes = Set(suites.flatMap(\.prefixes))
        bounds = try text.split(separator: "\n").compactMap { line in
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { return nil }
            let isLeast = words.count == 3 && words[1] == ">="
            guard words.count == 2 || isLeast, let value = words.last.flatMap({ Double($0) }) else {
                throw Malformed(description: "\"\(line)\" is neither \"name max\" nor \"name >= min\"")
            }
            guard prefixes.contains(String(words[0].prefix { $0 != "." })) else {
                throw Malformed(description: "\"\(line)\": no suite has figures of that name")
            }
            return Bound(name: String(words[0]), value: value, isLeast: isLeast)
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
        return bounds.compactMap { bound in
            guard prefixes.contains(String(bound.name.prefix { $0 != "." })) else { return nil }
            guard countsAllocations || !bound.name.hasSuffix(".allocations") else { return nil }
            guard let figure = figures.first(where: { $0.name == bound.name }) else {
                return "\(bound.name): missing (\(bound.words))"
            }
            guard !bound.holds(for: figure) else { return nil }
            let distance = Figure.format(abs(figure.value - bound.value), digits: 3)
            return "\(bound.name): \(figure.value) \(figure.unit), \(distance) beyond the threshold of \(bound.words)"
        }
    }

    /// Shows on made-up figures that a bound can fail: a check that cannot is none.
    ///
    /// - Throws: ``Malformed`` with what passed or failed against its bound.
    static func prove() throws {
        let suite = Suite(name: "proof", prefixes: ["proof"]) { [] }
        let thresholds = try Thresholds("proof.most 1\nproof.least >= 0.5 # of C\n", suites: [suite])
        func fails(_ most: Double?, _ least: Double) -> Int {
            let figures = [
                most.map { Figure(name: "proof.most", value: $0, unit: "x") },
                Figure(name: "proof.least", value: least, unit: "x"),
            ]
            return thresholds.failures(in: figures.compactMap(\.self), of: [suite], countsAllocations: true).count
        }
        let proofs = [
            fails(1, 0.5) == 0, fails(1.01, 0.5) == 1, fails(1, 0.49) == 1, fails(nil, 0.5) == 1,
            fails(.nan, .nan) == 2,
        ]
        guard !proofs.contains(false) else { throw Malformed(description: "the thresholds do not hold: \(proofs)") }
        for wrong in ["proof", "proof 1 2", "proof > 1", "proof.x high", "prof.x 1"] {
            guard (try? Thresholds(wrong, suites: [suite])) == nil else {
                throw Malformed(description: "\"\(wrong)\" is taken for a threshold")
            }
        }
    }
}
