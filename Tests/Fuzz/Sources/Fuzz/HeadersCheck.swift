import Foundation
import HTTPTypes

@testable import HTTPChainCore
@testable import HTTPChainValues

/// Values of header fields, URLs of requests, and texts with secrets.
///
/// The text of the input stands for each of them.
func checkHeaders(_ input: Input) -> Int32 {
    checkLength(input.text)
    checkOrigin(input.text)
    checkRequest(input)
    checkRedaction(input.text)
    return 0
}

private func checkLength(_ text: String) {
    guard let length = ContentLength.parse(text) else { return }
    require(length >= 0, "a length of \(length)")
    require(ContentLength.parse("\(length), \(length)") == length, "\(length) twice is not \(length)")
}

private func checkOrigin(_ text: String) {
    guard let origin = Origin(text) else { return }
    require(origin == Origin(origin.description), "\(origin) is another origin when read again")
    require((0...65535).contains(origin.port), "port \(origin.port)")
    require(origin.host.utf8.allSatisfy(isURIByte), "host \(origin.host.debugDescription)")
}

/// A request that is accepted has a URL that a URI may be, and fields without control characters.
private func checkRequest(_ input: Input) {
    let lines = input.lines
    var fields = HTTPFields()
    if let length = lines.dropFirst().first { fields[.contentLength] = length }
    if let value = lines.dropFirst(2).first { fields[.userAgent] = value }
    do throws(InvalidRequestError) {
        let wire = try Request(.post, lines[0], headers: fields, body: .empty).forWire()
        require(wire.url.utf8.allSatisfy { isURIByte($0) && $0 != UInt8(ascii: "#") }, "\(wire.url.debugDescription)")
        require(Origin(wire.url) != nil, "\(wire.url) has no origin")
        require(
            wire.head.headerFields.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } },
            "a control character in a field"
        )
    } catch {
        require(!error.description.isEmpty, "an error without a description")
    }
}

/// A secret that stands in the text is never shown.
private func checkRedaction(_ text: String) {
    let redaction = Redaction.standard
    _ = redaction.text(text)
    _ = redaction.url(text)
    let secret = "Zq9Secret9qZ"
    guard !text.contains(secret) else { return }
    let word = text.filter { $0.isLetter || $0.isNumber }
    let json = "{\"note\":\"\(word)\",\"password\":\"\(secret)"
    for json in [json, json + "\"}"] {
        require(!redaction.text(json).contains(secret), "shown: \(redaction.text(json))")
    }
    let piece = String(String.UnicodeScalarView(text.unicodeScalars.filter { !"/?#&".unicodeScalars.contains($0) }))
    for url in [
        "https://h.example/\(piece)?token=\(secret)", "https://h.example/?token=\(piece)\(secret)",
        "https://h.example/?x=\(piece)&token=\(secret)", "https://user:\(secret)@\(piece)/",
    ] {
        require(!redaction.url(url).contains(secret), "shown: \(redaction.url(url))")
    }
}
