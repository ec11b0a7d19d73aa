// The service that a harness of the SSE contract tests drives.
//
//     swift run --traits AsyncHTTPClient EventContractService [port]
//     sse-contract-tests --url http://127.0.0.1:8000 --stop-service-at-end

import Foundation
import HTTPChainCore
import HTTPChainRedirect
import HTTPChainTesting

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient

let transport = AsyncHTTPClientTransport()
#else
import HTTPChainURLSession

let transport = URLSessionTransport()
#endif

let chain = try Chain(transport: transport) { RedirectMiddleware() }
let service = ContractService(over: chain)
let port = CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 8_000
let server = try await LoopbackServer.start(port: port) { try await service.answer($0) }
print(
    "The service is at \(server.origin), with the capabilities \(ContractService.capabilities.joined(separator: ", "))"
)
try await service.waitUntilStopped()
await server.stop()
