import Foundation
import HTTPTypes

@testable import HTTPChainCore
@testable import HTTPChainRedirect
@testable import HTTPChainSupport

/// Values of `Location`, one a line, and the requests that follow from them.
///
/// A target is one that a transport takes, without user information, and comes out the same when it is named again; a
/// request that goes to another origin carries no credentials.
func checkLocation(_ input: Input) -> Int32 {
    for line in input.lines.prefix(16) {
        for base in bases { checkTarget(line, from: base) }
    }
    return 0
}

private let bases = ["https://a.example/b/c;p?q#f", "http://[::1]:8080", "https://xn--bcher-kva.example:444/%20x/y"]

private func target(_ location: String, from base: URIReference) -> URIReference? {
    let response = HTTPResponse(status: .found, headerFields: [.location: location])
    return RedirectLocation.target(of: response, from: base)
}

private func checkTarget(_ location: String, from text: String) {
    let base = URIReference(text)
    guard let found = target(location, from: base) else { return }
    let shown = found.text
    require(shown.utf8.allSatisfy { isURIByte($0) || $0 == UInt8(ascii: "#") }, "\(shown.debugDescription)")
    require(!(found.authority ?? "").utf8.contains(UInt8(ascii: "@")), "user information in \(shown)")
    require(["http", "https"].contains(found.scheme), "the scheme of \(shown)")
    guard let origin = Origin(shown) else { return require(false, "\(shown) has no origin") }
    let again = target(shown, from: base)
    require(again == found, "\(shown) became \(again?.text ?? "nothing")")
    do throws(InvalidRequestError) {
        let wire = try Request.get(shown).forWire()
        require(Origin(wire.url) == origin, "\(wire.url) is of another origin than \(shown)")
    } catch {
        require(false, "\(shown) is refused: \(error)")
    }
    checkRewriting(found, origin, from: text)
}

private func checkRewriting(_ target: URIReference, _ destination: Origin, from base: String) {
    let credentials: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]
    for status in [301, 303, 307] {
        var request = Request(.post, base, body: "content")
        for name in credentials { request.head.headerFields[name] = "secret" }
        request.head.headerFields[.contentType] = "text/plain"
        request.head.headerFields[.referer] = base
        let source = Origin(base)
        request.redirect(to: target, status: .init(code: status), from: source, redaction: .standard)
        require(request.origin == destination, "\(request.url) is of another origin than \(target.text)")
        let isSame = source == destination
        for name in credentials {
            require(request.head.headerFields.contains(name) == isSame, "\(name) from \(base) to \(target.text)")
        }
        let referer = request.head.headerFields[.referer]
        if !isSame { require(referer.map { $0 == source.map { "\($0)/" } } ?? true, "a referer of \(referer ?? "")") }
        let keepsContent = status == 307
        require(request.head.method == (keepsContent ? .post : .get), "the method after \(status)")
        require(request.head.headerFields.contains(.contentType) == keepsContent, "the fields after \(status)")
        require(request.body.isEmpty == !keepsContent, "the body after \(status)")
    }
}
