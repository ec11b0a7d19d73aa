// Lists, verifies and flushes a store of cached responses.
//
//     swift run CacheInspector                              makes a store, and shows all of this with it
//     swift run CacheInspector <store> [list] [selection]   one line an entry
//     swift run CacheInspector <store> show [selection]     all that is known of entries
//     swift run CacheInspector <store> verify [selection]   compares checksums; status 1 when something is damaged
//     swift run CacheInspector <store> flush <selection>    removes entries
//
// A store is a directory of files or, with `swift run --traits SQLite CacheInspector`, the database of an
// SQLiteCacheStore. It may be in use by another process.

import Foundation
import HTTPChain

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.isEmpty {
        try await demonstrate()
    } else {
        let command = try Command(arguments)
        let inspector = Inspector(store: try openStore(command.store))
        if try await !inspector.run(command) { exit(1) }
    }
} catch let error as UsageError {
    print(error.description)
    exit(2)
} catch {
    print("\(error)")
    exit(1)
}
