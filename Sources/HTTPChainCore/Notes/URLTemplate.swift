import HTTPTypes

/// The template of a request's URL, for traces and metrics; see also ``Request/urlTemplate(_:)``.
package enum URLTemplateNote: RequestOption, RequestNote {
    /// Defaults to the URL builder's template, if it has variables.
    package static var defaultValue: String? { nil }
    /// Always `false`: it only names the call.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the request with a template of its URL for traces and metrics.
    ///
    /// ```swift
    /// let request = Request.get("https://api.example.com/users/\(id)").urlTemplate("/users/{id}")
    /// ```
    ///
    /// A URL builder sets the template automatically if a reference has variables.
    ///
    /// - Parameter template: An absolute path with placeholders, identical for all calls of the same kind; never an
    ///   actual URL.
    public consuming func urlTemplate(_ template: String) -> Request {
        options[URLTemplateNote.self] = template
        return self
    }

    /// Returns the template of the request's URL: the call's, or the URL builder's.
    ///
    /// - Returns: `nil` if there is none, or if a redirect has led to another path.
    package func knownTemplate(in record: CallRecord?) -> String? {
        guard let template = options[URLTemplateNote.self] ?? record?.template else { return nil }
        guard let target = record?.target else { return template }
        // Compares without the query, because inner stages may have added to it, such as a key; the template still
        // applies.
        let isSame =
            target.authority == head.authority
            && target.path?.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(
                (head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
            ) ?? true
        return isSame ? template : nil
    }
}
