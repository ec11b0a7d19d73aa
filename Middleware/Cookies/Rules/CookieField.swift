import HTTPChainCore

/// The `Cookie` field of a request: RFC 6265bis §4.2.1.
struct CookieField {
    private(set) var pairs: [String] = []
    private(set) var names: Set<String> = []

    /// Puts cookies of a call together.
    ///
    /// - Throws: ``CookieError`` for one that would be read otherwise than it is meant.
    init(_ cookies: [CallCookie]) throws(CookieError) {
        for cookie in cookies {
            let name = cookie.name
            guard cookie.isSound else { throw CookieError(name: name) }
            let value = cookie.value.revealed
            pairs.append(name.isEmpty ? value : "\(name)=\(value)")
            names.insert(name)
        }
    }

    /// The names in the values of fields.
    static func names(in values: [String]) -> Set<String> {
        Set(
            values.flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { pair in
                let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return "" }
                return String(Substring(pair[..<equals]))
            }
        )
    }
}
