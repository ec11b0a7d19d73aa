#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

/// The content and digests of RFC 9530, appendices B and D: JSON followed by a line feed.
enum RFC9530 {
    static let content = Data("{\"hello\": \"world\"}\n".utf8)
    static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    static let sha512 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
    /// Bytes 10 to 18 of the content, B.4.
    static let part = Data("\"world\"}\n".utf8)
    static let partSHA256 = "jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ="
    /// What a client sends, B.6.
    static let title = Data("{\"title\": \"New Title\"}\n".utf8)
    static let titleSHA256 = "mEkdbO7Srd9LIOegftO0aBX+VPTVz7/CSHes2Z27gc4="
}

/// Pairs of content and its MD5 in base64: the test suite of RFC 1321, A.5.
let rfc1321: [(String, String)] = [
    ("", "1B2M2Y8AsgTpgAmY7PhCfg=="), ("a", "DMF1ucDxtqgxw5niaXcmYQ=="), ("abc", "kAFQmDzST7DWlj99KOF/cg=="),
    ("message digest", "+WtpfXy3k41SWi8xqvFh0A=="),
]

extension HTTPField.Name {
    init(known name: String) throws {
        self = try #require(HTTPField.Name(name))
    }
}

/// Fields by name, with names that the package for HTTP types does not know.
func fields(_ pairs: KeyValuePairs<String, String>) throws -> HTTPFields {
    var result = HTTPFields()
    for (name, value) in pairs { result.append(HTTPField(name: try .init(known: name), value: value)) }
    return result
}

extension HTTPFields {
    func value(_ name: String) throws -> String? {
        self[try .init(known: name)]
    }
}
#endif
