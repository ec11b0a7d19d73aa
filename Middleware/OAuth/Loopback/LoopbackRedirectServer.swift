import Foundation
import HTTPChainCore

/// Waits on a loopback address for the browser to come back from the authorization server, RFC 8252 §7.3.
///
/// It is closed by ``close()``, which whoever makes it has to call.
final class LoopbackRedirectServer: Sendable {
    /// Where it listens.
    let port: UInt16
    private let path: String
    private let page: String
    private let patience: TimeInterval
    private let sockets: Locked<Sockets?>

    private struct Sockets {
        let listener: Int32
        /// The two ends of a pipe: bytes written to one end wake whoever polls the other.
        let wakes: (reading: Int32, writing: Int32)
        /// The thread that polls closes the sockets itself.
        var isPolled = false
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for one that the system chooses.
    ///   - path: What the browser comes back to.
    ///   - page: What it shows then.
    ///   - patience: The time that a connection has to send its head, in seconds.
    init(port: UInt16, path: String, page: String, patience: TimeInterval = 10) throws(SignInError) {
        let listener = try LoopbackSocket.listen(at: port)
        guard let bound = LoopbackSocket.port(of: listener), let wakes = LoopbackSocket.pipe() else {
            let why = LoopbackSocket.lastError
            LoopbackSocket.close(listener)
            throw SignInError(.cannotListen(why))
        }
        self.port = bound
        self.path = path
        self.page = page
        self.patience = patience
        sockets = Locked(Sockets(listener: listener, wakes: wakes))
    }

    /// The path and query that the browser comes back with; to be asked for once.
    ///
    /// - Parameter isExpected: Whether a path and query belong to the sign-in; the wait goes on after others.
    /// - Throws: `CancellationError` when the task is cancelled; ``SignInError`` when listening fails, and after too
    ///   many callbacks that do not belong to the sign-in.
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
                let poll = LoopbackPoll(
                    listener: taken.listener,
                    wake: taken.wakes.reading,
                    port: port,
                    path: path,
                    page: page,
                    patience: patience,
                    isExpected: isExpected
                )
                Thread { [self] in
                    let result = poll.run()
                    closeSockets()
                    continuation.resume(with: result)
                }.start()
            }
        } onCancel: {
            wake()
        }
    }

    /// Ends it; whoever waits gets a `CancellationError`.
    func close() {
        let isPolled = sockets.withLock { $0?.isPolled ?? false }
        if isPolled { wake() } else { closeSockets() }
    }

    private func wake() {
        sockets.withLock { sockets in
            guard let sockets else { return }
            LoopbackSocket.write(Data([0]), to: sockets.wakes.writing)
        }
        // Cancelled before it waits: the byte in the pipe is read as soon as it polls.
    }

    private func closeSockets() {
        sockets.withLock { kept in
            guard let open = kept else { return }
            for descriptor in [open.listener, open.wakes.reading, open.wakes.writing] {
                LoopbackSocket.close(descriptor)
            }
            kept = nil
        }
    }
}
