package import HTTPChainCore
import HTTPChainSupport

/// A header field, or a parameter of a query.
package struct HARField: Sendable, Hashable {
    /// The name, in the letter case that the program wrote.
    package var name: String
    /// The value.
    package var value: String
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// Makes a field.
    package init(name: String, value: String) {
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

    /// The length that `Content-Length` declares; `nil` without a valid one.
    var declaredLength: Int64? { values(of: "content-length").first.flatMap { ContentLength.parse($0) } }

    /// Removes a field; the name is case-insensitive.
    mutating func remove(_ name: String) {
        removeAll { ASCII.equalFolded($0.name, name) }
    }
}

/// A cookie in a request or a response.
package struct HARCookie: Sendable, Hashable {
    /// The cookie's name.
    package var name: String
    /// Its value.
    package var value: String
    /// The path to which it's sent.
    package var path: String?
    /// The host to which it's sent.
    package var domain: String?
    /// The expiration date, as the program wrote it; by the specification, ISO 8601.
    package var expires: String?
    /// Whether it's hidden from scripts.
    package var httpOnly: Bool?
    /// Whether it's sent only over secure connections.
    package var secure: Bool?
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// Makes a cookie.
    package init(name: String, value: String) {
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
}
