import ArgumentParser
import Foundation
import HTTPChainCache
import HTTPChainCacheSQLite
import HTTPChainCore

/// The option for the store of responses.
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
    /// - Throws: An error if the store can't be opened.
    func open(limit: ByteCount) throws -> any CacheStore {
        switch self {
        case .memory: .memory(limit: limit)
        case .file(let path): .files(in: URL(fileURLWithPath: path), limit: limit)
        case .sqlite(let path): .sqlite(URL(fileURLWithPath: path), limit: limit)
        }
    }
}
