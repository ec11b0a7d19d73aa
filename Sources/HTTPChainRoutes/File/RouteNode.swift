import HTTPChainCore

/// A value in a route file with its place.
package struct RouteNode: Sendable {
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([RouteNode])
        case object([Member])
    }

    package struct Member: Sendable {
        package var key: String
        package var place: Place
        package var node: RouteNode

        package init(key: String, place: Place, node: RouteNode) {
            self.key = key
            self.place = place
            self.node = node
        }
    }

    package struct Place: Sendable, Hashable {
        package var line: Int
        package var column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    package var value: Value
    package var place: Place

    package init(_ value: Value, at place: Place) {
        self.value = value
        self.place = place
    }

    /// The value without places.
    var json: JSONValue {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value): Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
        case .string(let value): .string(value)
        case .array(let items): .array(items.map(\.json))
        case .object(let members): .object(Dictionary(members.map { ($0.key, $0.node.json) }) { _, last in last })
        }
    }

    /// The kind of the node, for an error.
    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
