import FlyingSocks

/// The content of a connection's last response.
///
/// The error at its end makes the server close the connection, so that the unread rest of a request isn't mistaken for
/// another request.
struct LastBytes: AsyncBufferedSequence {
    typealias Element = UInt8

    struct ConnectionEnds: Error {}

    let bytes: [UInt8]

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: bytes[...])
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate var rest: ArraySlice<UInt8>

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            guard !rest.isEmpty else { throw ConnectionEnds() }
            let part = rest.prefix(Swift.max(1, count))
            rest = rest.dropFirst(part.count)
            return part
        }
    }
}
