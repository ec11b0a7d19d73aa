#if AllTests && YAML
import Foundation
import HTTPChain
import HTTPChainRoutes
import HTTPChainRoutesYAML
import TestSupport
import Testing

@Suite("A table of routes in YAML", .timeLimit(.minutes(10)))
struct RouteYAMLTests {
    private static let file = """
        # The service of the garden.
        service: { protocol: https, host: api.example.com, path: /v2 }
        environments:
          test: { protocol: http, host: localhost, port: 8080 }
        defaults: &changing
          method: PUT
          gzip: true
          invalidates: [list, doc]
        routes:
          doc:
            path: "documents/{uniqueId}"
            cacheTTL: 3600
            extended: { depth: [1, 2.5, ~] }
          list: { path: stuff/list, cacheTTL: .5, cacheIgnoresQuery: true }
          add:
            <<: *changing
            path: stuff/:thingId
            serialization: json
            contentType: application/json
            headers: { Accept-Encoding: gzip }
            mapper: json
            requestRootKeyPath: thing
            responseRootKeyPath: data.thing
            progress: true
            preventsUserInteraction: true
            authenticator: user
          image:
            path: https://cdn.example.com/{+name}
            saveAsFile: true
        """

    private func mistakes(_ yaml: String) -> [String] {
        mistakes(Data(yaml.utf8))
    }

    private func mistakes(_ yaml: Data) -> [String] {
        do throws(RouteTableError) {
            _ = try RouteTable(yaml: yaml)
            return []
        } catch {
            return error.mistakes.map(\.description)
        }
    }

    @Test("A table in YAML says what the same table says in JSON")
    func asInJSON() throws {
        let table = try RouteTable(yaml: Data(Self.file.utf8))
        let same = try RouteTable(json: Data(RouteTableTests.file.utf8))
        #expect(table.names == same.names && table.base?.description == same.base?.description)
        for name in same.names { #expect(try "\(table.route(name))" == "\(same.route(name))") }
        #expect(table.warnings.map(\.description).count == 1)
        #expect(table.warnings.first?.description.hasPrefix("5:1: defaults: unknown key") == true)
        let local = try RouteTable(yaml: Data(Self.file.utf8), environment: "test", overrides: ["port": "1234"])
        #expect(local.base?.description == "http://localhost:1234/v2")
    }

    @Test("A file is read from the disk, with a byte order mark and ends of lines as they come")
    func fromDisk() async throws {
        let scratch = try ScratchDirectory.created()
        let text = "\u{FEFF}routes:\r\n  a: { path: \"https://a.example/\" }\r\n"
        let file = try scratch.file("routes.yaml", Data(text.utf8))
        #expect(try await RouteTable.load(yaml: file).names == ["a"])
        await #expect(throws: BodyError.self) {
            try await RouteTable.load(yaml: scratch.url.appendingPathComponent("missing.yaml"))
        }
    }

    @Test("Every mistake is told at once, with its path, line and column")
    func allMistakes() throws {
        let found = mistakes(
            """
            service: { protocol: ftp, host: a b, port: 70000 }
            routes:
              doc: { method: get, path: "documents/{uniqueId" }
              add:
                path: 7
                serialization: xml
                invalidates: [nothing, 3]
                headers: { bad name: x }
              none: { cacheTTL: long, gzip: yes }
            """
        )
        for expected in [
            "1:22: service.protocol", "1:33: service.host", "1:44: service.port", "3:18: routes.doc.method",
            "5:11: routes.add.path: a number", "6:20: routes.add.serialization",
            "7:19: routes.add.invalidates.0: there is no route", "7:28: routes.add.invalidates.1: a number",
            "8:16: routes.add.headers.bad name", "9:3: routes.none: the key \"path\"", "9:21: routes.none.cacheTTL",
            "9:33: routes.none.gzip: a string instead of true or false",
        ] {
            #expect(found.contains { $0.hasPrefix(expected) }, "\(expected) is not among \(found)")
        }
    }

