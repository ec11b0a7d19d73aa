import HTTPChainCore

extension LogRecord {
    /// What the record takes in memory, by estimate: its texts and a fixed amount for each of its parts.
    var estimatedSize: Int {
        var size = 96 + message.utf8.count + component.utf8.count
        // Not by way of the collection, which would retain and release each name and value.
        let attributes = attributes.attributes
        for index in attributes.indices {
            size += 48 + attributes[index].name.utf8.count + attributes[index].value.estimatedSize
        }
        return size
    }
}

extension JSONValue {
    /// What is kept outside the value itself.
    fileprivate var estimatedSize: Int {
        switch self {
        case .null, .bool, .integer, .number: 0
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + 24 + $1.estimatedSize }
        case .object(let members): members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.estimatedSize }
        }
    }
}
