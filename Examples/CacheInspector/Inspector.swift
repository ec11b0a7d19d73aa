import Foundation
import HTTPChain

/// Looks at a store, checks it and flushes it.
struct Inspector {
    let store: any CacheStore

    /// Does what the command line asks for.
    ///
    /// - Returns: Whether all was well.
    func run(_ command: Command) async throws -> Bool {
        switch command.verb {
        case .list: try await list(command.selection)
        case .show: try await show(command.selection)
        case .verify: return try await verify(command.selection)
        case .flush: print(counted(try await store.remove(command.selection), "removed"))
        }
        return true
    }

    /// The entries, by URL.
    private func entries(_ selection: CacheSelection) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        try await store.visit(selection) { entry in
            entries.append(entry)
            return true
        }
        return entries.sorted { ($0.key.url, $0.id.rawValue) < ($1.key.url, $1.id.rawValue) }
    }

    /// One line an entry, and another for what a URL does not say.
    func list(_ selection: CacheSelection) async throws {
        let usage = try await store.usage()
        print("\(counted(usage.entries)) in the store, \(ByteCount(usage.bytes).abbreviated)")
        for entry in try await entries(selection) {
            let metadata = entry.response.metadata
            let what = "\(metadata.head.status.code)  \(entry.key.method)  \(Redaction.standard.url(entry.key.url))"
            print("\(entry.shortName)  \(what)  \(entry.response.heldBytes)  \(entry.response.freshness)")
            let notes = entry.notes
            if !notes.isEmpty { print(String(repeating: " ", count: 13), notes.joined(separator: "; ")) }
        }
    }

    /// All that is known of entries.
    func show(_ selection: CacheSelection) async throws {
        let entries = try await entries(selection)
        if entries.isEmpty { print("no such entry") }
        for entry in entries {
            let response = entry.response
            let metadata = response.metadata
            print("\(entry.key.method) \(Redaction.standard.url(entry.key.url))")
            print("  entry     \(entry.shortName)")
            for note in entry.notes { print("            \(note)") }
            print("  asked     \(HTTPDate(metadata.requestTime)), answered \(HTTPDate(metadata.responseTime))")
            print("  now       \(response.freshness)")
            print("  content   \(response.heldBytes), checksum \(hexadecimal(response.bodyChecksum.value))")
            print("  head      \(metadata.head.status)")
            for field in Redaction.standard.fields(metadata.head.headerFields) {
                print("            \(field.name): \(field.value)")
            }
        }
    }

    /// Reads every byte and compares checksums; what is damaged the store drops.
    ///
    /// - Returns: Whether nothing was damaged.
    func verify(_ selection: CacheSelection) async throws -> Bool {
        let count = try await store.usage().entries
        let entries = try await entries(selection)
        var damaged = 0
        // Entries whose description cannot be read are not shown at all.
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

    /// Whether an entry is still there, and then what was stored.
    private func isWhole(_ entry: CacheEntry) async throws -> Bool {
        guard let body = try await store.body(of: entry, range: nil) else { return false }
        var checksum = ContentChecksum()
        for try await chunk in body { checksum.update(chunk) }
        guard checksum == entry.response.bodyChecksum else { throw CacheStoreFault(.damaged("a stored body")) }
        return true
    }

    private func counted(_ count: Int, _ what: String = "") -> String {
        "\(count) \(count == 1 ? "entry" : "entries")\(what.isEmpty ? "" : " ")\(what)"
    }
}
