import Foundation
import HTTPChainCore

/// Waits on a loopback address for the browser's callback, RFC 8252 §7.3.
///
/// The owner must call ``close()``.
final class LoopbackRedirectServer: Sendable {
    /// The port it listens on.
    let port: UInt16
    let path: String
    let page: String
    /// The time for a connection to send its head, in seconds.
    let patience: TimeInterval
    private let sockets: Locked<Sockets?>

    private struct Sockets {
        let listener: Int32
        /// The two ends of a pipe: writing to one end wakes the thread that polls the other.
        let wakes: (reading: Int32, writing: Int32)
        /// Whether a thread is polling, which then closes the sockets itself.
        var isPolled = false
    }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for one chosen by the system.
    ///   - path: The path of the redirect URI.
    ///   - page: The page to show at the end.
    ///   - patience: The time for a connection to send its head, in seconds.
    init(port: UInt16, path: String, page: String, patience: TimeInterval = 10) throws(SignInError) {
        let listener = try LoopbackSocket.listener(at: port)
        guard let bound = LoopbackSocket.port(of: listener), let wakes = LoopbackSocket.makePipe() else {
            let why = LoopbackSocket.lastError
            LoopbackSocket.closeDescriptor(listener)
            throw SignInError(.cannotListen(why))
        }
        self.port = bound
        self.path = path
        self.page = page
        self.patience = patience
        sockets = Locked(Sockets(listener: listener, wakes: wakes))
    }

    /// Waits for the callback, and returns its path and query; call it only once.
    ///
    /// - Parameter isExpected: Whether a path and query belong to the sign-in. Others are skipped.
    /// - Throws: `CancellationError` if the task is cancelled; ``SignInError`` if listening fails, or after too many
    ///   unrelated callbacks.
    func target(_ isExpected: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let taken = sockets.withLock { sockets -> Sockets? in
                    guard sockets?.isPolled == false else { return nil }
                    sockets?.isPolled = true
                    return sockets
                }
                guard let taken else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                Thread { [self] in
                    let result = serve(on: taken.listener, wokenBy: taken.wakes.reading, until: isExpected)
                    closeSockets()
                    continuation.resume(with: result)
                }.start()
            }
        } onCancel: {
            wake()
        }
    }

    /// Stops listening; the waiter gets a `CancellationError`.
    func close() {
        let isPolled = sockets.withLock { $0?.isPolled ?? false }
        if isPolled { wake() } else { closeSockets() }
    }

    private func wake() {
        sockets.withLock { sockets in
            guard let sockets else { return }
            LoopbackSocket.writeBytes(Data([0]), to: sockets.wakes.writing)
        }
        // If polling hasn't started yet, the first poll reads the byte in the pipe.
    }

    private func closeSockets() {
        sockets.withLock { kept in
            guard let open = kept else { return }
            for descriptor in [open.listener, open.wakes.reading, open.wakes.writing] {
                LoopbackSocket.closeDescriptor(descriptor)
            }
            kept = nil
        }
    }
}
