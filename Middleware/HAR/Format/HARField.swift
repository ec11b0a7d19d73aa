public import HTTPChainCore
import HTTPChainSupport

/// A header field, or a parameter of a query.
public struct HARField: Sendable, Hashable, Codable {
    /// The name, in the letter case that the program wrote.
    public var name: String
    /// The value.
    public var value: String
    /// A comment by a user or a program.
    public var comment: String?
    /// Fields that aren't part of the specification.
    public var customFields: [String: JSONValue] = [:]

    /// Makes a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(_ object: HARObject) {
        var object = object
        name = object.string("name") ?? ""
        value = object.string("value") ?? ""
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("name", name)
        members.add("value", value)
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from a decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try HARObject(JSONTree(decoding: decoder), path: "field"))
    }

    /// Writes it to an encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}

extension HARField {
    /// The values: browsers join repeated fields with line feeds.
    var lines: [String] {
        guard value.utf8.contains(0x0A) else { return [value] }
        return value.utf8.split(separator: 0x0A).map { line in
            String(Substring(line.last == 0x0D ? line.dropLast() : line))
        }
    }
}

extension [HARField] {
    /// The values of a field, in order; the name is case-insensitive.
    func values(of name: String) -> [String] {
        filter { ASCII.equalFolded($0.name, name) }.flatMap(\.lines)
    }

    /// Removes a field; the name is case-insensitive.
    mutating func remove(_ name: String) {
        removeAll { ASCII.equalFolded($0.name, name) }
    }
}

/// A cookie in a request or a response.
public struct HARCookie: Sendable, Hashable, Codable {
    /// The cookie's name.
    public var name: String
    /// Its value.
    public var value: String
    /// The path to which it's sent.
    public var path: String?
    /// The host to which it's sent.
    public var domain: String?
    /// The expiration date, as the program wrote it; by the specification, ISO 8601.
    public var expires: String?
    /// Whether it's hidden from scripts.
    public var httpOnly: Bool?
    /// Whether it's sent only over secure connections.
    public var secure: Bool?
    /// A comment by a user or a program.
    public var comment: String?
    /// Fields that aren't part of the specification.
    public var customFields: [String: JSONValue] = [:]

    /// Makes a cookie.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(_ object: HARObject) {
        var object = object
        name = object.string("name") ?? ""
        value = object.string("value") ?? ""
        path = object.string("path")
        domain = object.string("domain")
        expires = object.string("expires")
        httpOnly = object.bool("httpOnly")
        secure = object.bool("secure")
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("name", name)
        members.add("value", value)
        members.add("path", path)
        members.add("domain", domain)
        // The specification requires ISO 8601; a date in another form would violate the schema.
        members.add("expires", expires.flatMap(HARDate.parse).map(HARDate.text))
        members.add("httpOnly", httpOnly)
        members.add("secure", secure)
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from a decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try HARObject(JSONTree(decoding: decoder), path: "cookie"))
    }

    /// Writes it to an encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}
