import HTTPChainCore

/// An error that ends a script of a ``LoopbackServer``.
package struct LoopbackError: HTTPChainError {
    /// A description of what happened.
    package enum Problem: Sendable, Hashable {
        /// The client closed or reset the connection.
        case peerClosed
        /// The script had closed the connection.
        case closed
        /// The client sent a malformed HTTP/1.1 message.
        case malformed(String)
        /// The client sent more than the script allows.
        case tooLarge(limit: Int)
        /// A socket operation failed.
        case socket(String)
    }

    /// A description of what happened.
    package let problem: Problem

    /// Creates the error for a problem.
    package init(_ problem: Problem) {
        self.problem = problem
    }

    package var stage: String { "loopback server" }

    /// A sentence with what happened.
    package var reason: String {
        switch problem {
        case .peerClosed: "the client ended the connection"
        case .closed: "the script has closed this connection"
        case .malformed(let what): "the client's message is malformed: \(what)"
        case .tooLarge(let limit): "the client sent more than \(limit) bytes, more than are allowed"
        case .socket(let message): message
        }
    }
}
