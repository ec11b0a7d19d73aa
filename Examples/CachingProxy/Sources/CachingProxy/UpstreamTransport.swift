import HTTPChainCore
import HTTPTypes

/// Sends every request to one server, regardless of its authority.
///
/// The chain sees the client's URL, so responses are stored under that URL (RFC 9110 §7.1). The server receives the
/// client's authority in `Host`.
struct UpstreamTransport: Transport {
    private let origin: Origin
    private let inner: any Transport

    init(origin: Origin, over inner: any Transport) {
        self.origin = origin
        self.inner = inner
    }

    var capabilities: TransportCapabilities { inner.capabilities }
    var optionsRead: [any RequestOption.Type] { inner.optionsRead }

    func send(_ request: consuming Request) async throws -> Response {
        if let asked = request.head.authority, request.head.headerFields[.host] == nil {
            request.head.headerFields[.host] = asked
        }
        request.head.scheme = origin.scheme
        request.head.authority = "\(origin.host):\(origin.port)"
        // RFC 9110 §7.6.3: a gateway declares that it forwarded the request.
        request.head.headerFields.append(HTTPField(name: .via, value: "1.1 caching-proxy"))
        return try await inner.send(request)
    }
}

extension HTTPField.Name {
    /// The name of the `Host` field, RFC 9110 §7.2.
    ///
    /// It is set as a field, because its value isn't the connection's authority.
    static let host = Self("Host") ?? .via
}
