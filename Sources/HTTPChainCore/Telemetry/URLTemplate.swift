import HTTPTypes

/// The template of a request's URL, for traces and metrics; ``Request/urlTemplate(_:)`` is the short way to it.
public enum URLTemplate: RequestOption {
    /// The template that the URL builder was given, where it has variables.
    public static var defaultValue: String? { nil }
}

extension Request {
    /// The request, known to traces and metrics by a template of its URL.
    ///
    /// ```swift
    /// let request = Request.get("https://api.example.com/users/\(id)").urlTemplate("/users/{id}")
    /// ```
    ///
    /// A URL builder tells the template of a reference with variables by itself.
    ///
    /// - Parameter template: An absolute path with placeholders, the same for every call of its kind: never one of the
    ///   many URLs that it stands for.
    public consuming func urlTemplate(_ template: String) -> Request {
        options[URLTemplate.self] = template
        return self
    }

    /// The template that the request's URL is one of: that of the call, or that of the URL builder.
    ///
    /// - Returns: `nil` where there is none, and where a redirect has led to another path.
    package func knownTemplate(in record: CallRecord?) -> String? {
        guard let template = options[URLTemplate.self] ?? record?.template else { return nil }
        guard let target = record?.target else { return template }
        // What is inside may have added to the query, a key for example; the template stays what it is.
        let isSame =
            target.authority == head.authority
            && target.path?.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(
                (head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
            ) ?? true
        return isSame ? template : nil
    }
}
