// Browses and edits resources: lists them, shows one, saves changes, and detects conflicting changes.
//
//     swift run ResourceBrowser                                  a demonstration, with a server in this process
//     swift run ResourceBrowser https://host/api list
//     swift run ResourceBrowser https://host/api show ID
//     swift run ResourceBrowser https://host/api set ID name=value...
//     swift run ResourceBrowser https://host/api delete ID

import Foundation
import HTTPChain
import HTTPChainClient

/// A note of the service.
///
/// Properties other than the title are shown and changed by their names.
struct Note: Resource {
    static let path = "notes/{id}"
    var id: Int
    var title: String
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if let base = arguments.first {
        try await run(Array(arguments.dropFirst()), at: base)
    } else {
        try await demonstrate()
    }
} catch {
    print("\(error)")
    exit(1)
}
