/// The fragment of a request's URL; ``Request/fragment`` is the short way to it.
public enum URLFragment: RequestOption {
    /// None.
    public static var defaultValue: String? { nil }
}

extension Request {
    /// The fragment of the URL that the request was made for, without the `#`; `nil` where there is none.
    ///
    /// It is never sent. Whoever follows a redirect needs it: the fragment goes along to a target that has none of its
    /// own (RFC 9110 §10.2.2).
    public var fragment: String? {
        get { options[URLFragment.self] }
        set {
            if let newValue {
                options[URLFragment.self] = newValue
            } else {
                options.remove(URLFragment.self)
            }
        }
    }
}