    @Test(
        "What is no YAML is told with its place",
        arguments: [
            ("", "1:1: the file is empty"),
            ("routes: [", "2:1: this is not YAML"),
            ("routes:\n\ta: b", "2:1: this is not YAML"),
            ("routes: *gone", "1:9: this is not YAML: found undefined alias"),
            ("a: 1\n---\nb: 2", "2:1: this is not YAML"),
            ("routes:\n  a: { path: x }\n  a: { path: y }", "2:3: there are two members with the name \"a\""),
            ("routes: &a { b: *a }", "1:17: this is not YAML"),
            ("routes:\n  ? [a]\n  : { path: x }", "2:5: routes: the name of a member must be text"),
            ("routes:\n  a: { <<: 7, path: \"http://x.example\" }", "2:8: routes.a: \"<<\" needs a mapping"),
        ]
    )
    func broken(yaml: String, expected: String) {
        let found = mistakes(yaml)
        #expect(found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test("Text is text where the core schema says so: yes, on, a time, what is quoted, what is tagged")
    func coreSchema() throws {
        let table = try RouteTable(
            yaml: Data(
                """
                routes:
                  a:
                    path: "https://a.example/"
                    texts: [yes, on, 12:30:00, "7", !!str 7, 0b1, 1_000, .]
                    numbers: [0x1F, 0o17, -7, +1.5e3, 1.]
                    others: [null, ~, true, False]
                """.utf8
            )
        )
        let route = try table.route("a")
        let texts = try #require(route["texts"]?.array)
        #expect(texts.map(\.string) == ["yes", "on", "12:30:00", "7", "7", "0b1", "1_000", "."])
        #expect(route["numbers"]?.array?.map(\.number) == [31, 15, -7, 1500, 1])
        #expect(route["others"] == [nil, nil, true, false])
    }

    @Test("A mapping's own members come before what it merges, and of two that are merged the first counts")
    func merging() throws {
        let table = try RouteTable(
            yaml: Data(
                """
                one: &one { method: PUT, cacheTTL: 1, gzip: true }
                two: &two { method: POST, cacheTTL: 2, progress: true }
                routes:
                  a: { path: "https://a.example/", <<: [*one, *two], cacheTTL: 3 }
                """.utf8
            )
        )
        let route = try table.route("a")
        #expect(route.method == .put && route.cacheTTL == .seconds(3) && route.gzip && route.progress)
    }

    @Test("Files that would take all memory, all time or the stack are refused")
    func limits() {
        let levels = "[0-9]"
        #expect(mistakes(String(repeating: "[", count: 100_000)).first?.contains("deeper than 64 levels") == true)
        #expect(mistakes(String(repeating: "- ", count: 100_000)).first?.contains("deeper than 64 levels") == true)
        #expect(mistakes("routes:\n  a: { path: \"\(levels)\" }").first?.contains("deeper") != true)
        let shelves = (1...300).map { "  r\($0): { path: \"https://a.example/\", note: \"[ {\" } # [ {" }
        #expect(mistakes("routes:\n" + shelves.joined(separator: "\n")).isEmpty)
        // Each line stands for ten of the line before: a billion values.
        var laughs = "l0: &l0 [a, a, a, a, a, a, a, a, a, a]\n"
        for level in 1...9 {
            let items = Array(repeating: "*l\(level - 1)", count: 10).joined(separator: ", ")
            laughs += "l\(level): &l\(level) [\(items)]\n"
        }
        #expect(mistakes(laughs + "routes: {}").first?.contains("more than 200000 values") == true)
        for keys in [
            "? *l9\n: x", "*l9 : x", "a: {*l9: b}", "a: {*l9:[b]}", "a: {*l9}", "a: {b: c, *l9 }",
            "a: {b: c, # [\n *l9}", "a: {?*l9}", "a: {?[*l9]}", "a: {[*l9]}", "a: {b: \"[\", [*l9]}", "a: {&k [*l9]}",
            "a: {!!seq [*l9]}", "[*l9]: x", "? [*l9]\n: x", "a: {b: c, # x\u{2028} *l9}",
        ] {
            #expect(mistakes(laughs + keys).first?.contains("write the keys out") == true, "\(keys)")
        }
        // Each line merges the line before twice: nothing is in any of them, and each merge is a value all the same.
        for merged in ["[*m, *m]", "[*m, { <<: *m }]"] {
            var merges = "m0: &m0 {}\n"
            for level in 1...20 {
                let own = merged.replacingOccurrences(of: "*m", with: "*m\(level - 1)")
                merges += "m\(level): &m\(level) { <<: \(own) }\n"
            }
            #expect(mistakes(merges + "routes: {}").first?.contains("200000 values") == true, "\(merged)")
        }
        var deep = "m0: &m0 {}\n"
        for level in 1...900 { deep += "m\(level): &m\(level) { <<: *m\(level - 1) }\n" }
        #expect(mistakes(deep).first?.contains("deeper than 64 levels") == true)
        var chain = "l0: &l0 [a]\n"
        for level in 1...900 { chain += "l\(level): &l\(level) [*l\(level - 1)]\n" }
        #expect(mistakes(chain).first?.contains("deeper than 64 levels") == true)
        for level in 901...1100 { chain += "l\(level): &l\(level) [*l\(level - 1)]\n" }
        #expect(mistakes(chain).first?.contains("more than 1000 aliases") == true)
        #expect(mistakes(Data(repeating: 0x20, count: (4 << 20) + 1)).first?.contains("larger than 4 MiB") == true)
        #expect(mistakes(Data([0xFF, 0xFE])).first?.contains("not UTF-8") == true)
    }

    @Test("Files whose aliases nest one another too deeply are refused before a tree is built")
    func levelsThroughAliases() {
        var file = ""
        for anchor in 0..<450 {
            let inner = anchor == 0 ? "x" : "*a\(anchor - 1) "
            let open = String(repeating: "[", count: 60)
            file += "a\(anchor): &a\(anchor) \(open) \(inner)\(String(repeating: "]", count: 60))\n"
        }
        #expect(YAMLShape(file).deepest > 2 * 450 * 60)
        #expect(mistakes(file).first?.contains("deeper than 64 levels") == true)
        // The same name again refers to the node before.
        let renamed = file.replacing(/a[0-9]+/) { _ in "a" }.replacing("a: &", with: "? [{}]\n: &")
        #expect(YAMLShape(renamed).deepest > 2 * 450 * 60)
        #expect(mistakes(renamed).first?.contains("deeper than 64 levels") == true)
    }

