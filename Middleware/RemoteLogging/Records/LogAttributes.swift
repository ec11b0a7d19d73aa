public import HTTPChainCore

/// The named values of a log record, in the order in which they were added.
///
/// ```swift
/// let attributes: LogAttributes = ["plant": "oak", "count": 3]
/// for (name, value) in attributes { print(name, value) }
/// ```
///
/// Names follow the OpenTelemetry semantic conventions if those define one: `http.request.method`, `url.full`,
/// `http.response.status_code`, `error.type`.
public struct LogAttributes: Sendable, Hashable {
    /// A name and its value.
    package struct Attribute: Sendable, Hashable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The attributes in order.
    package private(set) var list: [Attribute] = []

    /// Makes an empty list.
    package init() {}

    /// The value with a name.
    ///
    /// Setting it to `nil` removes the attribute.
    public subscript(name: String) -> JSONValue? {
        get { list.first { $0.name == name }?.value }
        set {
            let index = list.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?): list.append(Attribute(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Reserves space for the given number of attributes.
    package mutating func reserveCapacity(_ capacity: Int) {
        list.reserveCapacity(capacity)
    }

    /// Adds an attribute without checking that its name is new.
    package mutating func append(_ name: String, _ value: JSONValue) {
        list.append(Attribute(name, value))
    }
}

extension LogAttributes {
    /// The maximum nesting depth of values.
    ///
    /// Deeper values are omitted, because some Protocol Buffers parsers accept only a hundred nested messages, and an
    /// OTLP value needs three for each level.
    package static let deepest = 16
    /// The replacement for a value that is nested too deeply.
    package static let elision = "…"
}

extension LogAttributes: Sequence {
    /// Returns an iterator over the names and values in order.
    public func makeIterator() -> AnyIterator<(name: String, value: JSONValue)> {
        AnyIterator(list.lazy.map { ($0.name, $0.value) }.makeIterator())
    }
}

extension LogAttributes: ExpressibleByDictionaryLiteral {
    /// Makes a list of names and values.
    ///
    /// If a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        list.reserveCapacity(elements.count)
        for (name, value) in elements { self[name] = value }
    }
}
