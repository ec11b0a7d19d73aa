import HTTPChainCore
import HTTPChainSupport

/// Parsed references, so that a template is parsed only once.
///
/// The size is limited: there are two generations of at most `generation` entries, and entries that weren't used since
/// the younger one began are dropped with the older one. A template that is used once is dropped after a while.
final class PatternCache: Sendable {
    private struct Generations {
        var young: [ExactText: URLPattern] = [:]
        var old: [ExactText: URLPattern] = [:]
    }

    private let storage = Locked(Generations())
    private let generation: Int
    /// Longer references are parsed each time, to limit memory as well as entries.
    private let longestText = 1024

    init(generation: Int = 128) {
        self.generation = generation
    }

    /// The number of cached references.
    var count: Int { storage.withLock { $0.young.count + $0.old.count } }

    /// Returns the parsed reference, in the stage's own syntax.
    func pattern(_ text: String, syntax: VariableNotations) throws(URLBuilderError) -> URLPattern {
        guard text.utf8.count <= longestText else { return try URLPattern(text, syntax: syntax) }
        // Compares bytes, because a different Unicode normalization makes a different URL.
        let key = ExactText(text)
        if let known = known(key) { return known }
        let pattern = try URLPattern(text, syntax: syntax)
        storage.withLock { insert(pattern, for: key, in: &$0) }
        return pattern
    }

    private func known(_ key: ExactText) -> URLPattern? {
        storage.withLock { generations in
            if let pattern = generations.young[key] { return pattern }
            guard let pattern = generations.old.removeValue(forKey: key) else { return nil }
            insert(pattern, for: key, in: &generations)
            return pattern
        }
    }

    private func insert(_ pattern: URLPattern, for key: ExactText, in generations: inout Generations) {
        if generations.young.count >= generation {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = pattern
    }
}
