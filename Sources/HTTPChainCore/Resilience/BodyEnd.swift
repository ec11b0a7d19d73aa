import Foundation

/// How the reading of a body ended.
package enum BodyEnd: Sendable {
    /// The body was read to its end.
    case complete
    /// Reading it failed.
    case failed(any Error)
    /// The body was dropped before its end.
    case dropped
}

extension HTTPBody {
    /// Returns the body with a callback that is called when reading ends: at the body's end, on failure, or when it is
    /// dropped.
    ///
    /// A body that is replayable or empty has no transfer behind it: it is returned unchanged, and the callback runs
    /// immediately.
    ///
    /// - Parameter onEnd: The callback, called exactly once; it must return quickly.
    package func notifying(_ onEnd: @escaping @Sendable (BodyEnd) -> Void) -> HTTPBody {
        guard hasTransfer else {
            onEnd(.complete)
            return self
        }
        let watch = EndWatch(onEnd)
        return .once(length: length) { EndReader(inner: try await watch.open(self), watch: watch) }
    }

    /// Whether a transfer may be in progress behind the body while it is read.
    package var hasTransfer: Bool { !isReplayable && !isEmpty }
}

/// Reports the end once; if it is deallocated first, it reports that the body was dropped.
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
