import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// The rules for matching a request with a recorded one.
///
/// ```swift
/// var matching = ReplayMatching.standard
/// matching.url.remove(.host)               // recorded against staging
/// matching.ignoredQuery = ["timestamp"]
/// matching.headers = [.accept]
/// ```
///
/// The chain's redaction removes secrets from both before they are compared, so that a request with a fresh token
/// matches one that was recorded with an old token.
public struct ReplayMatching: Sendable {
    /// A part of a URL.
    public enum URLPart: Sendable, Hashable, CaseIterable {
        /// `http` or `https`.
        case scheme
        /// The host.
        case host
        /// The port, or the scheme's default port.
        case port
        /// The path; percent-encoding makes no difference.
        case path
        /// The query parameters.
        ///
        /// Their order doesn't matter, except among those with the same name.
        case query
    }

    /// A way to compare content.
    public enum Body: Sendable, Hashable {
        /// Content isn't compared.
        case ignored
        /// Content is compared by its meaning: JSON regardless of member order and whitespace, forms by their fields,
        /// multipart bodies by their parts regardless of the boundary, and all others byte by byte.
        case byMeaning
        /// Content is compared byte by byte.
        case exact
    }

    /// Whether the method is compared; `true` by default.
    public var method = true
    /// The parts of the URL that are compared; all by default.
    public var url = Set(URLPart.allCases)
    /// The query parameters that are ignored; none by default.
    public var ignoredQuery: Set<String> = []
    /// The header fields that are compared; none by default.
    ///
    /// `Range` is always compared.
    public var headers: [HTTPField.Name] = []
    /// The way content is compared; ``Body/byMeaning`` by default.
    public var body: Body = .byMeaning
    /// A custom rule; none by default.
    ///
    /// It returns additional differences between a request and a recorded one, one sentence each.
    public var custom: (@Sendable (_ sent: HARRequest, _ recorded: HARRequest) -> [String])?

    package init() {}

    /// The default rules: method, URL and body.
    public static let standard = ReplayMatching()

    /// Returns the differences between two requests in one sentence each, most important first; empty if they match.
    ///
    /// - Parameters:
    ///   - sent: The request, redacted.
    ///   - recorded: The recorded request, redacted in the same way.
    public func differences(between sent: HARRequest, and recorded: HARRequest) -> [String] {
        let old = ComparedRequest(recorded, body, isRecorded: true)
        return differences(between: ComparedRequest(sent, body), and: old, stopsEarly: false).map(\.text)
    }

    func differences(
        between sent: ComparedRequest,
        and recorded: ComparedRequest,
        stopsEarly: Bool
    ) -> [ReplayDifference] {
        var found: [ReplayDifference] = []
        for part in [methodDifferences, urlDifferences, headerDifferences, bodyDifferences, customDifferences] {
            found += part(sent, recorded)
            if stopsEarly, !found.isEmpty { break }
        }
        return found
    }

    private func methodDifferences(_ sent: ComparedRequest, _ recorded: ComparedRequest) -> [ReplayDifference] {
        guard method, !sent.har.method.hasSameBytes(as: recorded.har.method) else { return [] }
        return [.init(.method, "the method is \(sent.har.method); recorded is \(recorded.har.method)")]
    }

    private func urlDifferences(_ sent: ComparedRequest, _ recorded: ComparedRequest) -> [ReplayDifference] {
        let now = sent.url
        let then = recorded.url
        var found: [ReplayDifference] = []
        func compare(_ part: URLPart, _ kind: ReplayDifference.Part, _ name: String, _ now: String, _ then: String) {
            guard url.contains(part), !now.hasSameBytes(as: then) else { return }
            found.append(
                .init(
                    kind,
                    "the \(name) is \(TextDifference.shortened(now)); recorded is \(TextDifference.shortened(then))"
                )
            )
        }
        compare(.path, .path, "path", now.path, then.path)
        compare(.host, .host, "host", now.host, then.host)
        compare(.scheme, .host, "scheme", now.scheme, then.scheme)
        // A different scheme implies a different default port.
        let isOwn = !now.scheme.hasSameBytes(as: then.scheme)
        if !isOwn || !url.contains(.scheme) {
            compare(.port, .host, "port", isOwn ? "" : "\(now.port ?? 0)", isOwn ? "" : "\(then.port ?? 0)")
        }
        if url.contains(.query) {
            found += NamedValues.differences(now.query, then.query, of: "query parameter", ignoring: ignoredQuery)
                .map { .init(.query, $0) }
        }
        return found
    }

    private func headerDifferences(_ sent: ComparedRequest, _ recorded: ComparedRequest) -> [ReplayDifference] {
        (headers.map(\.canonicalName) + ["range"]).compactMap { name in
            let now = sent.har.values(of: name)
            let then = recorded.har.values(of: name)
            // A full response to a range request is also valid for a request without the range.
            let isAdded = name == "range" && headers.allSatisfy { $0.canonicalName != "range" }
            if now.haveSameBytes(as: then) || isAdded && then.isEmpty { return nil }
            let shown = { (values: [String]) in
                values.isEmpty ? "missing" : values.map(TextDifference.quoted).joined(separator: ", ")
            }
            return .init(.header, "the field \(name) is \(shown(now)); recorded is \(shown(then))")
        }
    }

    private func bodyDifferences(_ sent: ComparedRequest, _ recorded: ComparedRequest) -> [ReplayDifference] {
        if body == .ignored { return [] }
        return sent.body.differences(from: recorded.body).map { .init(.body, $0) }
    }

    private func customDifferences(_ sent: ComparedRequest, _ recorded: ComparedRequest) -> [ReplayDifference] {
        (custom?(sent.har, recorded.har) ?? []).map { .init(.custom, $0) }
    }
}

/// A request prepared for comparison.
struct ComparedRequest: Sendable {
    let har: HARRequest
    let url: URLParts
    let body: ComparedBody

    /// - Parameters:
    ///   - har: The request.
    ///   - comparison: The way content is compared.
    ///   - isRecorded: Whether the request comes from an archive, which may be from any program and lack content that
    ///     was sent.
    init(_ har: HARRequest, _ comparison: ReplayMatching.Body, isRecorded: Bool = false) {
        self.har = har
        url = URLParts(har.url)
        body = comparison == .ignored ? .none : ComparedBody(har, exact: comparison == .exact, isRecorded: isRecorded)
    }
}

/// A difference between a request and a recorded one.
package struct ReplayDifference: Sendable, Hashable, CustomStringConvertible {
    /// The part of a request that differs, most important first.
    package enum Part: Int, Sendable, Hashable, CaseIterable {
        /// The path of the URL.
        case path
        /// The method.
        case method
        /// Host, scheme or port.
        case host
        /// The query.
        case query
        /// A header field.
        case header
        /// The content.
        case body
        /// A difference found by the custom rule.
        case custom
        /// The recorded response doesn't fit the request's condition.
        case condition
        /// The entry has already been used, or another one is next.
        case turn
    }

    /// The part of the request that differs.
    package let part: Part
    /// The difference in one sentence, with secrets redacted.
    package let text: String

    init(_ part: Part, _ text: String) {
        self.part = part
        self.text = text
    }

    /// The sentence.
    package var description: String { text }

    /// The weight of the difference, used to find the nearest entries.
    var distance: Int {
        switch part {
        case .path: 100
        case .method: 60
        case .host: 40
        case .query: 10
        case .header, .custom: 8
        case .body: 5
        case .condition: 3
        case .turn: 1
        }
    }
}
