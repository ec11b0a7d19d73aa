public import HTTPChainCore
public import HTTPTypes

/// A check of accepted responses, for services that report failures in the content of a 200.
///
/// ```swift
/// StatusValidationMiddleware(check: ResponseCheck { head, content in
///     if content.text?.contains("\"ok\":false") == true { throw ShopError.refused }
/// })
/// ```
public struct ResponseCheck: Sendable {
    let limit: ByteCount
    let check: @Sendable (_ head: HTTPResponse, _ content: BodyPreview) async throws -> Void

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - limit: The amount of content to read for the check. Defaults to 64 KiB. Longer content is truncated for the
    ///     check, but complete for the caller.
    ///   - check: Checks a response's head and the beginning of its content, and throws the call's error if the response
    ///     is a failure.
    public init(
        reading limit: ByteCount = .kibibytes(64),
        _ check: @escaping @Sendable (_ head: HTTPResponse, _ content: BodyPreview) async throws -> Void
    ) {
        self.limit = limit
        self.check = check
    }
}
