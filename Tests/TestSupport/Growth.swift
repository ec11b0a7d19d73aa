#if DEBUG && !canImport(Darwin)
import Foundation
import HTTPChainSupport
package import HTTPChainTesting

/// Texts that are composed of the literals of the code that reads them, to prove that its work grows no faster than
/// they do.
///
/// Steps are counted (`Steps`), and so a slow machine changes nothing. A new literal in the code joins by itself.
package struct Growth: Sendable {
    /// The work that grows faster than the text.
    package struct Excess: Sendable, CustomStringConvertible {
        /// The steps for each of the sizes.
        package let steps: [Int]
        /// The shortest of the texts.
        package let text: String

        package var description: String {
            "\(steps) steps for 1, 2, 4 and 8 times \(text.prefix(300).debugDescription)"
        }
    }

    /// The most by which steps grow if a text is twice as long.
    private static let factor = 2.2
    private static let sizes = [1, 2, 4, 8]

    private let pieces: [String]

    /// Collects the literals of Swift files and of those in folders, such as "Sources/HTTPChainRedaction".
    ///
    /// - Parameter further: Texts that join them, such as a head without which nothing is read.
    package init(literalsOf folders: [String], and further: [String] = []) throws {
        let root = Repository.root
        var pieces = Set(further + ["a", "1", " ", "\n", "\r\n", "\u{E9}"])
        for folder in folders {
            let place = root.appending(path: folder)
            let names =
                folder.hasSuffix(".swift") ? [""] : try FileManager.default.subpathsOfDirectory(atPath: place.path)
            for name in names where (folder + name).hasSuffix(".swift") {
                let file = name.isEmpty ? place : place.appending(path: name)
                pieces.formUnion(Self.literals(in: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        self.pieces = pieces.sorted()
    }

    /// The number of literals.
    package var count: Int { pieces.count }

    /// The literals of a file: those of one character that stand close to each other also as one.
    static func literals(in source: String) -> Set<String> {
        var found: Set<String> = []
        for line in source.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            var row = ""
            for match in line.matches(of: /"((?:[^"\\]|\\.)*)"/) {
                var text = String(match.1)
                for (escape, meant) in [
                    (#"\\"#, "\\"), (#"\""#, "\""), (#"\n"#, "\n"), (#"\r"#, "\r"), (#"\t"#, "\t"), (#"\0"#, "\0"),
                ] {
                    text = text.replacing(escape, with: meant)
                }
                // What is interpolated is left out; what stands for anything in a name is no part of it.
                text = text.replacing(/\\\([^)]*\)/, with: "").replacing("*", with: "")
                guard !text.isEmpty, text.utf8.count <= 60 else { continue }
                found.insert(text)
                if text.utf8.count == 1 { row += text } else { row = "" }
                if row.utf8.count > 1 { found.insert(row) }
            }
        }
        return found
    }

    /// Looks for a text over which work grows too fast.
    ///
    /// - Parameters:
    ///   - count: The number of texts that are tried, at each of four sizes.
    ///   - size: The size of the shortest ones, in bytes.
    ///   - numbers: Chooses the texts.
    ///   - work: Reads a text; what it throws is a result like any other.
    package func excess(
        among count: Int,
        size: Int = 512,
        using numbers: SeededRandom,
        work: @Sendable (String) async throws -> Void
    ) async -> Excess? {
        for _ in 0..<count {
            let make = text(using: numbers)
            var steps: [Int] = []
            for factor in Self.sizes { steps.append(await self.steps(of: work, make(size * factor, 0))) }
            for (index, large) in zip(Self.sizes.indices, steps.dropFirst()) {
                let bytes = size * Self.sizes[index]
                guard Self.isTooMuch(large, after: steps[index], bytes) else { continue }
                // How rows pair off at their end may differ for two sizes; not so for six of each.
                var sums = (small: 0, large: 0)
                for further in 1...6 {
                    sums.small += await self.steps(of: work, make(bytes, further))
                    sums.large += await self.steps(of: work, make(2 * bytes, further))
                }
                if Self.isTooMuch(sums.large, after: sums.small, 6 * bytes) {
                    return Excess(steps: steps, text: make(size, 0))
                }
            }
        }
        return nil
    }

    /// Returns the most steps that work takes for one of some texts.
    ///
    /// - Parameters:
    ///   - count: The number of texts.
    ///   - size: Their size, in bytes.
    ///   - numbers: Chooses the texts.
    ///   - work: Reads a text; what it throws is a result like any other.
    package func most(
        among count: Int,
        size: Int,
        using numbers: SeededRandom,
        work: @Sendable (String) async throws -> Void
    ) async -> Int {
        var most = 0
        for _ in 0..<count { most = max(most, await steps(of: work, text(using: numbers)(size, 0))) }
        return most
    }

    private func steps(of work: @Sendable (String) async throws -> Void, _ text: String) async -> Int {
        await Steps.counted { _ = try? await work(text) }
    }

    /// Whether steps grow too much; one for each byte is always allowed, since many a reader stops at the first mistake.
    private static func isTooMuch(_ large: Int, after small: Int, _ bytes: Int) -> Bool {
        Double(large) > factor * Double(max(small, bytes))
    }

    /// A text of any size: a beginning, one or two rows of the same few literals, and an end.
    ///
    /// The maker that it returns takes the size, and how often each row is repeated beyond it.
    private func text(using numbers: SeededRandom) -> (_ size: Int, _ further: Int) -> String {
        func below(_ count: Int) -> Int { Int(numbers.next() % UInt64(count)) }
        func some(_ range: ClosedRange<Int>) -> String {
            (0..<(range.lowerBound + below(range.count))).map { _ in pieces[below(pieces.count)] }.joined()
        }
        let (beginning, end) = (some(0...2), some(0...2))
        let rows = [some(1...5), below(2) == 0 ? some(1...3) : ""].filter { !$0.isEmpty }
        return { size, further in
            let share = size / max(1, rows.count)
            let repeated = rows.map { String(repeating: $0, count: max(1, share / $0.utf8.count) + further) }
            return beginning + repeated.joined() + end
        }
    }
}
#endif
