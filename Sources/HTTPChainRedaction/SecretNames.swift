/// The names of secrets, compared without regard to case, hyphens and underscores.
///
/// It is made once for a ``Redaction``. Most words can't be the name of a secret, and checking those needs no
/// allocation.
struct SecretNames: Sendable {
    /// Hashes of whole names.
    private var whole: Set<UInt64> = []
    private var beginnings: [[UInt8]] = []
    private var ends: [[UInt8]] = []
    private var middles: [[UInt8]] = []
    private var shapes: [NameShape] = []
    private var outsideASCII: Set<String> = []
    /// A bit for the last three letters of each name; a word without any of these triples contains none of the names.
    private(set) var tails = TailFilter()

    /// Prepares names; a `*` matches anything, as in `*token`, `x-amz-*` and `x-*-auth`.
    ///
    /// - Parameters:
    ///   - names: The names and patterns.
    ///   - exceptions: The harmless names that a pattern would otherwise match.
    init(_ names: some Sequence<String>, exceptions: [String: [String]] = [:]) {
        for name in names {
            let lowered = name.lowercased()
            var letters = lowered.utf8.filter { !Self.isIgnored($0) }
            if letters.contains(where: { $0 >= 0x80 }) {
                outsideASCII.insert(String(lowered.unicodeScalars.filter { $0 != "-" && $0 != "_" }))
                tails.insertAll()
                continue
            }
            if let shape = NameShape(lowered, exceptions: exceptions[lowered] ?? []) {
                shapes.append(shape)
                tails.insert(shape.end.filter { !Self.isIgnored($0) })
                continue
            }
            let isOpenBefore = letters.first == UInt8(ascii: "*")
            let isOpenAfter = letters.count > 1 && letters.last == UInt8(ascii: "*")
            letters.removeAll { $0 == UInt8(ascii: "*") }
            guard !letters.isEmpty else { continue }
            tails.insert(letters)
            switch (isOpenBefore, isOpenAfter) {
            case (true, true): middles.append(letters)
            case (true, false): ends.append(letters)
            case (false, true): beginnings.append(letters)
            case (false, false): whole.insert(FoldedHash.of(letters[...]))
            }
        }
    }

    /// Whether a name, or a part of it as in forms (`user[password]`, `user.password`), is that of a secret.
    func contains(_ name: String) -> Bool {
        name.utf8.withContiguousStorageIfAvailable { contains($0[...]) } ?? contains(Array(name.utf8)[...])
    }

    /// Whether the bytes of a name are that of a secret; only the last 256 bytes are examined.
    func contains<Bytes: RandomAccessCollection<UInt8>>(_ name: Bytes) -> Bool {
        let name = name.suffix(256)
        if !outsideASCII.isEmpty, name.contains(where: { $0 >= 0x80 }) { return containsOutsideASCII(name) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { folded in
            var count = 0
            var pieceStart = 0
            var isFound = false
            for byte in name where !Self.isIgnored(byte) {
                if Self.isSeparator(byte) {
                    isFound = isFound || matches(UnsafeBufferPointer(rebasing: folded[pieceStart..<count]))
                    pieceStart = count + 1
                }
                folded[count] = Self.folded(byte)
                count += 1
            }
            return isFound || matches(UnsafeBufferPointer(rebasing: folded[pieceStart..<count]))
                || (pieceStart > 0 && matches(UnsafeBufferPointer(rebasing: folded[..<count])))
                || (!shapes.isEmpty && hasShape(name))
        }
    }

    /// Whether a part of a name has one of the shapes.
    private func hasShape(_ name: some RandomAccessCollection<UInt8>) -> Bool {
        var rest = name[...]
        while true {
            let end = rest.firstIndex(where: Self.isSeparator) ?? rest.endIndex
            // The hyphens at the beginning of an option (`--x-plant-key`) aren't part of its name.
            let part = rest[..<end].drop(while: Self.isIgnored)
            if shapes.contains(where: { $0.matches(part) }) { return true }
            guard end < rest.endIndex else { return false }
            rest = rest[rest.index(after: end)...]
        }
    }

    private func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var tail: UInt32 = 0
        for index in name.indices {
            let end = index + 1
            tail = tail << 8 | UInt32(name[index])
            guard tails.contains(tail) else { continue }
            if middles.contains(where: { name.has($0, before: end) }) { return true }
            if beginnings.contains(where: { $0.count == end && name.has($0, before: end) }) { return true }
            guard end == name.count else { continue }
            if ends.contains(where: { name.has($0, before: end) }) { return true }
            if whole.contains(FoldedHash.of(name)) { return true }
        }
        return false
    }

