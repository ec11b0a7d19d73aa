/// Whether a URL may have an origin other than that of the base.
///
/// Some references are deceptive: `//other.example/a` leads to another server, and so does `/\t/other.example/a` with a
/// tab in it. If references come from data, `refused` keeps calls, with their fields and content, on the base's origin.
public enum LeavesOrigin: Sendable, Hashable {
    /// References with a host and complete URLs are used unchanged.
    case allowed
    /// A reference with another host, or a complete URL of another origin, throws a ``URLBuilderError``, unless the
    /// call allows it (``HTTPChainCore/Request/url(leavesOrigin:)``).
    ///
    /// The origin of a custom builder's URL isn't checked. Redirects follow the rules of their own stage.
    case refused
}
