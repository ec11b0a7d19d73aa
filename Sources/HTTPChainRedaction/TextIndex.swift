import HTTPChainSupport

/// An index of positions in a text.
///
/// Each is found once and then reused, so that looking ahead and back takes linear time in total.
///
/// Short distances are searched directly, so that short texts need no tables.
final class TextIndex {
    /// A kind of position to search for.
    enum Mark: Int, CaseIterable {
        case equals, at, hash, less, greater, angle, newline, formData, response
    }

    /// A walk through the text; its continuation depends only on the current position.
    enum Walk {
        case line, parameters
        /// The number is that of the times that delimiters are percent-encoded.
        case url(level: Int), token(level: Int), path(level: Int)

        fileprivate static let count = 2 + 3 * levels
        private static let levels = SecretUnit.deepest + 1

        fileprivate var index: Int {
            switch self {
            case .line: 0
            case .parameters: 1
            case .url(let level): 2 + level
            case .token(let level): 2 + Self.levels + level
            case .path(let level): 2 + 2 * Self.levels + level
            }
        }
    }

    /// The number of positions that are searched before a table is created.
    static let near = 24

    private let bytes: [UInt8]
    private var found: [[Int]?] = Mark.allCases.map { _ in nil }
    private var ends: [[Int]] = []
    private var passed: [Int] = []
    private var punctuation: (start: Int, end: Int)?
    private var backslashEnds: [Int]?
    private(set) lazy var brackets = Brackets(bytes)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the unit at an index, which must be within the text.
    func reading(at index: Int) -> SecretUnit {
        guard bytes[index] == UInt8(ascii: "\\") else { return SecretUnit(bytes, at: index) }
        return SecretUnit(bytes, at: index, afterBackslashes: afterBackslashes(from: index))
    }

    // MARK: Marks

    /// Returns the first position of a mark at or after an index.
    ///
    /// - Parameters:
    ///   - mark: The kind of position.
    ///   - start: The index.
    ///   - near: The number of positions that are searched before a table is used.
    func first(_ mark: Mark, from start: Int, near: Int = TextIndex.near) -> Int? {
        let near = min(bytes.count, start + near)
        for position in start..<max(start, near) {
            Steps.take()
            if isMark(mark, at: position) { return position }
        }
        guard near < bytes.count else { return nil }
        let places = places(of: mark)
        let index = places.sortedIndex { $0 >= start }
        return index < places.count ? places[index] : nil
    }

    /// Returns the last position of a mark within a range.
    func last(_ mark: Mark, in range: Range<Int>) -> Int? {
        var position = range.upperBound
        while position > max(range.lowerBound, range.upperBound - Self.near) {
            Steps.take()
            position -= 1
            if isMark(mark, at: position) { return position }
        }
        guard position > range.lowerBound else { return nil }
        let places = places(of: mark)
        let index = places.sortedIndex { $0 >= range.upperBound } - 1
        return index >= 0 && places[index] >= range.lowerBound ? places[index] : nil
    }

    private func places(of mark: Mark) -> [Int] {
        if let known = found[mark.rawValue] { return known }
        Steps.take(bytes.count)
        let places = bytes.indices.filter { isMark(mark, at: $0) }
        found[mark.rawValue] = places
        return places
    }

    private func isMark(_ mark: Mark, at position: Int) -> Bool {
        let byte = bytes[position]
        switch mark {
        case .equals: return byte == UInt8(ascii: "=")
        case .at: return byte == UInt8(ascii: "@")
        case .hash: return byte == UInt8(ascii: "#")
        case .less: return byte == UInt8(ascii: "<")
        case .greater: return byte == UInt8(ascii: ">")
        case .angle: return byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
        case .newline: return byte.isNewline
        case .formData:
            return byte | 0x20 == UInt8(ascii: "f")
                && bytes[position...].lazy.map(SecretNames.folded).starts(with: "form-data".utf8)
        case .response: return byte == UInt8(ascii: "r") && bytes[position...].starts(with: "response=".utf8)
        }
    }

    // MARK: Walks

