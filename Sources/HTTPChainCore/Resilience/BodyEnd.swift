import Foundation

/// The end of the reading of a body.
package enum BodyEnd: Sendable {
    /// All of it was read.
    case complete
    /// Reading it failed.
    case failed(any Error)
    /// It was dropped before its end.
    case dropped
}

extension HTTPBody {
    /// The body, and a call when nobody will read on: at its end, at its failure, or when it is dropped.
    ///
    /// A body that can be read again, or is empty, has no transfer behind it: it stays what it is, and the call comes
    /// at once.
    ///
    /// - Parameter onEnd: Called exactly once; it must return quickly.
    package func notifying(_ onEnd: @escaping @Sendable (BodyEnd) -> Void) -> HTTPBody {
        guard hasTransfer else {
            onEnd(.complete)
            return self
        }
        let watch = EndWatch(onEnd)
        return .once(length: length) { EndReader(inner: try await watch.open(self), watch: watch) }
    }

    /// Whether there may be a transfer behind the body, which goes on while it is read.
    package var hasTransfer: Bool { !isReplayable && !isEmpty }
}

/// Tells of the end once; its own end is that of a body which was dropped.
private final class EndWatch: Sendable {
    private let onEnd: Locked<(@Sendable (BodyEnd) -> Void)?>

    init(_ onEnd: @escaping @Sendable (BodyEnd) -> Void) {
        self.onEnd = Locked(onEnd)
    }

    deinit { end(.dropped) }

    func open(_ body: HTTPBody) async throws -> sending any BodyReader {
        do {
            return try await body.makeReader()
        } catch {
            end(.failed(error))
            throw error
        }
    }

    func end(_ how: BodyEnd) {
        let onEnd = onEnd.withLock { onEnd in
            let taken = onEnd
            onEnd = nil
            return taken
        }
        onEnd?(how)
    }
}

private struct EndReader: BodyReader {
    var inner: (any BodyReader)?
    let watch: EndWatch

    init(inner: sending any BodyReader, watch: EndWatch) {
        self.inner = inner
        self.watch = watch
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        do {
            if let chunk = try await inner?.read() { return chunk }
            inner = nil
            watch.end(.complete)
            return nil
        } catch {
            watch.end(.failed(error))
            throw error
        }
    }
}