    @Test(
        "Levels are counted behind quotes, comments and colons that are text",
        arguments: [
            "a: b 'c\nd: ", "a: b \"c\nd: ", "a: b\n  'c\nd: ", "a: |\n  'c\nd: ", "a: >2\n   \"c\nd: ",
            "a: |-\n\n  'c\n    \"d\nd: ", "[a:#b, ", "a: [b#c, ", "a: !t' ",
            "a: b\u{2028}  'c\u{85}d: ", "\u{FEFF}\"a\": ",
        ]
    )
    func levelsBehindTexts(start: String) {
        let file = start + String(repeating: "[", count: 200)
        #expect(YAMLShape(file).deepest >= 400)
        #expect(mistakes(file).first?.contains("deeper than 64 levels") == true)
        let aliased = start + String(repeating: "[", count: 20)
        #expect(YAMLShape(aliased).deepest < 60)
    }

    @Test("Levels after the colon of a complex key are counted")
    func levelsAfterComplexKeys() {
        for start in ["? a\n: ", "? - a\n: ", "? ? a\n  : ", ": "] {
            let file = start + String(repeating: "- ", count: 200) + "a"
            #expect(YAMLShape(file).deepest >= 400)
            #expect(mistakes(file).first?.contains("deeper than 64 levels") == true, "\(start)")
        }
    }

    @Test("Anchors and aliases beside one another add no levels")
    func siblingsWithAliases() {
        var file = """
            base: &base
              cacheTTL: 60
            list:
            - &first [*base, 'it''s [']
            - &second { <<: *base }
            routes:

            """
        for index in 0..<400 {
            file += "  r\(index): &r\(index)\n    <<: *\(index == 0 ? "base" : "shared")\n    path: \"{+x}\"\n"
            if index == 0 { file += "  shared: &shared { <<: *base, path: \"a\" }\n" }
        }
        #expect(YAMLShape(file).deepest <= 12)
        #expect(mistakes(file).isEmpty)
    }

    @Test("A file with many aliases is read if no key is one")
    func manyAliases() {
        var file = """
            # Shared [parts].
            shared: &shared { cacheTTL: 60 } # {once}
            more: &more # for all
              gzip: true
            list: [*shared, *more]
            routes:

            """
        for index in 0..<40 {
            file += "  r\(index): { path: \"a/{b}?c=*d\", <<: [*shared, *more] } # one *two\n"
            file += "  s\(index):\n    path: \"see: a, *b*\"\n    <<: *shared\n"
            file += "  t\(index): {\n    path: https://a.example/*b,\n"
            file += "    <<: [\n      *shared,\n      *more\n    ]\n  }\n"
        }
        #expect(mistakes(file).filter { $0.contains("aliases") }.isEmpty)
        let keyed = file.replacing("<<: *shared\n", with: "*more : x\n")
        #expect(mistakes(keyed).first?.contains("write the keys out") == true)
    }

    @Test("Text of any pieces is read or refused, and never ends the process", .seeded)
    func random() {
        let numbers = Seed.numbers()
        let pieces = [
            "routes:", "\n", "  ", "a", ": ", "- ", "[", "]", "{", "}", ", ", "&x ", "*x", "<<", "\"", "'", "? ", "| ",
            "!!str ", "path", "#", "%", "@", "é", "\t", "---", "...", "0x", "~",
        ]
        var refused = 0
        for _ in 0..<3000 {
            let text = (0...numbers.index(below: 30)).map { _ in pieces[numbers.index(below: pieces.count)] }.joined()
            refused += mistakes(text).isEmpty ? 0 : 1
        }
        #expect(refused > 1000)
    }
}
#endif
