#if Valkey
public import HTTPChainCore

/// A Valkey or Redis server did not do what it was asked.
public struct ValkeyError: HTTPChainError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// There is no connection, and none can be made now.
        case unavailable
        /// The connection ended before the answer came; the command may have been carried out.
        case connectionLost
        /// The answer took too long; the command may have been carried out.
        case timeout
        /// More commands wait for answers than may.
        case busy
        /// The server answered with an error.
        case server
        /// The server sent what is no answer.
        case malformedReply
        /// The client was shut down.
        case closed
    }

    /// The problem.
    public let kind: Kind
    /// The server, as "host:port".
    public let server: String
    /// The message of the server or the network, without secrets and control characters, and cut to 200 characters;
    /// empty for nothing.
    public let detail: String

    /// - Parameters:
    ///   - detail: The message as it came.
    ///   - secrets: Texts that the message may repeat and that nobody may read.
    package init(_ kind: Kind, server: String, detail: String = "", secrets: [String] = []) {
        self.kind = kind
        self.server = server
        // Most have none, and may come often while a server is away.
        guard !detail.isEmpty else {
            self.detail = ""
            return
        }
        let scalars = detail.unicodeScalars
        // Cut first, so that no more than that is looked at for secrets.
        let beginning = String(scalars.prefix(Self.longestDetail))
        let isCutOff = beginning.utf8.count < detail.utf8.count
        let redacted = Redaction.standard.adding(values: secrets).text(beginning, isCutOff: isCutOff)
        self.detail = redacted.unicodeScalars.reduce(into: "") { text, scalar in
            text +=
                Self.isInvisible(scalar) ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }
    }

    private static let longestDetail = 200

    /// Whether a terminal may take a scalar for a command: C0, C1, directions of writing and ends of lines.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Always "Valkey".
    public var stage: String { "Valkey" }

    /// The sentence that says what happened, and with which server.
    public var reason: String {
        let what =
            switch kind {
            case .unavailable: "no connection to the Valkey server at \(server) can be made"
            case .connectionLost: "the connection to the Valkey server at \(server) was lost"
            case .timeout: "the Valkey server at \(server) did not answer in time"
            case .busy: "too many commands wait for the Valkey server at \(server)"
            case .server: "the Valkey server at \(server) refused a command"
            case .malformedReply: "what answers at \(server) is no Valkey server"
            case .closed: "the client of the Valkey server at \(server) was shut down"
            }
        return detail.isEmpty ? what : "\(what) (\(detail))"
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        switch kind {
        case .unavailable, .connectionLost, .timeout, .busy: "try again; if it lasts, look at the server"
        case .server: "check the user, the password and what the user may do"
        case .malformedReply: "check host, port and whether TLS is on"
        case .closed: nil
        }
    }
}
#endif
