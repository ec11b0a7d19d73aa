import HTTPChainCore
import HTTPChainSupport

/// A cache of parsed references, so that a template is parsed only once.
///
/// The size is limited: there are two generations of at most `generation` entries. When the younger one is full, the
/// older one is dropped, with all entries that haven't been used in the meantime. A template that is used only once is
/// therefore dropped after a while.
final class PatternCache: Sendable {
    private struct Generations {
        var young: [ExactText: URLPattern] = [:]
        var old: [ExactText: URLPattern] = [:]
    }

    private let storage = Locked(Generations())
    private let generation: Int
    /// The maximum length of a cached reference.
    ///
    /// Longer ones are parsed each time, to limit memory.
    private let longestText = 1024

    init(generation: Int = 128) {
        self.generation = generation
    }

    /// The number of cached references.
    var count: Int { storage.withLock { $0.young.count + $0.old.count } }

    /// Returns the parsed reference, in the given syntax.
    func pattern(_ text: String, syntax: VariableNotations) throws(URLBuilderError) -> URLPattern {
        guard text.utf8.count <= longestText else { return try URLPattern(text, syntax: syntax) }
        // The bytes are compared, because a different Unicode normalization results in a different URL.
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
