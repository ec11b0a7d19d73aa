import ArgumentParser
import Foundation
import HTTPChainCache
import HTTPChainCore

/// Where the responses are kept, as the command line names it.
enum StoreOption: ExpressibleByArgument {
    case memory
    case file(String)
    case sqlite(String)

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        switch (parts.first, parts.count) {
        case ("memory", 1): self = .memory
        case ("file", 2): self = .file(String(parts[1]))
        case ("sqlite", 2): self = .sqlite(String(parts[1]))
        default: return nil
        }
    }

    /// Opens the store.
    ///
    /// - Throws: `ValidationError` for a store that this build does not have.
    func open(limit: ByteCount) throws -> any CacheStore {
        switch self {
        case .memory: return .memory(limit: limit)
        case .file: throw ValidationError("this build has no store of files; use --store memory")
        case .sqlite: throw ValidationError("this build has no SQLite store; use --store memory")
        }
    }
}
