/// A stage that lets calls share a response: the stages outside it that tell users apart ask whether it does so too.
package protocol SharingMiddleware: Middleware {
    /// The rule that keeps users apart in it.
    var userPartition: UserPartition { get }
}

/// The object that keeps the cookies of a response to this call, if a stage does: a response that sets cookies is
/// shared by the calls that have the same one.
package enum CookieKeeper: RequestOption {
    package static var defaultValue: (any AnyObject & Sendable)? { nil }
}
