import HTTPChainCore
import HTTPTypes

/// Sends every request to one server, whatever authority it names.
///
/// The chain outside sees the URL as the client does, so that what is stored is known by that URL (RFC 9110 §7.1); the
/// server is told by `Host` which authority the client asked for.
struct UpstreamTransport: Transport {
    private let origin: Origin
    private let inner: any Transport

    init(origin: Origin, over inner: any Transport) {
        self.origin = origin
        self.inner = inner
    }

    var capabilities: TransportCapabilities { inner.capabilities }

    func send(_ request: consuming Request) async throws -> Response {
        if let asked = request.head.authority, request.head.headerFields[.host] == nil {
            request.head.headerFields[.host] = asked
        }
        request.head.scheme = origin.scheme
        request.head.authority = "\(origin.host):\(origin.port)"
        // RFC 9110 §7.6.3: a gateway says that it forwarded the request.
        request.head.headerFields.append(HTTPField(name: .via, value: "1.1 caching-proxy"))
        return try await inner.send(request)
    }
}

extension HTTPField.Name {
    /// RFC 9110 §7.2; a field here, because it is not the authority of the connection.
    static let host = Self("Host") ?? .via
}
