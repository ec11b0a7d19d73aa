#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainSupport
import Testing

@Suite("The public suffix list")
struct PublicSuffixTests {
    private func lines(_ name: String) throws -> [Substring] {
        let folder = try #require(Bundle.module.url(forResource: "Resources/PublicSuffixes", withExtension: nil))
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("//") }
    }

    @Test("The list passes its own tests")
    func ownTests() throws {
        let cases = try lines("public-suffix-tests.txt").map { $0.split(separator: " ").map(String.init) }
        #expect(cases.count == 78)
        for one in cases where one[0] != "null" {
            let expected = one[1] == "null" ? nil : URLHost(one[1][...])?.text
            #expect(PublicSuffixList.registrableDomain(of: one[0]) == expected, "\(one)")
        }
    }

    @Test("The list has every rule of the copy, and no others")
    func everyRule() throws {
        var count = 0
        for line in try lines("public_suffix_list.dat") {
            guard let rule = line.split(separator: " ").first, !rule.isEmpty else { continue }
            count += 1
            if rule.hasPrefix("!") {
                #expect(!PublicSuffixList.isPublicSuffix(String(rule.dropFirst())), "\(rule)")
            } else if rule.hasPrefix("*.") {
                #expect(PublicSuffixList.isPublicSuffix("any-label" + rule.dropFirst()), "\(rule)")
            } else {
                #expect(PublicSuffixList.isPublicSuffix(String(rule)), "\(rule)")
                #expect(!PublicSuffixList.isPublicSuffix("any-label.not-listed.\(rule)"), "\(rule)")
            }
        }
        #expect(count > 10_000)
        var parent: Substring = ""
        var rules: [[[UInt8]]] = []
        var twice = 0
        for line in "\(PublicSuffixRules.text)".split(separator: "\n") {
            let words = line.split(separator: " ")
            #expect(words.first?.hasSuffix(":") == true, "\(line)")
            for word in words {
                if word.hasSuffix(":") {
                    parent = word.dropLast()
                } else {
                    rules.append([Array(parent.utf8), Array(word.trimmingCharacters(in: ["*", "+", "!"]).utf8)])
                    if word.hasSuffix("+") { twice += 1 }
                }
            }
        }
        #expect(rules.count + twice == count)
        #expect(zip(rules, rules.dropFirst()).allSatisfy { Self.precedes($0, $1) })
    }

    /// Whether one rule, as its parent and its label, is sorted before another.
    private static func precedes(_ one: [[UInt8]], _ other: [[UInt8]]) -> Bool {
        one[0] == other[0] ? one[1].lexicographicallyPrecedes(other[1]) : one[0].lexicographicallyPrecedes(other[0])
    }

    @Test("The list knows no suffix of what is no host name")
    func noHostNames() {
        for host in ["", ".", "..", "a.", ".a", "a..b", "a.com..", "127.0.0.1", "0x7f.1", "[::1]", "a b.com"] {
            #expect(PublicSuffixList.registrableDomain(of: host) == nil, "\(host)")
        }
        #expect(PublicSuffixList.isPublicSuffix("localhost"))
        for suffix in ["com.", "co.uk.", "github.io.", "localhost.", "公司.cn."] {
            #expect(PublicSuffixList.isPublicSuffix(suffix), "\(suffix)")
        }
        #expect(PublicSuffixList.registrableDomain(of: "www.example.com.") == "example.com.")
        #expect(PublicSuffixList.registrableDomain(of: "com.") == nil)
        #expect(!PublicSuffixList.isPublicSuffix("printer.local-network"))
    }
}
#endif
