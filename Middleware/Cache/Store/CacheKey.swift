package import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// The key of stored responses, RFC 9111 §2.
///
/// It consists of the method, the normalised URL, and parts that separate users and calls.
///
/// The variants of one key differ in the request fields that `Vary` names; see ``CacheVariant``.
public struct CacheKey: Sendable, Hashable {
    /// The absolute URL, normalised by RFC 3986 §6.2, without ignored query parameters.
    public let url: String
    /// The method whose responses are stored; responses to GET also serve HEAD.
    package let method: HTTPRequest.Method
    /// The user or group that owns the entries; empty if all callers share them.
    public let partition: String
    /// The identifier of the call's parameters, beyond the URL; `nil` if the URL is sufficient.
    public let identifier: String?

    /// Creates a key from its parts; the URL isn't normalised.
    public init(url: String, method: HTTPRequest.Method = .get, partition: String = "", identifier: String? = nil) {
        self.url = url
        self.method = method
        self.partition = partition
        self.identifier = identifier
    }

    /// The number of bytes of the texts.
    var size: Int64 { Int64(url.utf8.count + partition.utf8.count + (identifier?.utf8.count ?? 0)) }

    /// The origin of the response.
    package var origin: Origin? { Origin(url) }

    /// Whether both keys have the same bytes, because canonically equivalent URLs may be different resources, and
    /// equivalent names different users.
    public static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.method == other.method && one.url.hasSameBytes(as: other.url)
            && one.partition.hasSameBytes(as: other.partition) && one.identifier.hasSameBytes(as: other.identifier)
    }

    /// Hashes only the most distinctive parts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(partition)
    }
}

extension CacheKey: RedactedDisplay, DescribedValue {
    /// The method and URL, with secrets redacted, and the owner.
    package var words: String {
        var text = "\(method) \(Redaction.standard.url(url))"
        if let identifier { text += " (\(shown(identifier)))" }
        return partition.isEmpty ? text : "\(text) of \(shown(partition))"
    }

    private func shown(_ text: String) -> String { Redaction.standard.text(text, upTo: Redaction.longestShown) }
}
