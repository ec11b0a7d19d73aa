import HTTPChainSupport
public import HTTPTypes

/// Percent-encoding as the OASIS ABNF asks for it: once, over text that is otherwise finished.
enum ODataEncoding {
    /// The bytes that separate parts of an option, and those that RFC 3986 §3.4 lets a query have without a meaning of
    /// its own.
    private static let queryMarks = "$'()*,;=:@!/?"

    /// The value of a system query option: a plus sign is `%2B`, for many services read it as a space.
    ///
    /// A slash separates names in a path, and is data in a string, where the ABNF has neither it nor a question mark.
    static func query(_ text: String) -> String {
        var quotes = Quotes()
        return String(percentEncoding: text.utf8) { byte in
            quotes.pass(byte)
            let isData = quotes.isInString && (byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?"))
            return isUnreserved(byte, or: queryMarks) && !isData
        }
    }

    /// A path of names.
    static func path(_ text: String) -> String {
        String(percentEncoding: text.utf8) { isUnreserved($0, or: "$/:@") }
    }

    /// One part of a path or a custom option, whose slashes are data.
    static func part(_ text: String) -> String {
        String(percentEncoding: text.utf8) { isUnreserved($0, or: "':,") }
    }

    private static func isUnreserved(_ byte: UInt8, or others: String) -> Bool {
        ASCII.isUnreserved(byte) || others.utf8.contains(byte)
    }

    /// Follows which quotes are open: those of a string of OData, in which two are one, or of a phrase or a string in
    /// JSON, with backslashes.
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
    /// `OData-Version`: the version that a message is written in.
    public static let odataVersion = Self(constant: "OData-Version")

    /// `OData-MaxVersion`: the highest version that the client reads.
    public static let odataMaximumVersion = Self(constant: "OData-MaxVersion")
}
