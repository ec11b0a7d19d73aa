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
            let value = cookie.value.revealed
            let isSound = { (text: String) in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
            }
            guard isSound(name), isSound(value), !name.utf8.contains(UInt8(ascii: "=")),
                !name.isEmpty || !value.isEmpty && !value.utf8.contains(UInt8(ascii: "="))
            else { throw CookieError(name: name) }
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
