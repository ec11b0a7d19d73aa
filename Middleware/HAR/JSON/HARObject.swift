import HTTPChainCore
import HTTPChainSupport

/// A JSON object that is read leniently, member by member; unread members are kept.
struct HARObject {
    private var members: [JSONTree.Member]
    /// Its path, such as `log.entries[3].request`.
    let path: String

    init(_ tree: JSONTree, path: String) throws(HARError) {
        guard case .object(let members) = tree else { throw HARError(.unexpected(path: path, expected: "an object")) }
        self.members = members
        self.path = path
    }

    /// Removes and returns a member; null counts as missing.
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

    /// Removes and returns a string; numbers and Booleans are converted to text.
    mutating func string(_ name: String) -> String? {
        switch take(name) {
        case .string(let text): text
        case .number(let text): text
        case .bool(let value): "\(value)"
        default: nil
        }
    }

    mutating func number(_ name: String) -> Double? {
        switch take(name) {
        case .number(let text), .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    mutating func integer(_ name: String) -> Int64? {
        number(name).flatMap { abs($0) < 9e18 ? Int64($0.rounded()) : nil }
    }

    mutating func bool(_ name: String) -> Bool? {
        switch take(name) {
        case .bool(let value): value
        case .string(let text): Bool(text)
        default: nil
        }
    }

    mutating func object(_ name: String) throws(HARError) -> HARObject? {
        guard let tree = take(name) else { return nil }
        return try HARObject(tree, path: path + "." + name)
    }

    /// Removes and returns the objects of an array; empty if there is none.
    mutating func objects(_ name: String) throws(HARError) -> [HARObject] {
        guard let tree = take(name) else { return [] }
        guard case .array(let elements) = tree else {
            throw HARError(.unexpected(path: path + "." + name, expected: "an array"))
        }
        var objects: [HARObject] = []
        objects.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            objects.append(try HARObject(element, path: "\(path).\(name)[\(index)]"))
        }
        return objects
    }

    /// The members that weren't read.
    var rest: [String: JSONValue] {
        if members.isEmpty { return [:] }
        return Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last }
    }
}

/// A JSON object that is written member by member, in the specification's order.
struct HARMembers {
    private var members: [JSONTree.Member] = []

    var tree: JSONTree { .object(members) }

    mutating func add(_ name: String, _ tree: JSONTree?) {
        if let tree { members.append(JSONTree.Member(name: name, value: tree)) }
    }

    mutating func add(_ name: String, _ text: String?) {
        if let text { add(name, .string(text)) }
    }

    mutating func add(_ name: String, _ number: Int64?) {
        if let number { add(name, .number("\(number)")) }
    }

    mutating func add(_ name: String, _ flag: Bool?) {
        if let flag { add(name, .bool(flag)) }
    }

    /// Adds milliseconds, with fractions if necessary.
    mutating func add(_ name: String, milliseconds: Double?) {
        guard let milliseconds else { return }
        let value = milliseconds.isFinite ? milliseconds : -1
        add(name, .number(value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"))
    }

    /// Adds fields outside the specification, sorted by name.
    mutating func add(_ fields: [String: JSONValue]) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { add(name, JSONTree(value)) }
    }
}
