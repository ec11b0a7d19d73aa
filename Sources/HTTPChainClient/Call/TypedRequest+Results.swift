public import Foundation
public import HTTPChainCore

extension TypedRequest where Output: Decodable {
    /// The value that is decoded.
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
    /// The text, not decoded.
    public var result: ResultKind<Output> { .text }
}

extension TypedRequest where Output == Data? {
    /// The bytes, if there is content.
    public var result: ResultKind<Output> { .data }
}

extension TypedRequest where Output == String? {
    /// The text, if there is content.
    public var result: ResultKind<Output> { .text }
}

extension TypedRequest where Output == TemporaryFile {
    /// A file.
    public var result: ResultKind<Output> { .file }
}

extension TypedRequest where Output == HTTPBody {
    /// A stream.
    public var result: ResultKind<Output> { .stream }
}

extension TypedRequest where Output == Response {
    /// The response.
    public var result: ResultKind<Output> { .response }
}
