import HTTPChainCore
import Testing

@Suite("Kinds of transport errors")
struct TransportErrorKindTests {
    private static let tunnelClosed = TransportError.Kind("tunnelClosed", "the tunnel is closed")

    @Test("Kinds are open: a transport may have its own, with a name for logs and a sentence for people")
    func own() {
        let error = TransportError(Self.tunnelClosed, sent: .nothing, stage: "TunnelTransport")
        #expect("\(error.kind)" == "tunnelClosed")
        #expect(error.reason == "the tunnel is closed; nothing was sent")
        #expect(error.kind == TransportError.Kind("tunnelClosed", "in other words"))
        #expect(![.connectionLost, .cannotConnect].contains(error.kind))
        switch error.kind {
        case .timedOut: Issue.record("another kind")
        default: break
        }
    }

    @Test("Kinds have a name each")
    func names() {
        let kinds: [TransportError.Kind] = [
            .hostNotFound, .cannotConnect, .secureConnectionFailed, .untrustedServer, .networkNotAllowed,
            .insecureConnectionNotAllowed, .connectionLost, .malformedResponse, .truncatedBody, .timedOut, .shutDown,
            .other,
        ]
        #expect(Set(kinds).count == kinds.count)
        #expect(Set(kinds.map(\.reason)).count == kinds.count)
    }
}
