import HTTPChainCore

extension Origin {
    /// Whether nobody on the way can read what is sent: it goes over TLS, or does not leave this machine.
    package var isConfidential: Bool { scheme == "https" || isLoopback }

    /// RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3.
    private var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
