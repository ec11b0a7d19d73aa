public import HTTPChainCore

/// The named values of a log record, in the order in which they were added.
///
/// Names follow the OpenTelemetry semantic conventions if these define one: `http.request.method`, `url.full`,
/// `http.response.status_code`, `error.type`.
public struct LogAttributes: Sendable, Hashable {
    /// A name and its value.
    public struct Attribute: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Makes an attribute.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The list itself, for performance-critical iteration.
    package private(set) var attributes: [Attribute] = []

    /// Makes an empty list.
    package init() {}

    /// The value under a name; setting `nil` removes it.
    public subscript(name: String) -> JSONValue? {
        get { attributes.first { $0.name == name }?.value }
        set {
            let index = attributes.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): attributes[index].value = value
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let value?): attributes.append(Attribute(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Reserves space for the given number of attributes.
    package mutating func reserveCapacity(_ capacity: Int) {
        attributes.reserveCapacity(capacity)
    }

    /// Adds an attribute without checking that its name is new.
    public mutating func append(_ name: String, _ value: JSONValue) {
        attributes.append(Attribute(name, value))
    }
}

extension LogAttributes {
    /// Values nested more deeply are left out: some Protocol Buffers parsers accept only a hundred nested messages, and
    /// an OTLP value takes three for each level.
    package static let deepest = 16
    /// The replacement for a value that is nested too deeply.
    package static let elision = "…"
}

extension LogAttributes: RandomAccessCollection {
    /// The position of the first attribute.
    public var startIndex: Int { attributes.startIndex }
    /// The position after the last attribute.
    public var endIndex: Int { attributes.endIndex }
    /// The attribute at a position.
    public subscript(position: Int) -> Attribute { attributes[position] }
}

extension LogAttributes: ExpressibleByDictionaryLiteral {
    /// Makes a list of names and values; if a name is repeated, the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        attributes.reserveCapacity(elements.count)
        for (name, value) in elements { self[name] = value }
    }
}
