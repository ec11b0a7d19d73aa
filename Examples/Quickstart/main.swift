// A tour: sends real requests through a chain of stages over URLSession, and shows what happened to them.
//
//     swift run Quickstart                        against a server in this process, on the loopback interface
//     swift run Quickstart https://host/path      one GET to any server

import Foundation
import HTTPChain

if let url = CommandLine.arguments.dropFirst().first {
    try await visit(url)
} else {
    try await tour()
}
