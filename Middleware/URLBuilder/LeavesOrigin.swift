/// Whether a URL may have an origin other than the base's.
///
/// Some references are deceptive: `//other.example/a`, and `/\t/other.example/a` with a tab in it, lead to another
/// server. If references come from data, `refused` keeps calls, with their fields and content, on the base's origin.
public enum LeavesOrigin: Sendable, Hashable {
    /// References with a host and complete URLs are used unchanged.
    case allowed
    /// A reference with another host or a complete URL of another origin throws a ``URLBuilderError``, unless the call
    /// allows it (``HTTPChainCore/Request/url(leavesOrigin:)``).
    ///
    /// The origin of a custom builder's URL isn't checked. Redirects are followed by their own stage's rules.
    case refused
}
