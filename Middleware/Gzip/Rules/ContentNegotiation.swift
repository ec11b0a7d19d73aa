import HTTPChainSupport
import HTTPTypes

/// Whether ``GzipMiddleware`` adds `Accept-Encoding` to a request that has none (RFC 9110 §12.5.3).
public enum ContentNegotiation: String, Sendable, Hashable {
    /// Adds it unless an inner stage or the transport decodes by itself, as URLSession does, and requests its own
    /// codings.
    case automatic
    /// Always adds it, even over a transport that decodes by itself, which may not support the codings.
    case always
    /// Never adds it: encoded responses are decoded, but not requested.
    case never
}

/// The codings that a stage can decode.
struct CodingSet: Sendable {
    let codings: [ContentCoding]
    /// The value of `Accept-Encoding`, created and validated once; `nil` if there are no codings.
    let acceptable: HTTPField?

    /// - Parameter codings: The codings in order of preference. If two have the same name, the first is used.
    init(_ codings: [ContentCoding]) {
        var known: Set<String> = []
        let distinct = codings.filter { known.insert($0.name).inserted }
        self.codings = distinct
        let value = distinct.map(Self.member).joined(separator: ", ")
        acceptable = distinct.isEmpty ? nil : HTTPField(name: .acceptEncoding, value: value)
    }

    func coding(named name: some StringProtocol) -> ContentCoding? {
        codings.first { $0.isNamed(name) }
    }

    /// RFC 9110 §12.4.2: a weight has at most three digits, and 1 is omitted.
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
    /// The names, except `identity`, which has no effect.
    let names: [String]

    init(_ fields: HTTPFields) {
        names = (fields[.contentEncoding] ?? "")
            .pieces(at: ",")
            .map { $0.trimming() }
            .filter { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    /// Returns the codings that can be decoded, outermost first, and the remaining names.
    ///
    /// An unknown coding and all codings applied before it can't be decoded.
    func peeled(by known: CodingSet) -> (codings: [ContentCoding], rest: [String]) {
        var rest = names
        var codings: [ContentCoding] = []
        while let name = rest.last, let coding = known.coding(named: name) {
            codings.append(coding)
            rest.removeLast()
        }
        return (codings, rest)
    }

    /// Whether one of the codings compresses, so that compressing again is useless.
    var areCompressing: Bool {
        names.contains { Self.compressing.contains($0.lowercased()) }
    }

    private static let compressing: Set<String> = [
        "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip",
    ]
}
