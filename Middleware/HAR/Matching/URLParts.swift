import HTTPChainCore
import HTTPChainSupport

/// The parts of a URL that are compared.
///
/// Percent-encoding is decoded, so that `%7E` equals `~`.
struct URLParts: Sendable, Hashable {
    struct Parameter: Sendable, Hashable {
        let name: String
        /// The value, or `nil` for a name without `=`.
        let value: String?

        static func == (one: Parameter, other: Parameter) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.value.hasSameBytes(as: other.value)
        }
    }

    let scheme: String
    let host: String
    let port: Int?
    let path: String
    let query: [Parameter]

    init(_ url: String) {
        let reference = URLReference(url)
        let origin = Origin(scheme: reference.scheme, authority: reference.authority)
        scheme = origin?.scheme ?? reference.scheme ?? ""
        host = origin?.host ?? reference.authority?.lowercased() ?? ""
        port = origin?.port
        let target = reference.path.utf8
        let question = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        path = Self.decoded(Substring(target[..<question]), plusIsSpace: false)
        query = Self.pairs(in: Substring(target[question...].dropFirst()))
    }

    /// The decoded pairs of a query or a form.
    static func pairs(in text: Substring) -> [Parameter] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                return Parameter(name: decoded(Substring(pair), plusIsSpace: true), value: nil)
            }
            return Parameter(
                name: decoded(Substring(pair[..<equals]), plusIsSpace: true),
                value: decoded(Substring(pair[pair.index(after: equals)...]), plusIsSpace: true)
            )
        }
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
        String(decoding: Array(text.utf8).percentDecoded(plusIsSpace: plusIsSpace), as: UTF8.self)
    }
}
