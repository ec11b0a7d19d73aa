import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A part of an archive.
///
/// Its members are described once, both for reading and for writing.
protocol HARPart {
    /// Makes a part with the values that represent missing members.
    init()
    /// A comment of the user or of the program.
    var comment: String? { get set }
    /// Fields that aren't part of the specification.
    var customFields: [String: JSONValue] { get set }
    /// Reads or writes the members, in the specification's order.
    ///
    /// Only reading throws.
    mutating func describe(_ members: inout HARMembers) throws(HARError)
}

extension HARPart {
    init(_ members: HARMembers) throws(HARError) {
        self.init()
        var members = members
        try describe(&members)
        customFields = members.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        var part = self
        try? part.describe(&members)
        members.add(customFields)
        return members.tree
    }
}

/// The members of a JSON object, to be read or written.
///
/// Reading is lenient: if a member is missing, null or of another type, the value is unchanged. Unread members are
/// kept.
struct HARMembers {
    private var members: [JSONTree.Member] = []
    /// The path of the object being read, such as `log.entries[3].request`, or `nil` when writing.
    private let path: String?

    /// Makes an object to write.
    init() { path = nil }

    /// Makes an object to read.
    init(_ tree: JSONTree, path: String) throws(HARError) {
        guard case .object(let members) = tree else { throw HARError(.unexpected(path: path, expected: "an object")) }
        self.members = members
        self.path = path
    }

    /// Whether this is for reading.
    var isRead: Bool { path != nil }

    var tree: JSONTree { .object(members) }

    /// The members that weren't read.
    var rest: [String: JSONValue] {
        if members.isEmpty { return [:] }
        return Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last }
    }

    func missing(_ name: String) -> HARError { HARError(.missing(path: place(name))) }

    private func place(_ name: String) -> String { "\(path ?? "").\(name)" }

    /// Removes a member and returns it.
    ///
    /// Null counts as missing.
    mutating func take(_ name: String) -> JSONTree? {
        var found: JSONTree?
        // If a name is repeated, the last member wins.
        Steps.take(members.count)
        members.removeAll { member in
            guard member.name == name else { return false }
            found = member.value
            return true
        }
        return found == .null ? nil : found
    }

    private mutating func add(_ name: String, _ tree: JSONTree?) {
        if let tree { members.append(JSONTree.Member(name: name, value: tree)) }
    }

    /// Adds fields outside the specification, sorted by name.
    mutating func add(_ fields: [String: JSONValue]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { add(name, JSONTree(value)) }
    }

    /// Reads or writes a string.
    ///
    /// Numbers and Booleans are converted to text when they are read.
    mutating func text(_ name: String, _ value: inout String?) {
        guard isRead else { return add(name, value.map(JSONTree.string)) }
        switch take(name) {
        case .string(let text), .number(let text): value = text
        case .bool(let flag): value = "\(flag)"
        default: break
        }
    }

    @discardableResult
    mutating func text(_ name: String, _ value: inout String) -> Bool {
        var text: String? = isRead ? nil : value
        self.text(name, &text)
        value = text ?? value
        return text != nil
    }

    private mutating func number(_ name: String) -> Double? {
        switch take(name) {
        case .number(let text), .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    mutating func integer(_ name: String, _ value: inout Int64?) {
        guard isRead else { return add(name, value.map { .number("\($0)") }) }
        if let number = number(name), abs(number) < 9e18 { value = Int64(number.rounded()) }
    }

    mutating func integer(_ name: String, _ value: inout Int64) {
        var number: Int64? = value
        integer(name, &number)
        value = number ?? value
    }

    /// Reads or writes milliseconds, with fractions if necessary.
    mutating func milliseconds(_ name: String, _ value: inout Double) {
        if isRead { return value = number(name) ?? value }
        let known = value.isFinite ? value : -1
        add(name, .number(known == known.rounded() && abs(known) < 1e15 ? "\(Int64(known))" : "\(known)"))
    }

    mutating func flag(_ name: String, _ value: inout Bool?) {
        guard isRead else { return add(name, value.map(JSONTree.bool)) }
        switch take(name) {
        case .bool(let flag): value = flag
        case .string(let text): value = Bool(text)
        default: break
        }
    }

    /// Reads or writes a date.
    ///
    /// An unknown one is written as 1970.
    mutating func date(_ name: String, _ value: inout Date?) {
        var text = isRead ? nil : HARDate.text(value ?? Date(timeIntervalSince1970: 0))
        self.text(name, &text)
        if isRead { value = text.flatMap(HARDate.parse) }
    }

    /// Reads or writes an object unchanged.
    mutating func json(_ name: String, _ value: inout JSONValue) {
        guard isRead else { return add(name, JSONTree(value)) }
        if let tree = take(name), case .object = tree { value = tree.value }
    }

    mutating func object<Part: HARPart>(_ name: String, _ part: inout Part?) throws(HARError) {
        guard isRead else { return add(name, part?.tree) }
        if let tree = take(name) { part = try Part(HARMembers(tree, path: place(name))) }
    }

    @discardableResult
    mutating func object<Part: HARPart>(_ name: String, _ part: inout Part) throws(HARError) -> Bool {
        var found: Part? = isRead ? nil : part
        try object(name, &found)
        part = found ?? part
        return found != nil
    }

    /// Reads or writes the objects of an array, at most `limit` of them.
    ///
    /// Returns whether there is an array.
    @discardableResult
    mutating func objects<Part: HARPart>(
        _ name: String,
        _ parts: inout [Part],
        omitsEmpty: Bool = false,
        limit: Int = .max
    ) throws(HARError) -> Bool {
        guard isRead else {
            if !omitsEmpty || !parts.isEmpty { add(name, .array(parts.map(\.tree))) }
            return true
        }
        guard let list = take(name) else { return false }
        guard case .array(let elements) = list else {
            throw HARError(.unexpected(path: place(name), expected: "an array"))
        }
        if elements.count > limit { throw HARError(.tooManyEntries(limit: limit)) }
        parts.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            parts.append(try Part(HARMembers(element, path: "\(place(name))[\(index)]")))
        }
        return true
    }
}
