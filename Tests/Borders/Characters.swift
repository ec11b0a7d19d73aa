// Compiled together with the sources of a module by `Tests/Borders/check`: the compiler prefers these declarations to
// those of the standard library and of Foundation, and warns of each use.

import Foundation

extension StringProtocol {
    @available(*, deprecated, message: "Character-wise") var first: Character? { nil }
    @available(*, deprecated, message: "Character-wise") var last: Character? { nil }
    @available(*, deprecated, message: "Character-wise") var count: Int { 0 }
    @available(*, deprecated, message: "Character-wise") var indices: DefaultIndices<Self> { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    func index(after index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(before index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(_ index: Index, offsetBy distance: Int) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func hasPrefix<Other: StringProtocol>(_ other: Other) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func hasSuffix<Other: StringProtocol>(_ other: Other) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func contains(_ character: Character) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func contains<Other: StringProtocol>(_ other: Other) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func contains(where predicate: (Character) throws -> Bool) rethrows -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func allSatisfy(_ predicate: (Character) throws -> Bool) rethrows -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func firstIndex(of character: Character) -> Index? { nil }
    @available(*, deprecated, message: "Character-wise")
    func firstIndex(where predicate: (Character) throws -> Bool) rethrows -> Index? { nil }
    @available(*, deprecated, message: "Character-wise")
    func lastIndex(of character: Character) -> Index? { nil }
    @available(*, deprecated, message: "Character-wise")
    func lastIndex(where predicate: (Character) throws -> Bool) rethrows -> Index? { nil }
    @available(*, deprecated, message: "Character-wise")
    func first(where predicate: (Character) throws -> Bool) rethrows -> Character? { nil }
    @available(*, deprecated, message: "Character-wise")
    func last(where predicate: (Character) throws -> Bool) rethrows -> Character? { nil }
    @available(*, deprecated, message: "Character-wise")
    func split(
        separator: Character,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] { [] }
    @available(*, deprecated, message: "Character-wise")
    func split(
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true,
        whereSeparator: (Character) throws -> Bool
    ) rethrows -> [SubSequence] { [] }
    @available(*, deprecated, message: "Character-wise")
    func prefix(while predicate: (Character) throws -> Bool) rethrows -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func prefix(_ count: Int) -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func suffix(_ count: Int) -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func drop(while predicate: (Character) throws -> Bool) rethrows -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func dropFirst(_ count: Int = 1) -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func dropLast(_ count: Int = 1) -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func map<Value>(_ transform: (Character) throws -> Value) rethrows -> [Value] { [] }
    @available(*, deprecated, message: "Character-wise")
    func compactMap<Value>(_ transform: (Character) throws -> Value?) rethrows -> [Value] { [] }
    @available(*, deprecated, message: "Character-wise")
    func flatMap<Values: Sequence>(_ transform: (Character) throws -> Values) rethrows -> [Values.Element] { [] }
    @available(*, deprecated, message: "Character-wise")
    func filter(_ predicate: (Character) throws -> Bool) rethrows -> String { "" }
    @available(*, deprecated, message: "Character-wise")
    func forEach(_ body: (Character) throws -> Void) rethrows {}
    @available(*, deprecated, message: "Character-wise")
    func reduce<Value>(_ start: Value, _ next: (Value, Character) throws -> Value) rethrows -> Value { start }
    @available(*, deprecated, message: "Character-wise")
    func reduce<Value>(into start: Value, _ next: (inout Value, Character) throws -> Void) rethrows -> Value { start }
    @available(*, deprecated, message: "Character-wise")
    func enumerated() -> EnumeratedSequence<Self> { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    func reversed() -> ReversedCollection<Self> { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    func starts<Other: Sequence<Character>>(with other: Other) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func elementsEqual<Other: Sequence<Character>>(_ other: Other) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func trimmingPrefix<Other: Sequence<Character>>(_ other: Other) -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func trimmingPrefix(while predicate: (Character) throws -> Bool) rethrows -> SubSequence { self[...] }
    @available(*, deprecated, message: "Character-wise")
    func ranges<Other: Collection<Character>>(of other: Other) -> [Range<Index>] { [] }
    @available(*, deprecated, message: "Character-wise")
    func firstRange<Other: Collection<Character>>(of other: Other) -> Range<Index>? { nil }
    @available(*, deprecated, message: "Character-wise")
    func replacing<One: Collection<Character>, Other: Collection<Character>>(
        _ one: One,
        with other: Other,
        maxReplacements: Int = .max
    ) -> String { "" }
    @available(*, deprecated, message: "Character-wise")
    func trimmingCharacters(in set: CharacterSet) -> String { "" }
    @available(*, deprecated, message: "Character-wise")
    func components<Other: StringProtocol>(separatedBy other: Other) -> [String] { [] }
    @available(*, deprecated, message: "Character-wise")
    func components(separatedBy set: CharacterSet) -> [String] { [] }
    @available(*, deprecated, message: "Character-wise")
    func replacingOccurrences<One: StringProtocol, Other: StringProtocol>(of one: One, with other: Other) -> String {
        ""
    }
    @available(*, deprecated, message: "Character-wise")
    func range<Other: StringProtocol>(
        of other: Other,
        options: String.CompareOptions = [],
        range: Range<Index>? = nil,
        locale: Locale? = nil
    ) -> Range<Index>? { nil }
    @available(*, deprecated, message: "Character-wise")
    subscript(index: Index) -> Character { fatalError() }
}

extension String {
    @available(*, deprecated, message: "Character-wise") var count: Int { 0 }
    @available(*, deprecated, message: "Character-wise")
    func hasPrefix(_ other: String) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func hasSuffix(_ other: String) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    func index(after index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(before index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(_ index: Index, offsetBy distance: Int) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    subscript(index: Index) -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeFirst() -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeFirst(_ count: Int) {}
    @available(*, deprecated, message: "Character-wise")
    mutating func removeLast() -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeLast(_ count: Int) {}
    @available(*, deprecated, message: "Character-wise")
    mutating func popLast() -> Character? { nil }
    @available(*, deprecated, message: "Character-wise")
    init(_ character: Character) { fatalError() }
}

extension Substring {
    @available(*, deprecated, message: "Character-wise") var count: Int { 0 }
    @available(*, deprecated, message: "Character-wise")
    func index(after index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(before index: Index) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    func index(_ index: Index, offsetBy distance: Int) -> Index { index }
    @available(*, deprecated, message: "Character-wise")
    subscript(index: Index) -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeFirst() -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeFirst(_ count: Int) {}
    @available(*, deprecated, message: "Character-wise")
    mutating func removeLast() -> Character { fatalError() }
    @available(*, deprecated, message: "Character-wise")
    mutating func removeLast(_ count: Int) {}
    @available(*, deprecated, message: "Character-wise")
    mutating func popFirst() -> Character? { nil }
    @available(*, deprecated, message: "Character-wise")
    mutating func popLast() -> Character? { nil }
}

extension Character {
    @available(*, deprecated, message: "Character-wise")
    static func == (one: Character, other: Character) -> Bool { false }
    @available(*, deprecated, message: "Character-wise")
    static func != (one: Character, other: Character) -> Bool { false }
    @available(*, deprecated, message: "Character-wise") var isWhitespace: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isNewline: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isLetter: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isNumber: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isUppercase: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isLowercase: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isASCII: Bool { false }
    @available(*, deprecated, message: "Character-wise") var asciiValue: UInt8? { nil }
    @available(*, deprecated, message: "Character-wise") var isHexDigit: Bool { false }
    @available(*, deprecated, message: "Character-wise") var hexDigitValue: Int? { nil }
    @available(*, deprecated, message: "Character-wise") var wholeNumberValue: Int? { nil }
    @available(*, deprecated, message: "Character-wise") var isPunctuation: Bool { false }
    @available(*, deprecated, message: "Character-wise") var isSymbol: Bool { false }
}

extension Array where Element == Character {
    @available(*, deprecated, message: "Character-wise")
    init<Text: StringProtocol>(_ text: Text) { fatalError() }
}

@available(*, deprecated, message: "Character-wise")
func ~= (pattern: Character, value: Character) -> Bool { false }

// Equality of strings is that of their canonical equivalents: "\u{E9}" equals "e\u{301}". At a border, bytes are compared,
// with `hasSameBytes(as:)` or as `ExactText`.

extension String {
    @available(*, deprecated, message: "Canonical")
    static func == (one: String, other: String) -> Bool { false }
    @available(*, deprecated, message: "Canonical")
    static func != (one: String, other: String) -> Bool { false }
}

extension Substring {
    @available(*, deprecated, message: "Canonical")
    static func == (one: Substring, other: Substring) -> Bool { false }
    @available(*, deprecated, message: "Canonical")
    static func != (one: Substring, other: Substring) -> Bool { false }
}

extension StringProtocol {
    @available(*, deprecated, message: "Canonical")
    static func == <Other: StringProtocol>(one: Self, other: Other) -> Bool { false }
    @available(*, deprecated, message: "Canonical")
    static func != <Other: StringProtocol>(one: Self, other: Other) -> Bool { false }
}

extension Optional where Wrapped == String {
    @available(*, deprecated, message: "Canonical")
    static func == (one: String?, other: String?) -> Bool { false }
    @available(*, deprecated, message: "Canonical")
    static func != (one: String?, other: String?) -> Bool { false }
}

extension Sequence where Element == String {
    @available(*, deprecated, message: "Canonical")
    func contains(_ text: String) -> Bool { false }
}

extension Collection where Element == String {
    @available(*, deprecated, message: "Canonical")
    func firstIndex(of text: String) -> Index? { nil }
}

extension Set where Element == String {
    @available(*, deprecated, message: "Canonical")
    func contains(_ text: String) -> Bool { false }
}
