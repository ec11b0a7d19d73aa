import Foundation
import HTTPChainCore

/// Allows each read, which runs in a separate task, to use the reader of a body.
///
/// The connection is closed when this actor is released.
actor StreamSource {
    private enum State {
        case unopened(HTTPBody)
        case open(any BodyReader)
        case taken
    }
    private var state: State

    init(_ body: HTTPBody) {
        state = .unopened(body)
    }

    /// Returns the next chunk; nil at the end.
    func read() async throws -> Data? {
        let taken = state
        state = .taken
        var reader: any BodyReader
        switch taken {
        case .unopened(let body): reader = try await body.makeReader()
        case .open(let open): reader = open
        case .taken: return nil
        }
        let chunk = try await reader.read()
        if chunk != nil { state = .open(reader) }
        return chunk
    }
}
