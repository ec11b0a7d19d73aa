/// A stage far inside that needs the record of a call from its beginning, for what only all attempts together tell.
///
/// A chain with such a stage gives each request a ``CallRecord`` before the first stage sees it, so that repeats,
/// redirects and answers to challenges share it.
package protocol CallRecordingMiddleware: Middleware {
    /// Whether the stage has a use for the record now; asked for each call.
    var wantsCallRecord: Bool { get }
}
