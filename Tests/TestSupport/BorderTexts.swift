import Foundation
package import HTTPChainTesting
import Testing

/// Texts in which metacharacters are beside what hides them from code that compares `Character`s, and what reads them back.
package enum BorderTexts {
    /// What ends, begins or divides something in one of the languages that texts are written into.
    package static let metacharacters = "<>&\"'\\/`$;|(){}[]#%?+=,:~*!@ \t-".unicodeScalars.map { String($0) }

    /// What makes one `Character` with its neighbour, ends a line, or steers a terminal.
    package static let neighbours = [
        "\u{600}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F1E6}", "\r", "\n", "\0", "\u{85}", "\u{9B}",
    ]

    /// What leaves its place in one of the languages if a metacharacter of it is not seen.
    private static let attacks: [@Sendable (String, String) -> String] = [
        { "\($0)<\($1)img src=x onerror=alert(1)\($0)>\($1)" },
        { "\($0)\"\($1) onmouseover=alert(1) x=\($0)\"\($1)" },
        { "\($0)]]>\($1)<!--\($0)--\($1)></script><script>alert(1)</script>" },
        { "\($0)'\($1); touch pwned; echo \($0)'\($1)" },
        { "\($0)$\($1)(touch pwned)\($0)`\($1)touch pwned`" },
        { "\($0)' or 1 eq 1 or Name ne '\($1)" },
        { "\($0)\" OR \($1)\"x" },
        { "\($0)\\\($1)\",\"admin\":true,\"x\":\"\($0)\\" },
        { "\($0)\";\($1) boundary=\"evil\($0)\"" },
        { "\($0)/\($1)~1\($0)~\($1)" },
    ]

    /// Each metacharacter with each neighbour before it, behind it and at both sides; attacks with each; and random ones.
    ///
    /// - Parameter numbers: Where the random ones come from.
    package static func all(_ numbers: SeededRandom) -> [String] {
        let sides = [""] + neighbours
        var texts = ["", "plain"]
        for before in sides {
            for after in sides {
                texts += metacharacters.map { before + $0 + after }
                texts += attacks.map { $0(before, after) }
            }
        }
        let pieces = metacharacters + neighbours + ["a", "é", "\u{7F}", "\u{1B}[2J", "\u{2028}", "😀", "''", "\\\\"]
        for _ in 0..<(Drill.isFull ? 20_000 : 1_000) {
            texts.append(
                (0...numbers.index(below: 12)).map { _ in pieces[numbers.index(below: pieces.count)] }.joined()
            )
        }
        return texts
    }

    /// One text as it was written, and as it is to be read.
    package struct Written: Encodable, Sendable {
        let kind: String
        let written: String
        let expected: String

        /// - Parameters:
        ///   - kind: The language, by its name in `Tests/Borders/read_back.py`.
        ///   - written: The text in that language.
        ///   - expected: The text that its reader is to find.
        package init(_ kind: String, _ written: String, _ expected: String) {
            self.kind = kind
            self.written = written
            self.expected = expected
        }
    }

    /// What readers of others make of texts: for each that they read as another one, what they read.
    ///
    /// - Returns: `nil` if Python is not there, which is said.
    package static func misread(_ texts: [Written]) async throws -> [String]? {
        let script = Repository.tests
            .appendingPathComponent("Borders/read_back.py")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script.path],
            input: try JSONEncoder().encode(texts)
        )
        switch outcome.status {
        case 0: return try JSONDecoder().decode([String].self, from: outcome.standardOutput)
        case 127:
            Programs.notRun("apt install python3")
            return nil
        default: throw ReaderFailed(description: String(outcome.errorText.suffix(2_000)))
        }
    }

    private struct ReaderFailed: Error, CustomStringConvertible {
        let description: String
    }
}

extension String {
    /// The text with another scalar for some, by a plain loop: tests do not expect what the code under test computes.
    package func substituting(_ other: Unicode.Scalar, where isReplaced: (UInt32) -> Bool) -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { isReplaced($0.value) ? other : $0 }))
    }
}
