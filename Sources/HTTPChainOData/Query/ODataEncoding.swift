public import HTTPTypes

/// Percent-encoding as the OASIS ABNF asks for it: once, over text that is otherwise finished.
enum ODataEncoding {
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    /// What separates parts of an option, and what RFC 3986 §3.4 lets a query have without a meaning of its own.
    private static let queryMarks = unreserved.union("$'()*,;=:@!/?".utf8)
    private static let pathMarks = unreserved.union("$/:@".utf8)

    /// The value of a system query option: a plus sign is `%2B`, for many services read it as a space.
    static func query(_ text: String) -> String { encoded(text, queryMarks) }

    /// A path of names.
    static func path(_ text: String) -> String { encoded(text, pathMarks) }

    /// One part of a path or a custom option, whose slashes are data.
    static func part(_ text: String) -> String { encoded(text, unreserved.union("':,".utf8)) }

    private static func encoded(_ text: String, _ kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPField.Name {
    /// `OData-Version`: the version that a message is written in.
    public static let odataVersion = odata("OData-Version")

    /// `OData-MaxVersion`: the highest version that the client reads.
    public static let odataMaximumVersion = odata("OData-MaxVersion")

    private static func odata(_ name: String) -> HTTPField.Name {
        // Both are tokens; the field that stands in would only be seen if they were not.
        HTTPField.Name(name) ?? .accept
    }
}
