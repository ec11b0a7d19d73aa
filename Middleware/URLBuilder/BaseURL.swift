import HTTPChainCore
import HTTPTypes

/// The URL to which relative references are appended.
final class BaseURL: Sendable {
    let scheme: String
    let authority: String
    /// The path, with its trailing slash if it has one.
    let path: [UInt8]
    /// The path without a trailing slash, to which references are appended.
    private let prefix: [UInt8]
    let query: [UInt8]

    init(_ text: String) throws(URLBuilderError) {
        func invalid(_ reason: String) -> URLBuilderError {
            URLBuilderError(.invalidBase(text, reason: reason))
        }
        guard !text.utf8.contains(where: \.isControl) else { throw invalid("it contains a control character") }
        var request = Request(.get, text)
        guard let scheme = request.head.scheme, let authority = request.head.authority else {
            throw invalid(
                text.utf8.contains(.openBrace) ? "a base cannot contain variables" : "it has no scheme and host"
            )
        }
        do {
            request.head.authority = try URLBuilder.inASCII(authority)
        } catch {
            if case .zoneInHost = error.problem { throw error }
            throw invalid("its host is not a host name")
        }
        // Invalid characters are encoded, as in references. However, braces are more likely to be a template used by
        // mistake.
        let whole = request.head.path ?? "/"
        guard !whole.utf8.contains(where: { $0 == .openBrace || $0 == .closeBrace }) else {
            throw invalid("a base cannot contain variables")
        }
        var encoded: [UInt8] = []
        encoded.append(percentEncoding: whole, allowed: .reserved, keepingTriplets: true)
        request.head.path = String(decoding: encoded, as: UTF8.self)
        do {
            _ = try request.forWire()
        } catch {
            if case .invalidURL(_, let reason) = error.problem { throw invalid(reason) }
            throw invalid(error.reason)
        }
        self.scheme = scheme
        self.authority = request.head.authority ?? authority
        let question = encoded.firstIndex(of: .question)
        query = question.map { Array(encoded[($0 + 1)...]) } ?? []
        path = removingDotSegments(from: encoded[..<(question ?? encoded.count)])
        prefix = path.last == .slash ? path.dropLast() : path
    }

    /// Returns the reference's path, appended to that of the base.
    func joined(_ reference: ArraySlice<UInt8>) -> [UInt8] {
        guard let first = reference.first else { return path }
        var result: [UInt8] = []
        result.reserveCapacity(prefix.count + reference.count + 64)
        result += prefix
        if first != .slash { result.append(.slash) }
        result += reference
        return result
    }
}
