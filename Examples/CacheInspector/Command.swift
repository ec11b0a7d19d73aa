import HTTPChain

/// A parsed command line.
struct Command {
    enum Verb: String, CaseIterable {
        case list, show, verify, flush
    }
    let store: String
    let verb: Verb
    let selection: CacheSelection

    /// Reads the command line.
    ///
    /// - Throws: ``UsageError``.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        store = rest.popFirst() ?? ""
        if let verb = rest.first.flatMap({ Verb(rawValue: $0) }) {
            self.verb = verb
            rest.removeFirst()
        } else {
            verb = .list
        }
        guard let name = rest.popFirst() else {
            // Without this check, a missing word would remove everything, which can't be undone.
            guard verb != .flush else { throw UsageError("flush what? --all flushes everything") }
            selection = .all
            return
        }
        selection = try Self.selection(name, &rest)
        guard rest.isEmpty else { throw UsageError("one selection at a time: what is \(rest.joined(separator: " "))?") }
    }

    private static func selection(
        _ name: String,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> CacheSelection {
        if name == "--all" { return .all }
        if name == "--unclassified" { return .classification(nil) }
        guard let value = rest.popFirst() else { throw UsageError("\(name) is no selection, or lacks its value") }
        switch name {
        case "--url": return .url(value)
        case "--identifier": return .identifier(value)
        case "--identifier-prefix": return .identifierPrefix(value)
        case "--classification": return .classification(value)
        case "--partition": return .partition(value)
        case "--origin":
            guard let origin = Origin(value) else { throw UsageError("\(value) is no origin, as https://host:8443 is") }
            return .origin(origin)
        case "--entry":
            guard let number = UInt64(value, radix: 16) else { throw UsageError("\(value) is no entry's name") }
            return .entry(CacheEntryID(rawValue: number))
        default: throw UsageError("\(name) is no selection")
        }
    }
}

/// The error for an invalid command line.
struct UsageError: Error, CustomStringConvertible {
    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    var description: String {
        """
        \(problem)
        usage: CacheInspector <store> [list|show|verify|flush] [selection]
        selections: --all, --url <url>, --identifier <identifier>, --identifier-prefix <prefix>, --origin <origin>,
                    --classification <name>, --unclassified, --partition <name>, --entry <name, as list shows it>
        """
    }
}
