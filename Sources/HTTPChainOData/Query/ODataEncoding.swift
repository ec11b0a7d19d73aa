import HTTPChainSupport
package import HTTPTypes

/// Percent-encodes text that is otherwise finished, according to the OASIS ABNF.
enum ODataEncoding {
    /// The bytes that separate parts of an option, and those that RFC 3986 §3.4 allows in a query without a special
    /// meaning.
    private static let queryMarks = "$'()*,;=:@!/?"

    /// Encodes the value of a system query option; a plus sign becomes `%2B`, because many services read it as a space.
    ///
    /// A slash is a separator in a path of names. In a string it is data, and is encoded, because the ABNF allows
    /// neither slashes nor question marks there.
    static func query(_ text: String) -> String {
        var quotes = Quotes()
        return String(percentEncoding: text.utf8) { byte in
            quotes.pass(byte)
            let isData = quotes.isInString && (byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?"))
            return isUnreserved(byte, or: queryMarks) && !isData
        }
    }

    /// Encodes a path of names.
    static func path(_ text: String) -> String {
        String(percentEncoding: text.utf8) { isUnreserved($0, or: "$/:@") }
    }

    /// Encodes one part of a path, or a custom option; slashes in it are data.
    static func part(_ text: String) -> String {
        String(percentEncoding: text.utf8) { isUnreserved($0, or: "':,") }
    }

    private static func isUnreserved(_ byte: UInt8, or others: String) -> Bool {
        ASCII.isUnreserved(byte) || others.utf8.contains(byte)
    }

    /// Tracks open quotes: of an OData string, in which two quotes represent one, or of a phrase or a JSON string, in
    /// which a backslash is an escape.
    private struct Quotes {
        private(set) var isInString = false
        private var isInDoubleQuotes = false
        private var isEscaped = false

        mutating func pass(_ byte: UInt8) {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInDoubleQuotes: isEscaped = true
            case UInt8(ascii: "\"") where !isInString: isInDoubleQuotes.toggle()
            case UInt8(ascii: "'") where !isInDoubleQuotes: isInString.toggle()
            default: break
            }
        }
    }
}

extension HTTPField.Name {
    /// `OData-MaxVersion`: the highest version that the client supports.
    package static let odataMaximumVersion = Self(constant: "OData-MaxVersion")
}
