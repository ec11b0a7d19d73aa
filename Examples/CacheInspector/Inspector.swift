import Foundation
import HTTPChain

/// Inspects, verifies and flushes a store.
struct Inspector {
    let store: any CacheStore

    /// Runs a command.
    ///
    /// - Returns: `false` if `verify` found damage.
    func run(_ command: Command) async throws -> Bool {
        switch command.verb {
        case .list: try await list(command.selection)
        case .show: try await show(command.selection)
        case .verify: return try await verify(command.selection)
        case .flush: print(counted(try await store.remove(command.selection), "removed"))
        }
        return true
    }

    /// Returns the entries, sorted by URL.
    private func entries(_ selection: CacheSelection) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        try await store.visit(selection) { entry in
            entries.append(entry)
            return true
        }
        return entries.sorted { ($0.key.url, $0.id.rawValue) < ($1.key.url, $1.id.rawValue) }
    }

    /// Prints a line for each entry, and a second line if it has properties that its URL doesn't show.
    func list(_ selection: CacheSelection) async throws {
        let usage = try await store.usage()
        print("\(counted(usage.entries)) in the store, \(ByteCount(usage.bytes).abbreviated)")
        for entry in try await entries(selection) {
            let metadata = entry.metadata
            let what = "\(metadata.head.status.code)  \(entry.key.method)  \(Redaction.standard.url(entry.key.url))"
            print("\(entry.shortName)  \(what)  \(entry.heldBytes)  \(entry.freshness)")
            let notes = entry.notes
            if !notes.isEmpty { print(String(repeating: " ", count: 13), notes.joined(separator: "; ")) }
        }
    }

    /// Prints all details of entries.
    func show(_ selection: CacheSelection) async throws {
        let entries = try await entries(selection)
        if entries.isEmpty { print("no such entry") }
        for entry in entries {
            let metadata = entry.metadata
            print("\(entry.key.method) \(Redaction.standard.url(entry.key.url))")
            print("  entry     \(entry.shortName)")
            for note in entry.notes { print("            \(note)") }
            print("  asked     \(HTTPDate(metadata.requestTime)), answered \(HTTPDate(metadata.responseTime))")
            print("  now       \(entry.freshness)")
            print("  content   \(entry.heldBytes), checksum \(hexadecimal(entry.bodyChecksum.value))")
            print("  head      \(metadata.head.status)")
            for field in Redaction.standard.fields(metadata.head.headerFields) {
                print("            \(field.name): \(field.value)")
            }
        }
    }

    /// Reads every byte and compares checksums.
    ///
    /// The store drops damaged entries.
    ///
    /// - Returns: Whether nothing was damaged.
    func verify(_ selection: CacheSelection) async throws -> Bool {
        let count = try await store.usage().entries
        let entries = try await entries(selection)
        var damaged = 0
        // The store doesn't list entries whose description can't be read.
        if selection == .all, count > entries.count {
            damaged = count - entries.count
            print("damaged: the description of \(counted(damaged))")
        }
        for entry in entries {
            do {
                guard try await isWhole(entry) else { continue }
            } catch {
                damaged += 1
                print("damaged: \(entry.shortName) \(Redaction.standard.url(entry.key.url)): \(error)")
            }
        }
        print("\(counted(entries.count)) looked at, \(damaged) damaged")
        return damaged == 0
    }

    /// Returns whether an entry is still stored.
    ///
    /// Throws if its content is damaged.
    private func isWhole(_ entry: CacheEntry) async throws -> Bool {
        guard let body = try await store.body(of: entry, range: nil) else { return false }
        var checksum = ContentChecksum()
        for try await chunk in body { checksum.update(chunk) }
        guard checksum == entry.bodyChecksum else { throw CacheStoreFault(.damaged("a stored body")) }
        return true
    }

    private func counted(_ count: Int, _ what: String = "") -> String {
        "\(count) \(count == 1 ? "entry" : "entries")\(what.isEmpty ? "" : " ")\(what)"
    }
}
