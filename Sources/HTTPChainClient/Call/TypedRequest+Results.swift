import Foundation
public import HTTPChainCore

extension TypedRequest where Output: Decodable {
    /// The decoded value.
    ///
    /// For `Data` it is the bytes, and for `String` the text of the body. An optional of these is `nil` if there is no
    /// content.
    public var result: ResultKind<Output> { .natural }
}

extension TypedRequest where Output == Void {
    /// No result.
    public var result: ResultKind<Output> { .nothing }
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
