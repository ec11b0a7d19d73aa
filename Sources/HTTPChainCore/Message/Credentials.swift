package import HTTPTypes

/// Which fields of a request are credentials: one rule for what is shown, what goes to another origin, and whose a
/// stored or shared response is.
extension Redaction {
    /// Whether a field says who makes a request: its name is that of a secret, or it is marked as one.
    ///
    /// The fields of the standards count whatever the names of the redaction are.
    package func isCredential(_ field: HTTPField) -> Bool {
        field.name == .authorization || field.name == .proxyAuthorization || field.name == .cookie || isSecret(field)
    }
}

extension HTTPFields {
    /// The fields that say who makes a request, as text and in one order.
    package func credentials(by redaction: Redaction) -> [String] {
        filter(redaction.isCredential).map { "\($0.name.canonicalName): \($0.value)" }.sorted()
    }
}

extension Request {
    /// Whether the request says by itself who makes it: in header fields, or in an option that is a credential.
    package var bringsCredentials: Bool {
        options.hasCredentials
            || !head.headerFields.isEmpty && head.headerFields.contains(where: redaction.isCredential)
    }

    /// Removes what belongs to the origin that the request leaves (RFC 9110 §15.4): fields and options that are
    /// credentials, the `Host` field, and all but the origin of `Referer`.
    ///
    /// Fields that are bound to the other origin stay.
    ///
    /// - Parameters:
    ///   - destination: Where it will go; nil if that is not known.
    ///   - redaction: The rules of the call.
    package mutating func removeCredentials(goingTo destination: Origin?, redaction: Redaction) {
        removeFields(boundToOthersThan: destination)
        options.removeCredentials()
        let bound = options[OriginBoundFields.self]
        for name in Set(head.headerFields.lazy.filter(redaction.isCredential).map(\.name)) where bound[name] == nil {
            head.headerFields[name] = nil
        }
        head.headerFields[Self.host] = nil
        head.headerFields[.referer] = head.headerFields[.referer].flatMap { referer in
            Self.referer(referer, goingTo: destination)
        }
    }

    private static let host = HTTPField.Name(constant: "Host")

    /// What another origin may learn of where the request comes from: the origin at most, and nothing of a secured one
    /// over an unsecured connection (RFC 9110 §10.1.3).
    private static func referer(_ referer: String, goingTo destination: Origin?) -> String? {
        guard let source = Origin(referer), let destination else { return nil }
        if source == destination { return referer }
        if source.scheme == "https", destination.scheme != "https" { return nil }
        return "\(source)/"
    }
}
