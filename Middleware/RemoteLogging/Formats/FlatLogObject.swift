import HTTPChainCore

/// Writes attributes as members of an object that has other members already; no name stands twice.
struct FlatLogObject {
    /// The names that are taken, by their lengths, for nearly every attribute has a length of its own.
    private let taken: [Int: [String]]
    private let common: [UInt8]

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - taken: The names of members that stand there.
    ///   - members: What is added to each object.
    init(taken: [String], members: [(name: String, value: JSONValue)]) {
        let reserved = Set(taken)
        var json = JSONWriter()
        for (name, value) in members { Self.write(Self.name(name, isTaken: reserved.contains(name)), value, to: &json) }
        common = json.bytes
        self.taken = Dictionary(grouping: taken + members.map(\.name), by: \.utf8.count)
    }

    /// Appends members, each with a comma before it.
    func write(_ attributes: LogAttributes, to json: inout JSONWriter) {
        for attribute in attributes {
            let isTaken = taken[attribute.name.utf8.count]?.contains(attribute.name) ?? false
            Self.write(Self.name(attribute.name, isTaken: isTaken), attribute.value, to: &json)
        }
        json.raw(common)
    }

    private static func name(_ name: String, isTaken: Bool) -> String { isTaken ? "attributes.\(name)" : name }

    private static func write(_ name: String, _ value: JSONValue, to json: inout JSONWriter) {
        json.raw(",\"")
        json.escaped(name)
        json.raw("\":")
        json.value(value)
    }
}