    /// Returns the end of a walk.
    ///
    /// - Parameters:
    ///   - near: The number of positions that are passed before positions are stored.
    ///   - next: A closure that returns the position after another one, or nil if the walk ends there.
    func end(of walk: Walk, from start: Int, near: Int = TextIndex.near, next: (Int) -> Int?) -> Int {
        var position = start
        for _ in 0..<near {
            Steps.take()
            if position >= bytes.count { return bytes.count }
            guard let next = next(position) else { return position }
            position = next
        }
        // Most walks in a long URL join an earlier one immediately, and needn't take a table out of `ends`.
        if let end = knownEnd(of: walk, at: position) { return end }
        if ends.isEmpty { ends = Array(repeating: [], count: Walk.count) }
        var known: [Int] = []
        swap(&known, &ends[walk.index])
        if known.isEmpty { known = Array(repeating: -1, count: bytes.count) }
        var end = bytes.count
        var passed: [Int] = []
        swap(&passed, &self.passed)
        while position < bytes.count {
            Steps.take()
            if known[position] >= 0 {
                end = known[position]
                break
            }
            passed.append(position)
            guard let next = next(position) else {
                end = position
                break
            }
            position = next
        }
        for position in passed { known[position] = end }
        passed.removeAll(keepingCapacity: true)
        swap(&passed, &self.passed)
        swap(&known, &ends[walk.index])
        return end
    }

    private func knownEnd(of walk: Walk, at position: Int) -> Int? {
        Steps.take()
        guard !ends.isEmpty, position < ends[walk.index].count else { return nil }
        let end = ends[walk.index][position]
        return end >= 0 ? end : nil
    }

    /// Returns the end of the text before an index, without trailing punctuation.
    func beforePunctuation(_ end: Int) -> Int {
        if let known = punctuation, known.end == end { return known.start }
        var start = end
        while start > 0, ByteSet.credentialTrailers.contains(bytes[start - 1]) {
            Steps.take()
            start -= 1
        }
        punctuation = (start, end)
        return start
    }

    /// Returns the end of the backslashes at an index, but skips at most 64.
    func afterBackslashes(from start: Int) -> Int {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "\\") else {
            return start < bytes.count && bytes[start] == UInt8(ascii: "\\") ? start + 1 : start
        }
        let known = backslashEnds ?? findBackslashEnds()
        return min(known[start], start + 64)
    }

    private func findBackslashEnds() -> [Int] {
        Steps.take(bytes.count)
        var result = Array(bytes.indices)
        for index in bytes.indices.reversed() where bytes[index] == UInt8(ascii: "\\") {
            result[index] = index + 1 < bytes.count ? result[index + 1] : index + 1
        }
        backslashEnds = result
        return result
    }
}

/// The brackets of any kind in text, and their matches.
struct Brackets {
    private var positions: [Int] = []
    /// The innermost bracket that is open after each position, as an index of `positions`.
    private var open: [Int?] = []
    /// The position of the closing bracket for each position.
    private var closers: [Int?] = []
    /// The closing brackets without an opening one.
    private var strays: [Int] = []

    init(_ bytes: [UInt8]) {
        Steps.take(bytes.count)
        var pending: [Int] = []
        for (position, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): pending.append(positions.count)
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
                if let last = pending.popLast() { closers[last] = position } else { strays.append(position) }
            default: continue
            }
            positions.append(position)
            closers.append(nil)
            open.append(pending.last)
        }
    }

    /// Returns the innermost bracket before an index that is still open there.
    func opening(before index: Int) -> Int? { innermost(at: index).map { positions[$0] } }

    /// Returns the first bracket at or after an index that closes a bracket before the index.
    func closing(from index: Int) -> Int? {
        if let open = innermost(at: index) { return closers[open] }
        let next = strays.sortedIndex { $0 >= index }
        return next < strays.count ? strays[next] : nil
    }

    private func innermost(at index: Int) -> Int? {
        let count = positions.sortedIndex { $0 >= index }
        return count > 0 ? open[count - 1] : nil
    }
}
