package import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

/// The properties that must be equal for calls to share a transfer.
package struct CoalescingKey: Hashable, Sendable {
    private let identity: RequestIdentity
    private let effects: OptionEffects
    package let origin: Origin
    private(set) var partition: String?

    /// Creates the key of a request.
    ///
    /// Returns `nil` if the request needs a separate transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ignored: The fields that may differ.
    ///   - hasUserPartition: Whether the partition separates users. If not, credentials in options can't be compared.
    package init?(_ request: borrowing Request, ignoring ignored: [HTTPField.Name], hasUserPartition: Bool) {
        let head = request.head
        let options = request.options
        guard head.method == .get || head.method == .head, options[CoalescingOption.self],
            !options[LongLivedResponseNote.self], request.body.isEmpty, hasUserPartition || !options.hasCredentials,
            !Self.wantsOwnTransfer(head.headerFields),
            let identity = RequestIdentity(request, ignoring: ignored), let origin = identity.origin
        else { return nil }
        self.identity = identity
        effects = OptionEffects(of: options)
        self.origin = origin
    }

    package static func == (one: CoalescingKey, other: CoalescingKey) -> Bool {
        one.identity == other.identity && one.partition.hasSameBytes(as: other.partition)
            && one.effects == other.effects
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        hasher.combine(partition)
    }

    /// Returns the key for a partition, such as a user.
    package func inPartition(_ partition: String?) -> CoalescingKey {
        var key = self
        key.partition = partition
        return key
    }

    /// Whether the call needs a separate transfer: ranges are specific to the caller, and a request for a new response
    /// must not get an earlier one.
    private static func wantsOwnTransfer(_ fields: HTTPFields) -> Bool {
        if fields.contains(.range) || fields.contains(.ifRange) { return true }
        return [HTTPField.Name.cacheControl, .pragma].contains { name in
            fields[values: name].contains { $0.pieces(at: ",").contains(where: asksForNew) }
        }
    }

    /// Whether a directive requires a new response: RFC 9111 §5.2.1.1, §5.2.1.4, §5.2.1.5 and §5.4.
    private static func asksForNew(_ directive: Substring) -> Bool {
        let text = String(directive.lowercased().unicodeScalars.filter { $0 != " " && $0 != "\t" && $0 != "\"" })
        return text.begins(with: "no-cache") || text.begins(with: "no-store") || text == "max-age=0"
    }
}
