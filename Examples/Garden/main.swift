// A client of a small service, from typed calls to OData, against a server in this process.
//
//     swift run Garden

import Foundation
import HTTPChain
import HTTPChainTesting

do {
    let server = try await startGardenServer()
    let client = try gardenClient(
        garden: server.url("/garden"),
        weather: server.url("/weather"),
        over: URLSessionTransport()
    )
    try await tour(of: client) { print($0) }
    await server.stop()
} catch {
    print("\(error)")
    exit(1)
}
