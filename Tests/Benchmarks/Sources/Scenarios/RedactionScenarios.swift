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

    private struct Wrong: Error {}
}
