/// A stage far inside that needs the record of a call from its beginning, for what only all attempts together tell.
///
/// A chain with such a stage gives each request a ``CallRecord`` before the first stage sees it, so that repeats,
/// redirects and answers to challenges share it.
package protocol CallRecordingMiddleware: Middleware {
    /// Whether the stage may have a use for the record of any call; asked when a chain is built.
    var recordsCalls: Bool { get }

    /// Whether the stage has a use for the record of a call; asked for each, before the first stage sees it.
    func wantsRecord(of request: borrowing Request) -> Bool
}
