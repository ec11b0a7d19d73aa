import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A part of a received message.
public struct ReceivedPart: Sendable {
    /// The header fields and their interpretation.
    package let head: MultipartHead
    /// The content, which can be read once, before the next part is requested.
    public let body: HTTPBody

    /// The header fields.
    public var headers: HTTPFields { head.headers }
    /// The name of the form field, if there is one.
    public var name: String? { head.name }
    /// The file name that the sender chose.
    ///
    /// Never use it as a destination for writing.
    public var fileName: String? { head.fileName }
    /// The part's Content-Type, if there is one.
    public var contentType: String? { head.contentType }
    /// The range that the content has in the complete representation, for `multipart/byteranges` (RFC 9110 §14.4).
    public var contentRange: Range<Int64>? { head.contentRange?.range }
}

/// The parts of a multipart message, in order as they arrive.
///
/// ```swift
/// for try await part in try response.parts() {
///     let text = try await part.body.text()
/// }
/// ```
///
/// The parts of a `multipart/byteranges` response (RFC 9110 §14.6) contain their ranges:
///
/// ```swift
/// for try await part in try response.parts() {
///     if let range = part.contentRange { try await file.write(part.body, at: range.lowerBound) }
/// }
/// ```
///
/// The message is read on demand, in constant memory. Read the content of a part before you request the next part.
/// Unread content is then skipped, and reading it later throws ``MultipartError``. Releasing the sequence and its parts
/// discards the rest and cancels the transfer.
///
/// If the body can be read only once, its parts can be iterated only once.
public struct MultipartParts: AsyncSequence, Sendable {
    private let body: HTTPBody
    private let parser: MultipartParser

    /// Makes the sequence of a message's parts.
    ///
    /// - Parameters:
    ///   - body: The body, which is opened when the first part is requested.
    ///   - contentType: The message's Content-Type, of any multipart type.
    ///   - limits: The limits.
    /// - Throws: ``MultipartError`` if the type isn't multipart, or has no valid boundary.
    package init(
        _ body: HTTPBody,
        contentType: String?,
        limits: MultipartLimits = MultipartLimits()
    ) throws(MultipartError) {
        self.body = body
        parser = try MultipartParser(contentType: contentType, limits: limits)
    }

    /// Iterates over the parts.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: PartSource

        /// Returns the next part, or `nil` at the end of the message.
        ///
        /// Skips unread content of the previous part.
        ///
        /// - Throws: ``MultipartError`` if the message is malformed, incomplete, or exceeds a limit; errors from the
        ///   message's body.
        public mutating func next() async throws -> ReceivedPart? {
            try await source.nextPart()
        }
    }

    /// Starts reading.
    ///
    /// The body is opened when the first part is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: PartSource(body, parser: parser))
    }
}

extension Response {
    /// The parts of a multipart response as they arrive: `multipart/mixed`, `multipart/form-data`,
    /// `multipart/byteranges` (RFC 9110 §14.6) or any other multipart type.
    ///
    /// - Parameter limits: The limits.
    /// - Throws: ``MultipartError`` if the Content-Type isn't multipart, or has no valid boundary.
    public func parts(limits: MultipartLimits = MultipartLimits()) throws(MultipartError) -> MultipartParts {
        try MultipartParts(body, contentType: headers[.contentType], limits: limits)
    }
}
