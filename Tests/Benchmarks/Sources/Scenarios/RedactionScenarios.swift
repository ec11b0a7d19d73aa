import HTTPChainCore

/// Texts that pass the redaction on their way to a log.
public enum RedactionScenarios {
    private static let plain =
        "GET https://api.example.com/plants/42?page=2 200 OK in 42 ms, 1832 bytes (attempt 1 of 3)"
    private static let suspicious = "GET https://api.example.com/plants/42?token=abc&page=2 200 OK in 42 ms, 1832 bytes"
    private static let json = #"{"id":42,"name":"Ida","note":"a plain member","list":[1,2,3],"password":"hunter2"}"#

    /// A plain message, which passes in one scan; one with a secret; a body with a secret; and a URL without any.
    public static func all() -> [Scenario] {
        let redaction = Redaction.standard
        func scenario(_ name: String, changes: Bool, _ text: String, _ redact: @escaping @Sendable (String) -> String)
            -> Scenario
        {
            Scenario(name: "redaction.\(name)") { count in
                for _ in 0..<count {
                    guard (redact(text) != text) == changes else { throw Wrong() }
                }
            }
        }
        return [
            scenario("plain", changes: false, plain) { redaction.text($0) },
            scenario("secret", changes: true, suspicious) { redaction.text($0) },
            scenario("json", changes: true, json) { redaction.text($0) },
            scenario("url", changes: false, "https://api.example.com/plants/42?page=2", redaction.url),
        ]
    }

    /// The bytes of each text whose throughput is measured.
    public static let size = 64 << 10

    /// Prose, lines of a log and JSON, with a secret here and there.
    public static func ordinary() -> Scenario {
        throughput(
            "ordinary",
            of: "\(plain)\nThe plants of the garden need water each day, says the manual.\n\(json)\n"
        )
    }

    /// Rows of what the scanner has to look around for, in random orders: the same ones each time.
    public static func hard() -> [Scenario] {
        let pieces = [
            "-eyJ", "Digest a=b ", "token=abc ", "http://a", "form-data; name=\"password\"; ", "\n", "?token=abc&u=",
            "://a", "name:password,", "value=a", "<a name=password ", "<password>", "Bearer%20a=b", "a:b/",
            "%3A%2F%2Fa", "\\:///", "\\///:", ":///", "/://",
            "\\", "\"", "&", "&lt;", "-----BEGIN ", "%2525", "'", "{", "}", ")", " ", "a",
        ]
        var state: UInt64 = 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let rows =
            pieces
            + (0..<100).map { _ in
                (0..<(2 + random(4))).map { _ in pieces[random(pieces.count)] }.joined()
            }
        return rows.enumerated().map { throughput("hard.\($0)", of: $1) }
    }

    private static func throughput(_ name: String, of row: String) -> Scenario {
        let text = String(repeating: row, count: size / row.utf8.count) + "password=hunter2"
        let redaction = Redaction.standard
        return Scenario(name: "redaction.\(name)") { count in
            for _ in 0..<count where redaction.text(text).isEmpty { throw Wrong() }
        }
    }

    private struct Wrong: Error {}
}
