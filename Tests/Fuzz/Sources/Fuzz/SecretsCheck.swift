import Foundation
import HTTPChainCore

/// Texts in which secrets are looked for.
///
/// The scanner never traps, ends in time that grows with the text, and shows no secret that follows the input as a whole
/// line, a member of JSON, a pair of a URL or an element.
func checkSecrets(_ input: Input) -> Int32 {
    let redaction = Redaction.standard
    let text = input.text
    for shown in [redaction.text(text), redaction.url(text)] where shown != text {
        require(shown.contains(Redaction.placeholder), "changed without a placeholder: \(shown)")
    }
    let secret = "Zq9Secret9qZ"
    guard !text.contains(secret) else { return 0 }
    // A text may open a quote or a tag that it does not close: what follows is then inside of it, and is redacted or
    // not by its own name alone.
    let word = String(text.unicodeScalars.filter { $0.properties.isAlphabetic || $0.value == 0x20 }.map(Character.init))
    for shape in [
        "\(word)\nAuthorization: Bearer \(secret)", "\(word)\npassword = \(secret)",
        "{\"note\":\"\(word)\",\"password\":\"\(secret)\"}", "<a>\(word)</a><password>\(secret)</password>",
        "https://h.example/x?token=\(secret)&note=\(word)", "{\"name\":\"password\",\"value\":\"\(secret)\"}\(word)",
    ] {
        require(!redaction.text(shape).contains(secret), "shown: \(redaction.text(shape))")
    }
    return 0
}
