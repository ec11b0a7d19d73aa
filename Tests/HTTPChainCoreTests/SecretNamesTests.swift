import HTTPChainTesting
import Testing

@testable import HTTPChainCore

@Suite("The names of secrets made ready for a log")
struct SecretNamesTests {
    private static let names = ["token", "password", "sid", "X-Api-Key", "Schlüssel", "a.b", "-"]
    private let ready = SecretNames(Self.names)

    /// What the fast way must agree with: names and pieces of paths, folded and looked up.
    private func isSecret(_ name: String) -> Bool {
        let folded = { (name: String) in name.lowercased().filter { $0 != "-" && $0 != "_" } }
        let names = Set(Self.names.map(folded))
        let pieces = name.unicodeScalars.split { "[].:".unicodeScalars.contains($0) }.map { String($0) }
        return names.contains(folded(name)) || (pieces != [name] && pieces.contains { names.contains(folded($0)) })
    }

    @Test(
        "Letter case, hyphens and underscores make no difference, and a piece of a path counts",
        arguments: [
            ("token", true), ("Token", true), ("to-ken", true), ("TO_KEN", true), ("x_api_key", true),
            ("xApiKey", true), ("user[password]", true), ("user.password", true), ("a:b:sid", true), ("[sid]", true),
            ("tokens", false), ("tok", false), ("user[name]", false), ("SCHLÜSSEL", true), ("schluessel", false),
            ("x.schlüssel", true), ("A.B", true), ("a", false), ("b", false),
        ]
    )
    func table(name: String, expected: Bool) {
        #expect(ready.contains(name) == expected)
        #expect(isSecret(name) == expected)
    }

    @Test("It agrees with the plain rule, and finds in texts what the scanner does, whatever they are made of")
    func random() {
        let random = SeededRandom(seed: 1)
        let pieces = [
            "token", "Pass", "word", "-", "_", ".", "[", "]", "=", "\"", "'", ":", "<", ">", "a", " ", "\\", "ü",
        ]
        for _ in 0..<2000 {
            let text = (0..<(random.next() % 8)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            #expect(ready.contains(text) == isSecret(text), "\(text)")
            var scanner = SecretScanner(Array(text.utf8), names: ready)
            #expect(ready.redacted(text) == String(decoding: scanner.redacted(), as: UTF8.self), "\(text)")
        }
    }
}
