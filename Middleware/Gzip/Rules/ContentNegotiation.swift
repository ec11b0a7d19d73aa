import HTTPChainSupport
import HTTPTypes

/// Whether ``GzipMiddleware`` adds `Accept-Encoding` to a request that has none (RFC 9110 §12.5.3).
public enum ContentNegotiation: String, Sendable, Hashable {
    /// Unless what is inside the stage decodes on its own, as URLSession does, and asks for what it can decode.
    case automatic
    /// Always: also over a transport that decodes on its own, which may not know what it gets then.
    case always
    /// Never: what arrives encoded is decoded, but nothing is asked for.
    case never
}

/// The codings that a stage can undo.
struct CodingSet: Sendable {
    let codings: [ContentCoding]
    /// For `Accept-Encoding`; `nil` when there is nothing to say.
    let acceptable: String?

    /// - Parameter codings: In the order of preference; of two with one name the first counts.
    init(_ codings: [ContentCoding]) {
        var known: Set<ContentCoding> = []
        let distinct = codings.filter { known.insert($0).inserted }
        self.codings = distinct
        acceptable = distinct.isEmpty ? nil : distinct.map(Self.member).joined(separator: ", ")
    }

    func coding(named name: some StringProtocol) -> ContentCoding? {
        codings.first { $0.isNamed(name) }
    }

    /// RFC 9110 §12.4.2: a weight has three digits at most, and 1 is not said.
    private static func member(_ coding: ContentCoding) -> String {
        guard coding.quality < 1 else { return coding.name }
        let thousandths = Int((coding.quality * 1000).rounded())
        var digits = String(1000 + thousandths).utf8.dropFirst()
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return coding.name + ";q=0" + (digits.isEmpty ? "" : ".\(Substring(digits))")
    }
}

/// The codings of a `Content-Encoding` field, in the order in which they were applied.
struct AppliedCodings {
    /// The names, `identity` left out: it says nothing.
    let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields[.contentEncoding] ?? "")
            .pieces(at: ",")
            .map { $0.trimming() }
            .filter { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    /// The codings that can be undone, outermost first, and the names of those that are left: a coding that is not
    /// known hides all that were applied before it.
    func peeled(by known: CodingSet) -> (codings: [ContentCoding], rest: [String]) {
        var rest = names
        var codings: [ContentCoding] = []
        while let name = rest.last, let coding = known.coding(named: name) {
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
