import HTTPChainCore
import HTTPChainSupport

/// The `Cookie` field of a request: RFC 6265bis §4.2.1.
struct CookieField {
    private(set) var pairs: [String] = []
    private(set) var names: Set<ExactText> = []

    /// Creates the pairs of a call's cookies.
    ///
    /// - Throws: ``CookieError`` for a cookie that would be misread.
    init(_ cookies: [CallCookie]) throws(CookieError) {
        for cookie in cookies {
            let name = cookie.name
            guard cookie.isSound else { throw CookieError(problem: .unsendable(name: name)) }
            let value = cookie.value.revealed
            pairs.append(name.isEmpty ? value : "\(name)=\(value)")
            names.insert(ExactText(name))
        }
    }

    /// Returns the names in the values of fields.
    static func names(in values: [String]) -> Set<ExactText> {
        Set(
            values.flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { pair in
                let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return ExactText("") }
                return ExactText(String(Substring(pair[..<equals])))
            }
        )
    }
}
