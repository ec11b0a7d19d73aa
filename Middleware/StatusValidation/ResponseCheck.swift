public import HTTPChainCore
public import HTTPTypes

/// A check of responses whose status is accepted: for services that tell of failures in the content of a 200.
///
/// ```swift
/// StatusValidationMiddleware(check: ResponseCheck { head, content in
///     if content.text?.contains("\"ok\":false") == true { throw ShopError.refused }
/// })
/// ```
public struct ResponseCheck: Sendable {
    /// Looks at the head of a response and at how its content begins.
    public typealias Check = @Sendable (_ head: HTTPResponse, _ content: BodyPreview) async throws -> Void

    let limit: ByteCount
    let check: Check

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - limit: How much of the content is read for it, 64 KiB by default; longer content is truncated in the
    ///     preview, and whole for the caller.
    ///   - check: Throws what the call is to fail with.
    public init(reading limit: ByteCount = .kibibytes(64), _ check: @escaping Check) {
        self.limit = limit
        self.check = check
    }
}
