#if Valkey
public import HTTPChainCore

/// An error for a failed command to a Valkey or Redis server.
public struct ValkeyError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// There is no connection, and none can be established now.
        case unavailable
        /// The connection ended before the reply arrived; the command may have been executed.
        case connectionLost
        /// The reply took too long; the command may have been executed.
        case timeout
        /// There are too many pending commands.
        case busy
        /// The server replied with an error.
        case server
        /// The server sent an invalid reply.
        case malformedReply
        /// The client was shut down.
        case closed
    }

    /// The problem.
    public let kind: Kind
    /// The server, as "host:port".
    package let server: String
    /// The message of the server or the network, without secrets and control characters, and truncated to 200
    /// characters; empty if there is none.
    public let detail: String

    /// - Parameters:
    ///   - detail: The original message.
    ///   - secrets: Secrets that the message may contain.
    package init(_ kind: Kind, server: String, detail: String = "", secrets: [String] = []) {
        self.kind = kind
        self.server = server
        // This is fast, because most errors have no message, and errors may be frequent while a server is unavailable.
        guard !detail.isEmpty else {
            self.detail = ""
            return
        }
        let scalars = detail.unicodeScalars
        // Truncates the message first, so that only the part that is shown is searched for secrets.
        let beginning = String(scalars.prefix(Self.longestDetail))
        let isCutOff = beginning.utf8.count < detail.utf8.count
        let redacted = Redaction.standard.adding(values: secrets).text(beginning, isCutOff: isCutOff)
        self.detail = redacted.unicodeScalars.reduce(into: "") { text, scalar in
            text +=
                Self.isInvisible(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }
    }

    private static let longestDetail = 200

    /// Whether a terminal may interpret a scalar as a command: C0, C1, writing directions and line ends.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Always "Valkey".
    package var failedStage: String { "Valkey" }

    package var explanation: Explanation {
        let patience = "try again; if it persists, check the server"
        let (what, advice): (String, String?) =
            switch kind {
            case .unavailable: ("cannot connect to the Valkey server at \(server)", patience)
            case .connectionLost: ("the connection to the Valkey server at \(server) was lost", patience)
            case .timeout: ("the Valkey server at \(server) did not respond in time", patience)
            case .busy: ("too many commands are waiting for the Valkey server at \(server)", patience)
            case .server:
                (
                    "the Valkey server at \(server) rejected a command",
                    "check the user, the password and the user's permissions"
                )
            case .malformedReply:
                (
                    "the server at \(server) is not a Valkey server",
                    "check the host, the port and whether TLS is enabled"
                )
            case .closed: ("the client of the Valkey server at \(server) was shut down", nil)
            }
        return Explanation(detail.isEmpty ? what : "\(what) (\(detail))", advice)
    }
}
#endif
