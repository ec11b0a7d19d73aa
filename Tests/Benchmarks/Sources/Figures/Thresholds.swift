import Foundation

/// The bounds of counts, sizes and ratios: a file of `name max` and `name >= min` lines.
///
/// A line that ends in `unless figure` is passed over where there is a figure of that name: it tells what this machine
/// cannot do.
struct Thresholds {
    /// One line of the file.
    struct Bound {
        let name: String
        let value: Double
        let isLeast: Bool
        /// The figure that takes the bound away.
        let exception: String?

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
            var words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { return nil }
            var exception: String?
            if words.count > 3, words[words.count - 2] == "unless" {
                exception = words.popLast().map(String.init)
                words.removeLast()
            }
            let isLeast = words.count == 3 && words[1] == ">="
            guard words.count == 2 || isLeast, let value = words.last.flatMap({ Double($0) }) else {
                throw Malformed(description: "\"\(line)\" is neither \"name max\" nor \"name >= min\"")
            }
            guard prefixes.contains(String(words[0].prefix { $0 != "." })) else {
                throw Malformed(description: "\"\(line)\": no suite has figures of that name")
            }
            return Bound(name: String(words[0]), value: value, isLeast: isLeast, exception: exception)
        }
    }

    /// The bounds that this machine takes away, each with the figure that says why.
    func exceptions(in figures: [Figure]) -> [String] {
        bounds.filter { isExcepted($0, figures) }.map { "\($0.name) (\($0.words)): \($0.exception ?? "")" }
    }

    private func isExcepted(_ bound: Bound, _ figures: [Figure]) -> Bool {
        bound.exception.map { name in figures.contains { $0.name == name } } ?? false
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
            guard !isExcepted(bound, figures) else { return nil }
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
        let thresholds = try Thresholds(
            "proof.most 1\nproof.least >= 0.5 # of C\nproof.most 0 unless proof.cannot\n",
            suites: [suite]
        )
        func fails(_ most: Double?, _ least: Double, cannot: Bool = true) -> Int {
            let figures = [
                most.map { Figure(name: "proof.most", value: $0, unit: "x") },
                Figure(name: "proof.least", value: least, unit: "x"),
                cannot ? Figure(name: "proof.cannot", value: 1, unit: "count") : nil,
            ]
            return thresholds.failures(in: figures.compactMap(\.self), of: [suite], countsAllocations: true).count
        }
        let proofs = [
            fails(1, 0.5) == 0, fails(1.01, 0.5) == 1, fails(1, 0.49) == 1, fails(nil, 0.5) == 1,
            fails(.nan, .nan) == 2, fails(1, 0.5, cannot: false) == 1, fails(0, 0.5, cannot: false) == 0,
        ]
        guard !proofs.contains(false) else { throw Malformed(description: "the thresholds do not hold: \(proofs)") }
        for wrong in [
            "proof", "proof 1 2", "proof > 1", "proof.x high", "prof.x 1", "proof 1 unless", "proof unless a",
        ] {
            guard (try? Thresholds(wrong, suites: [suite])) == nil else {
                throw Malformed(description: "\"\(wrong)\" is taken for a threshold")
            }
        }
    }
}
