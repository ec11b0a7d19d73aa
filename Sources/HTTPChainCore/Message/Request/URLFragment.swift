/// The fragment of a request's URL; see also ``Request/fragment``.
package enum URLFragmentNote: RequestOption, RequestNote {
    /// No fragment.
    package static var defaultValue: String? { nil }
}

extension Request {
    /// The fragment of the request's original URL, without the `#`, or `nil` if there is none.
    ///
    /// It is never sent. When a redirect is followed, a target without a fragment inherits it (RFC 9110 §10.2.2).
    package var fragment: String? {
        get { options[URLFragmentNote.self] }
        set {
            if let newValue {
                options[URLFragmentNote.self] = newValue
            } else {
                options.remove(URLFragmentNote.self)
            }
        }
    }
}
