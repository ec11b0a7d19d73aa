// A client made from a declaration (GreenhouseService.swift), against a server in this process.
//
//     swift run --traits Macros Greenhouse

import Foundation
import HTTPChain
import HTTPChainTesting

#if Macros
do {
    let server = try await startGreenhouseServer()
    let chain = try greenhouseChain(base: server.url("/v1"), over: URLSessionTransport())
    let greenhouse = GreenhouseServiceClient(chain: chain)
    try await tour(of: greenhouse) { print($0) }
    try await watch(greenhouse) { print($0) }
    await server.stop()
} catch {
    print("\(error)")
    exit(1)
}
#else
print("A declared client needs the trait Macros: swift run --traits Macros Greenhouse")
exit(1)
#endif
