package import HTTPChainCore
import HTTPChainSupport

/// A header field, or a parameter of a query.
package struct HARField: HARPart, Sendable, Hashable {
    /// The name, in the letter case that the program wrote.
    package var name = ""
    /// The value.
    package var value = ""
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a field.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    mutating func describe(_ members: inout HARMembers) {
        members.text("name", &name)
        members.text("value", &value)
        members.text("comment", &comment)
    }
}

extension HARField {
    /// The separate values.
    ///
    /// Browsers join repeated fields with line feeds.
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
package struct HARCookie: HARPart, Sendable, Hashable {
    /// The cookie's name.
    package var name = ""
    /// Its value.
    package var value = ""
    /// The path to which the cookie is sent.
    package var path: String?
    /// The host to which the cookie is sent.
    package var domain: String?
    /// The expiration date, as the program wrote it; by the specification, ISO 8601.
    package var expires: String?
    /// Whether the cookie is hidden from scripts.
    package var httpOnly: Bool?
    /// Whether the cookie is sent only over secure connections.
    package var secure: Bool?
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a cookie.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    mutating func describe(_ members: inout HARMembers) {
        members.text("name", &name)
        members.text("value", &value)
        members.text("path", &path)
        members.text("domain", &domain)
        // The specification requires ISO 8601. A date in another form would violate the schema.
        var date = expires.flatMap(HARDate.parse).map(HARDate.text)
        members.text("expires", &date)
        expires = date
        members.flag("httpOnly", &httpOnly)
        members.flag("secure", &secure)
        members.text("comment", &comment)
    }
}
