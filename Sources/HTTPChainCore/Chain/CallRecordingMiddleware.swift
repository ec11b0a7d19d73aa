/// A stage that needs the record of a call from its beginning, for data that spans all attempts.
///
/// A chain with such a stage gives each request a ``CallRecord`` before the first stage sees it, so that retries,
/// redirects and responses to challenges share it.
package protocol CallRecordingMiddleware: Middleware {
    /// Whether the stage may need the record of any call; read when a chain is built.
    var recordsCalls: Bool { get }

    /// Returns whether the stage needs the record of a call; called for each call, before the first stage sees it.
    func wantsRecord(of request: borrowing Request) -> Bool
}
