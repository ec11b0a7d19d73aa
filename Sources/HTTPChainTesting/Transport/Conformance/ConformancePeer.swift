import Foundation
import HTTPChainCore
import HTTPTypes

extension ConformanceRun {
    /// Returns a script that responds with a handler of whole messages.
    func answering(_ handler: @escaping TransportConformance.Handler) -> LoopbackServer.Script {
        { exchange in
            let response = try await handler(Request(exchange))
            let fields = response.headers.map { ($0.name.rawName, $0.value) }
            if response.body.length != nil {
                try await exchange.reply(
                    response.status.code,
                    fields: fields,
                    body: try await response.body.collect(upTo: .unlimited)
                )
            } else {
                try await exchange.beginChunks(response.status.code, fields: fields)
                for try await chunk in response.body { try await exchange.writeChunk(chunk) }
                try await exchange.finishChunks()
            }
            // A handler may respond without reading the request, but the connection can be reused only if the whole
            // request has been read.
            while try await exchange.readChunk() != nil {}
        }
    }
}

extension Request {
    /// Makes the request that a handler sees from a request on the wire.
    fileprivate init(_ exchange: LoopbackExchange) {
        var fields = HTTPFields()
        for field in exchange.request.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        let length: Int64? =
            switch exchange.request.framing {
            case .none: 0
            case .contentLength(let length): length
            case .chunked: nil
            }
        self.init(
            head: HTTPRequest(
                method: HTTPRequest.Method(exchange.request.method) ?? .get,
                scheme: "http",
                authority: exchange.request.values("Host").first,
                path: exchange.request.target,
                headerFields: fields
            ),
            body: length == 0 ? .empty : .once(length: length) { ExchangeReader(exchange: exchange) }
        )
    }
}

private struct ExchangeReader: BodyReader {
    let exchange: LoopbackExchange

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try await exchange.readChunk()
    }
}
