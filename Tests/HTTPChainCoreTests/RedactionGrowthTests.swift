#if DEBUG && !canImport(Darwin)
import HTTPChainSupport
import TestSupport
import Testing

@testable import HTTPChainRedaction

@Suite("The work of redaction", .timeLimit(.minutes(10)))
struct RedactionGrowthTests {
    private static func growth() throws -> Growth {
        try Growth(
            literalsOf: ["Sources/HTTPChainRedaction"],
            and: ["eyJ", "://", "http://a", "=", ":", "name=", "\"", "?", "&", "password", "token", "value=", "a=b"]
        )
    }

    private static let ways: [@Sendable (String) -> String] = [
        { Redaction.standard.text($0) }, { Redaction.standard.text($0, isCutOff: true) },
        { Redaction.standard.scanned($0, .url) }, { Redaction.standard.form($0) },
        { Redaction.standard.adding(values: ["aaaaab", "token=a"]).text($0) },
    ]

    @Test(
        "The work of redaction grows no faster than the text, whatever it is made of",
        .seeded,
        .heavy,
        arguments: RedactionGrowthTests.ways.indices
    )
    func random(_ way: Int) async throws {
        let growth = try Self.growth()
        #expect(growth.count > 200)
        let numbers = Seed.numbers(UInt64(way))
        let texts = Locked(0)
        let excess = await growth.excess(among: 60, using: numbers) { text in
            texts.withLock { $0 += 1 }
            _ = Self.ways[way](text)
        }
        #expect(excess == nil)
        let names = ["texts", "cut-texts", "references", "forms", "values"]
        Drill.report("growth-redaction-\(names[way])", texts.withLock { $0 })
    }

    @Test(
        "The work of redaction grows no faster than a text of one kind",
        arguments: [
            "-eyJ", "eyJ.", "Digest a=b ", "token=abc http://a", "form-data; name=\"password\"; ",
            "form-data; name=\"password\"\n", "?token=abc&u=://a", "name:password,", "{name:password}name:password}",
            "name:password,value=a,", "<a name=password ", "<password ", "<secret>", "Bearer%20a=b", "bearer+a=b+",
            "http://a:b/", "http://a/b;", "%3A%2F%2Fa", "\\", "\\\"", "token:\\\"", "&", "<key>password</key>", "&lt;",
            "-----BEGIN ", "%2525", "authorization: digest a=\"", "token 'a ", "token \"a ",
        ]
    )
    func known(_ unit: String) async throws {
        for (index, way) in Self.ways.enumerated() {
            for end in ["", "\n\n", " ))))", "#"] {
                var steps: [Int] = []
                for size in [1_000, 2_000, 4_000] {
                    let text = String(repeating: unit, count: size / unit.utf8.count) + end
                    steps.append(await Steps.counted { _ = way(text) })
                }
                let shown = "\(unit.debugDescription), \(end.debugDescription), way \(index): \(steps)"
                #expect(Double(steps[2]) <= 2.2 * Double(max(steps[1], 2_000)), "\(shown)")
                #expect(steps[2] <= 100 * 4_000, "\(shown)")
            }
        }
    }

    @Test("A scanner that looks for the end of each token again is found", .seeded)
    func planted() async throws {
        let numbers = Seed.numbers()
        let excess = try await Self.growth().excess(among: 2_000, size: 64, using: numbers) { text in
            let bytes = Array(text.utf8)
            for start in bytes.indices where bytes[start...].starts(with: "eyJ".utf8) {
                Steps.take(bytes[start...].prefix { $0 != UInt8(ascii: " ") }.count)
            }
        }
        #expect(excess != nil)
    }
}
#endif
