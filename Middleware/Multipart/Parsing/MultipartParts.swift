import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A part of a message that arrived.
public struct ReceivedPart: Sendable {
    /// The header fields, and what they say.
    public let head: MultipartHead
    /// The content, which can be read once, and before the next part is asked for.
    public let body: HTTPBody

    /// The header fields.
    public var headers: HTTPFields { head.headers }
    /// The name of the form field, where there is one.
    public var name: String? { head.name }
    /// The file name that the sender chose; see ``ContentDisposition/fileName`` before writing to it.
    public var fileName: String? { head.fileName }
    /// The part's Content-Type, where there is one.
    public var contentType: String? { head.contentType }
    /// Of `multipart/byteranges`: where in the whole the content belongs (RFC 9110 §14.4).
    public var contentRange: Range<Int64>? { head.contentRange?.range }
}

/// The parts of a multipart message, in order, as they arrive.
///
/// ```swift
/// for try await part in try response.parts() {
///     let text = try await part.body.text()
/// }
/// ```
///
/// The ranges of a `multipart/byteranges` response (RFC 9110 §14.6) say where they belong:
///
/// ```swift
/// for try await part in try response.parts() {
///     if let range = part.contentRange { try await file.write(part.body, at: range.lowerBound) }
/// }
/// ```
///
/// The message is read as far as it is asked for, in constant memory. The content of a part is read before the next
/// part is asked for; what is left of it then is skipped, and reading it later throws ``MultipartError``. Dropping the
/// sequence and its parts discards the rest, and cancels a transfer behind it.
///
/// The parts of a body that can be read once can be gone through once.
public struct MultipartParts: AsyncSequence, Sendable {
    private let body: HTTPBody
    private let parser: MultipartParser

    /// Takes a message's body.
    ///
    /// - Parameters:
    ///   - body: The body; it is opened when the first part is asked for.
    ///   - contentType: The message's Content-Type, of any multipart type.
    ///   - limits: What is refused.
    /// - Throws: ``MultipartError`` when the type is not multipart, or has no usable boundary.
    public init(_ body: HTTPBody, contentType: String?, limits: MultipartLimits = .standard) throws(MultipartError) {
        self.body = body
        parser = try MultipartParser(contentType: contentType, limits: limits)
    }

    /// Reads parts.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: PartSource

        fileprivate init(_ source: PartSource) {
            self.source = source
        }

        /// The next part, or `nil` at the end of the message; an unread rest of the part before is skipped.
        ///
        /// - Throws: ``MultipartError`` when the message is malformed, incomplete or beyond a limit; what reading the
        ///   message throws.
        public mutating func next() async throws -> ReceivedPart? {
            try await source.nextPart()
        }

        /// The next part, or `nil` at the end of the message; an unread rest of the part before is skipped.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedPart? {
            try await source.nextPart()
        }
    }

    /// Begins to read; the body is opened when the first part is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(PartSource(body, parser: parser))
    }
}

extension Response {
    /// The parts of a multipart response, as they arrive: `multipart/mixed`, `multipart/form-data`,
    /// `multipart/byteranges` (RFC 9110 §14.6) or any other multipart type.
    ///
    /// - Parameter limits: What is refused.
    /// - Throws: ``MultipartError`` when the Content-Type is not multipart, or has no usable boundary.
    public func parts(limits: MultipartLimits = .standard) throws(MultipartError) -> MultipartParts {
        try MultipartParts(body, contentType: headers[.contentType], limits: limits)
    }
}
