import Foundation
package import HTTPChainCore
package import HTTPChainTesting
import HTTPTypes
import Testing

/// What carries requests to a service in memory: nothing, or real sockets.
///
/// A test over both shows that what it proves holds for more than mocks.
package enum Way: String, CaseIterable, CustomTestStringConvertible {
    /// The service is the transport.
    case memory
    /// The service answers a server on the loopback interface.
    case loopback

    package var testDescription: String { rawValue }

    /// A transport to a service, and the base of its URLs there.
    ///
    /// - Parameters:
    ///   - service: What answers.
    ///   - base: The base of the URLs that the service sees: a scheme and a host.
    ///   - network: The transport over sockets.
    /// - Returns: The transport, which keeps the server that it reaches.
    package func transport(
        to service: some Transport,
        at base: String,
        over network: @autoclosure () -> some Transport
    ) async throws -> (transport: any Transport, base: String) {
        switch self {
        case .memory: return (service, base)
        case .loopback:
            let server = try await LoopbackServer.start { try await $0.answer(from: service, at: base) }
            return (ServedTransport(network: network(), server: server), server.origin)
        }
    }
}

/// Reaches a server, which goes away with it.
private struct ServedTransport<Network: Transport>: Transport {
    let network: Network
    let server: LoopbackServer

    var capabilities: TransportCapabilities { network.capabilities }
    var optionsRead: [any RequestOption.Type] { network.optionsRead }
    var name: String { network.name }

    func send(_ request: consuming Request) async throws -> Response { try await network.send(request) }
}

extension LoopbackExchange {
    /// Answers as a service in memory does; where that breaks, so does the connection.
    ///
    /// What the service says of its own URLs is true of the server's, as with a proxy that stands for it.
    package func answer(from service: some Transport, at base: String) async throws {
        guard let method = HTTPRequest.Method(request.method) else { throw LoopbackMethodError() }
        let body = try await readBody()
        var fields = HTTPFields()
        for field in request.fields {
            guard let name = HTTPField.Name(field.name), field.name.lowercased() != "host" else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let here = "http://" + (request.values("Host").first ?? "")
        let sent = Request(method, base + request.target, headers: fields, body: HTTPBody(body))
        let response = try await service.send(sent)
        let head = response.headers.map { ($0.name.rawName, $0.value.replacing(base, with: here)) }
        if response.body.length != nil {
            let bytes = try await response.body.collect(upTo: .mebibytes(16))
            let text = String(data: bytes, encoding: .utf8)?.replacing(base, with: here)
            try await reply(response.status.code, fields: head, body: text.map { Data($0.utf8) } ?? bytes)
            return
        }
        try await beginChunks(response.status.code, fields: head)
        var reader = try await response.body.makeReader()
        while let chunk = try await reader.read() { try await writeChunk(chunk) }
        try await finishChunks()
    }
}

private struct LoopbackMethodError: Error {}
