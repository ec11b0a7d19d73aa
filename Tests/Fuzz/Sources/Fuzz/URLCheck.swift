import HTTPChainCore
import HTTPChainURLBuilder

/// Lines: a reference, then values for its variables.
///
/// What a template expands to and what the builder makes is what a URI may hold (RFC 3986 §2), under the base where
/// the reference is relative, and a transport takes it; whatever else comes of it is a typed error.
func checkURL(_ input: Input) -> Int32 {
    let lines = input.lines
    let reference = lines[0]
    let texts = lines.dropFirst().map { URLValue.string($0) }
    let map: URLParameters = ["k": texts.last ?? .null, "": 1.5]
    let pairs: [(String, URLValue)] = [
        ("id", texts.first ?? "7"), ("q", .array(texts)), ("map", .dictionary(map)),
    ]
    let values = URLParameters(pairs)
    do throws(URLBuilderError) {
        let template = try URITemplate(reference)
        let expanded = try template.expand(values)
        require(expanded.utf8.allSatisfy(isURIByte), "expanded to \(expanded.debugDescription)")
    } catch {
        require(!error.description.isEmpty, "an error without a description")
    }

    // The builder refuses values that no variable uses.
    let mentioned = URLParameters(pairs.filter { reference.contains($0.0) })
    for base in bases {
        let query: URLQuery = ["q": URLValue.array(texts)]
        let all = [values, mentioned].map { URLArguments(path: $0, query: query) }
        for arguments in all + [URLArguments()] {
            do throws(URLBuilderError) {
                let url = try URLBuilder(base: base).url(reference, arguments)
                checkAccepted(url, reference: reference, base: base)
            } catch {
                require(!error.description.isEmpty, "an error without a description")
            }
        }
    }
    return 0
}

private let bases = ["https://api.example.com/v2", "http://[::1]:8080/?k=1"]

private func checkAccepted(_ url: String, reference: String, base: String) {
    do throws(InvalidRequestError) {
        let wire = try Request.get(url).forWire()
        require(wire.url.utf8.allSatisfy(isURIByte), "built \(url.debugDescription)")
    } catch {
        // An authority that the caller wrote literally is the transport's to judge.
        require(hasAuthority(reference), "built \(url.debugDescription), refused: \(error)")
    }
    if !hasAuthority(reference) {
        let prefix = base.prefix { $0 != "?" }
        let root = prefix.last == "/" ? prefix.dropLast() : prefix
        require(url.hasPrefix(String(root)), "\(url.debugDescription) is not under \(base)")
    }
}

private func hasAuthority(_ reference: String) -> Bool {
    Array(reference.utf8).indices.contains { index in
        reference.utf8.dropFirst(index).starts(with: "//".utf8)
    }
}

/// Reserved and unreserved characters and the percent sign.
func isURIByte(_ byte: UInt8) -> Bool { uriBytes.contains(byte) }

private let uriBytes = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%".utf8
)
