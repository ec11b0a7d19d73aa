import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLBuilder
import TestSupport
import Testing

/// Pieces that matter to URLs and templates, put together at random; the same for each run of a seed.
private struct Scribbler {
    var random: Numbers

    private static let pieces: [String] = [
        "{", "}", "{id}", "{+id}", "{?id,q*}", "{/id*}", "{#id}", "{;q}", "{.id}", "{&q:3}", ":id", ":", "%%0%%", "%%",
        "%", "%2e", "%2F", "%5c",
        "%zz", "/", "//", "\\", ".", "..", "../", "?", "#", "&", "=", "@", "a", "users", "é", "日本", "💩", "e\u{301}",
        "\u{338}", " ", "\t", "\r\n",
        "\u{0}", "\u{7F}", "https://", "http://h/", "ftp://", "https:", "[::1]", "xn--", "h.example", ":80", ":99999",
        "*", ",", "|", "!", "+", ";x",
        "\"", "<", "^", "`", "\u{202E}", "\u{FF0F}", "\u{2028}", "0", "10000",
    ]

    mutating func text(upTo count: Int) -> String {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in piece() }.joined()
    }

    private mutating func piece() -> String { Self.pieces.randomElement(using: &random) ?? "" }

    mutating func value(depth: Int = 0) -> URLValue {
        switch Int.random(in: 0..<(depth < 2 ? 10 : 7), using: &random) {
        case 0: .null
        case 1: .integer(.random(in: .min ... .max, using: &random))
        case 2: .double([0.5, -1, .nan, .infinity, 1e300].randomElement(using: &random) ?? 0)
        case 3: .bool(.random(using: &random))
        case 4:
            .date(Date(timeIntervalSince1970: [0, -1e12, 1e14, .infinity, 1e18].randomElement(using: &random) ?? 0))
        case 5: .opaque(text(upTo: 4))
        case 7: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth + 1) })
        case 8:
            .dictionary(
                URLParameters(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in (text(upTo: 2), value(depth: depth + 1)) }
                )
            )
        default: .string(text(upTo: 4))
        }
    }
}

@Suite("Random input", .seeded)
struct RandomInputTests {
    @Test(
        "Random input never crashes a template: it expands to what a URI may hold, or is a typed error",
        arguments: [1, 2] as [UInt64]
    )
    func templates(seed: UInt64) throws {
        var scribbler = Scribbler(random: Numbers(Seed.numbers(seed)))
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%".utf8)
        var expanded = 0
        for _ in 0..<5000 {
            let text = scribbler.text(upTo: 8)
            let values: URLParameters = ["id": scribbler.value(), "q": scribbler.value()]
            do throws(URLBuilderError) {
                let result = try URITemplate(text).expand(values)
                expanded += 1
                #expect(result.utf8.allSatisfy(allowed.contains), "\(text.debugDescription) gave \(result)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(expanded > 500)
    }

    @Test(
        "Random input always builds a URL that a transport accepts, under its base, or is a typed error",
        arguments: ["https://api.example.com/v2", "http://[::1]:8080/?k=1", "https://h/a/b/"]
    )
    func relative(base: String) throws {
        var scribbler = Scribbler(random: Numbers(Seed.numbers(UInt64(base.utf8.count))))
        let builder = try URLBuilder(base: base)
        let prefix = String(base.prefix { $0 != "?" }.reversed().drop { $0 == "/" }.reversed())
        var built = 0
        for _ in 0..<5000 {
            // A letter first: what begins with a scheme or two slashes is absolute, and goes where it says.
            var reference = "r" + scribbler.text(upTo: 6)
            while reference.contains("://") { reference = reference.replacing("://", with: ":") }
            var arguments = URLArguments(
                path: ["id": scribbler.value(), "0": scribbler.value(), "users": scribbler.value()],
                query: URLQuery(["a": scribbler.value(), "q": scribbler.value()]) + .raw(scribbler.text(upTo: 2)),
                reserved: ["q": scribbler.value()]
            )
            arguments.encoder = ParameterEncoder(
                arrays: [.repeated, .brackets, .indexed, .commas].randomElement(using: &scribbler.random) ?? .repeated
            )
            do throws(URLBuilderError) {
                let url = try builder.url(reference, arguments.used(in: reference))
                built += 1
                #expect(throws: Never.self, "\(reference.debugDescription) gave \(url)") {
                    try Request.get(url).forWire()
                }
                #expect(url.hasPrefix(prefix), "\(reference.debugDescription) gave \(url)")
                #expect(Request.get(url).origin == Origin(base))
                let path = url.prefix { $0 != "?" }.lowercased().replacing("%2e", with: ".")
                #expect(!path.split(separator: "/").contains(".."), "\(reference.debugDescription) gave \(url)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(built > 300)
    }

    @Test(
        "Random input that is any reference gives a URL that a transport accepts or refuses with its own error",
        arguments: [3, 4] as [UInt64]
    )
    func anything(seed: UInt64) throws {
        var scribbler = Scribbler(random: Numbers(Seed.numbers(seed)))
        let builder = try URLBuilder(base: "https://api.example.com/v2")
        for _ in 0..<5000 {
            let reference = scribbler.text(upTo: 7)
            let arguments = URLArguments(path: [
                "id": scribbler.value(), "q": scribbler.value(), "0": scribbler.value(),
            ])
            do {
                _ = try Request.get(builder.url(reference, arguments.used(in: reference))).forWire()
            } catch is URLBuilderError {
            } catch is InvalidRequestError {
            } catch {
                Issue.record("\(reference.debugDescription): \(error)")
            }
        }
    }

    @Test("Random input never makes a base that a transport refuses")
    func bases() throws {
        var scribbler = Scribbler(random: Numbers(Seed.numbers(9)))
        var accepted = 0
        for _ in 0..<5000 {
            let text = "https://" + scribbler.text(upTo: 5)
            do throws(URLBuilderError) {
                let url = try URLBuilder(base: text).url("x")
                accepted += 1
                #expect(throws: Never.self, "\(text.debugDescription) gave \(url)") { try Request.get(url).forWire() }
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(accepted > 50)
    }

    @Test("Random input that is a new template each time is not kept for ever")
    func boundedCache() throws {
        let builder = try URLBuilder(base: "http://h")
        for number in 0..<2000 {
            #expect(try builder.url("a/\(number)/{id}", URLArguments(path: ["id": 1])) == "http://h/a/\(number)/1")
            #expect(try builder.url("often/{id}", URLArguments(path: ["id": 1])) == "http://h/often/1")
            _ = try builder.url("plain/\(number)")
        }
        #expect((2...256).contains(builder.cachedTemplates))
        _ = try builder.url("{id}" + String(repeating: "a", count: 5000), URLArguments(path: ["id": 1]))
        _ = try? builder.url("broken/{id")
        #expect(builder.cachedTemplates <= 256)
    }

    @Test("Random input from many tasks at once comes out right")
    func concurrency() async throws {
        let builder = try URLBuilder(base: "http://h")
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<300 {
                        let url = try builder.url(
                            "\(number)/{id}",
                            URLArguments(path: ["id": task])
                        )
                        #expect(url == "http://h/\(number)/\(task)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