    private func containsOutsideASCII(_ name: some Collection<UInt8>) -> Bool {
        let folded = String(decoding: name, as: UTF8.self).lowercased().unicodeScalars
        let lowered = String(folded.filter { $0 != "-" && $0 != "_" })
        return outsideASCII.contains(lowered)
            || lowered.utf8.split(whereSeparator: Self.isSeparator).contains {
                outsideASCII.contains(String(Substring($0)))
            }
    }

    static func isIgnored(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ":")
    }

    /// Folds the case of ASCII letters only.
    static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes directly precede an index.
    fileprivate func has(_ bytes: [UInt8], before end: Int) -> Bool {
        guard bytes.count <= end else { return false }
        // Compares from the end, because the last letter nearly always differs.
        var index = bytes.count - 1
        while index >= 0, bytes[index] == self[end - bytes.count + index] { index -= 1 }
        return index < 0
    }
}

/// A pattern with a `*` inside (`x-*-auth`), or with exceptions.
///
/// The hyphens next to the `*` count, so that `x-*-key` matches `X-Plant-Key` but not `xAxisKey`.
private struct NameShape: Sendable {
    let start: [UInt8]
    let end: [UInt8]
    /// The hashes of the names that it doesn't match.
    let exceptions: Set<UInt64>

    /// Makes a shape of a pattern in lower case; returns nil if the pattern can be stored in a simpler form.
    init?(_ pattern: String, exceptions: [String]) {
        let bytes = pattern.utf8.map(Self.folded)
        guard let star = bytes.firstIndex(of: UInt8(ascii: "*")) else { return nil }
        start = Array(bytes[..<star])
        end = bytes[(star + 1)...].filter { $0 != UInt8(ascii: "*") }
        guard !end.isEmpty, !start.isEmpty || !exceptions.isEmpty else { return nil }
        self.exceptions = Set(exceptions.map { Self.hash(of: $0.utf8) })
    }

    func matches(_ name: some RandomAccessCollection<UInt8>) -> Bool {
        name.count >= start.count + end.count
            && name.reversed().starts(with: end.reversed(), by: { Self.folded($0) == $1 })
            && name.starts(with: start, by: { Self.folded($0) == $1 })
            && !exceptions.contains(Self.hash(of: name))
    }

    private static func hash(of name: some Sequence<UInt8>) -> UInt64 {
        FoldedHash.of(name.lazy.filter { !SecretNames.isIgnored($0) }.map(SecretNames.folded))
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : SecretNames.folded(byte)
    }
}

/// A hash (FNV-1a) of folded bytes.
private enum FoldedHash {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// A filter for the last three letters of names: 4,096 bits, of which nearly all are zero.
struct TailFilter: Sendable {
    private var bits = [UInt64](repeating: 0, count: 64)

    mutating func insert(_ letters: [UInt8]) {
        // Two letters are too few for a useful filter.
        guard letters.count >= 3 else { return insertAll() }
        let index = Self.index(letters.suffix(3).reduce(0) { $0 << 8 | UInt32($1) })
        bits[index >> 6] |= 1 << UInt64(index & 63)
    }

    mutating func insertAll() { bits = bits.map { _ in .max } }

    mutating func formUnion(_ other: TailFilter) {
        for index in bits.indices { bits[index] |= other.bits[index] }
    }

    /// Calls the closure with a test for three letters, which are packed into a number.
    func withTest<Result>(_ body: (_ contains: (UInt32) -> Bool) -> Result) -> Result {
        bits.withUnsafeBufferPointer { bits in
            body { tail in
                let index = Self.index(tail)
                return bits[index >> 6] & (1 << UInt64(index & 63)) != 0
            }
        }
    }

    func contains(_ tail: UInt32) -> Bool {
        let index = Self.index(tail)
        return bits[index >> 6] & (1 << UInt64(index & 63)) != 0
    }

    private static func index(_ tail: UInt32) -> Int { Int(((tail & 0xFF_FFFF) &* 0x9E37_79B1) >> 20) }
}
