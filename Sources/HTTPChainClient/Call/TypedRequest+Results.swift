public import Foundation
public import HTTPChainCore

extension TypedRequest where Output: Decodable {
    /// The decoded value.
    public var result: ResultKind<Output> { .decoded }
}

extension TypedRequest where Output == Void {
    /// No result.
    public var result: ResultKind<Output> { .nothing }
}

extension TypedRequest where Output == Data {
    /// The bytes.
    public var result: ResultKind<Output> { .data }
}

extension TypedRequest where Output == String {
    /// The body as text.
    public var result: ResultKind<Output> { .text }
}

extension TypedRequest where Output == Data? {
    /// The bytes; `nil` if there is no content.
    public var result: ResultKind<Output> { .data }
}

extension TypedRequest where Output == String? {
    /// The text; `nil` if there is no content.
    public var result: ResultKind<Output> { .text }
}

extension TypedRequest where Output == TemporaryFile {
    /// A temporary file.
    public var result: ResultKind<Output> { .file }
}

extension TypedRequest where Output == HTTPBody {
    /// The body as a stream.
    public var result: ResultKind<Output> { .stream }
}

extension TypedRequest where Output == Response {
    /// The response.
    public var result: ResultKind<Output> { .response }
}
