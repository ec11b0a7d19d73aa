package import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

/// Checks that the errors of a transport redact what the redaction of its chain names: in the URL, the fields and the
/// response, if a response breaks off and if there is no connection.
///
/// - Parameter transport: A transport that reaches servers on the loopback interface.
package func checkOwnRedaction(of transport: some Transport) async throws {
    var redaction = Redaction.standard
    redaction.fieldNames.insert("x-plant-gate")
    redaction.queryNames.insert("plant")
    let chain = try Chain(transport: transport, environment: ChainEnvironment(redaction: redaction))
    let name = try #require(HTTPField.Name("X-Plant-Gate"))
    let server = try await LoopbackServer.start { exchange in
        try await exchange.writeHead(200, [("X-Plant-Gate", "tulip-4711"), ("Content-Length", "9")])
        try await exchange.write("short")
        await exchange.close()
    }
    let response = try await chain.send(.get(server.url("/?plant=tulip-4711"), headers: [name: "tulip-4711"]))
    #expect(response.headers[name] == "tulip-4711" && !"\(response)".contains("tulip"))
    let cut = await #expect(throws: TransportError.self) { try await response.body.collect() }
    #expect(cut?.exchange?.response?.headerFields[name] == Redaction.placeholder)
    #expect(cut?.exchange?.requestFields[name] == Redaction.placeholder)
    #expect(cut?.description.contains("tulip") == false)
    await server.stop()
    let refused = await #expect(throws: TransportError.self) {
        try await chain.send(.get("http://127.0.0.1:1/?plant=tulip-4711", headers: [name: "tulip-4711"]))
    }
    #expect(refused?.exchange?.url.contains("plant=") == true)
    #expect(refused?.description.contains("tulip") == false)
}
