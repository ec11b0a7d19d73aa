/// Whether a URL may be on another origin than the base.
///
/// Some references say less than they do: `//other.example/a`, and `/\t/other.example/a` with a tab in it, lead to another
/// server. Where references come from data, a base that holds keeps the call, with its fields and its content, at home.
public enum LeavesOrigin: Sendable, Hashable {
    /// A reference with a host and a complete URL pass through.
    case allowed
    /// A reference with another host and a complete URL of another origin are a ``URLBuilderError``, unless the call
    /// allows it (``HTTPChainCore/Request/leavingOrigin()``).
    ///
    /// What a URL builder of your own returns is its decision and passes. Redirects are followed as their stage says.
    case refused
}
