import HTTPTypes

/// A content coding that this stage can undo (RFC 9110 §8.4.1).
public enum ContentCoding: String, Sendable, Hashable, CustomStringConvertible {
    /// gzip (RFC 1952), also under its old name `x-gzip`.
    case gzip
    /// deflate: zlib-wrapped (RFC 1950) as the standard has it, or raw (RFC 1951) as some servers send it.
    case deflate

    /// The coding with a name as `Content-Encoding` has it; letter case does not matter.
    public init?(name: some StringProtocol) {
        switch name.lowercased() {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }

    /// The coding's registered name.
    public var description: String { rawValue }

    /// What a client that has this stage can take, for `Accept-Encoding` (RFC 9110 §12.5.3).
    static let acceptable = "gzip, deflate"
}

/// The codings of a `Content-Encoding` field, in the order in which they were applied.
struct AppliedCodings {
    /// The names, `identity` left out: it says nothing.
    let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields[.contentEncoding] ?? "")
            .split(separator: ",")
            .map { String($0.trimmed) }
            .filter { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    /// The codings that can be undone, outermost first, and the names of those that are left: a coding that is not
    /// known hides all that were applied before it.
    var peeled: (codings: [ContentCoding], rest: [String]) {
        var rest = names
        var codings: [ContentCoding] = []
        while let name = rest.last, let coding = ContentCoding(name: name) {
            codings.append(coding)
            rest.removeLast()
        }
        return (codings, rest)
    }

    /// Whether one of them makes content smaller: doing that again is of no use.
    var areCompressing: Bool {
        names.contains { Self.compressing.contains($0.lowercased()) }
    }

    private static let compressing: Set<String> = [
        "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip",
    ]
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
