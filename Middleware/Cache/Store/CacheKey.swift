public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// The key that stored responses are looked up by, RFC 9111 §2: method and normalised URL, and what keeps users and
/// calls apart.
///
/// The variants of one key differ in the request fields that `Vary` names; see ``CacheVariant``.
public struct CacheKey: Sendable, Hashable {
    /// The absolute URL, normalised as RFC 3986 §6.2 has it, without ignored query parameters.
    public let url: String
    /// The method whose responses are stored; GET also answers HEAD.
    public let method: HTTPRequest.Method
    /// The user or group that the entries belong to; empty where all callers share them.
    public let partition: String
    /// The identifier of the call's parameters, beyond the URL; `nil` where the URL says all.
    public let identifier: String?

    /// Makes a key of its parts; the URL is taken as it is.
    public init(url: String, method: HTTPRequest.Method = .get, partition: String = "", identifier: String? = nil) {
        self.url = url
        self.method = method
        self.partition = partition
        self.identifier = identifier
    }

    /// The origin of the response.
    public var origin: Origin? { Origin(url) }

    /// Whether both are the same byte by byte: canonically equal URLs are two resources, and names two users.
    public static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.method == other.method && one.url.hasSameBytes(as: other.url)
            && one.partition.hasSameBytes(as: other.partition) && one.identifier.hasSameBytes(as: other.identifier)
    }

    /// Hashes what differs most; the rest is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(partition)
    }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and URL, secrets redacted, and whose it is.
    public var description: String {
        var text = "\(method) \(Redaction.standard.url(url))"
        if let identifier { text += " (\(shown(identifier)))" }
        return partition.isEmpty ? text : "\(text) of \(shown(partition))"
    }

    private func shown(_ text: String) -> String { Redaction.standard.text(text, upTo: Redaction.longestShown) }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror that shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
