package import HTTPTypes

/// Defines which fields of a request are credentials.
///
/// The same rule applies to redaction, to hops to another origin, and to the owner of a stored or shared response.
extension Redaction {
    /// Whether a field identifies the sender of a request: it has the name of a secret, or is marked as one.
    ///
    /// The standard credential fields count regardless of the redaction's names.
    package func isCredential(_ field: HTTPField) -> Bool {
        field.name == .authorization || field.name == .proxyAuthorization || field.name == .cookie || isSecret(field)
    }
}

extension HTTPFields {
    /// Returns the fields that identify the sender of a request, as sorted text.
    package func credentials(by redaction: Redaction) -> [String] {
        filter(redaction.isCredential).map { "\($0.name.canonicalName): \($0.value)" }.sorted()
    }
}

extension Request {
    /// Whether the request itself has credentials, in header fields or in an option.
    package var bringsCredentials: Bool {
        options.hasCredentials
            || !head.headerFields.isEmpty && head.headerFields.contains(where: redaction.isCredential)
    }

    /// Removes everything that belongs to the origin that the request leaves (RFC 9110 §15.4): fields and options that
    /// are credentials, the `Host` field, and all but the origin of `Referer`.
    ///
    /// Keeps fields that are bound to the new origin.
    ///
    /// - Parameters:
    ///   - destination: The origin that the request goes to; nil if unknown.
    ///   - redaction: The redaction rules of the call.
    package mutating func removeCredentials(goingTo destination: Origin?, redaction: Redaction) {
        removeFields(boundToOthersThan: destination)
        options.removeCredentials()
        let bound = options[OriginBoundFieldsNote.self]
        for name in Set(head.headerFields.lazy.filter(redaction.isCredential).map(\.name)) where bound[name] == nil {
            head.headerFields[name] = nil
        }
        head.headerFields[Self.host] = nil
        head.headerFields[.referer] = head.headerFields[.referer].flatMap { referer in
            Self.referer(referer, goingTo: destination)
        }
    }

    private static let host = HTTPField.Name(constant: "Host")

    /// Returns the part of the referrer that another origin may see: at most its origin, and nothing if a secure origin
    /// would be sent over an insecure connection (RFC 9110 §10.1.3).
    private static func referer(_ referer: String, goingTo destination: Origin?) -> String? {
        guard let source = Origin(referer), let destination else { return nil }
        if source == destination { return referer }
        if source.scheme == "https", destination.scheme != "https" { return nil }
        return "\(source)/"
    }
}
