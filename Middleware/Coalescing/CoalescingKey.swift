import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The properties shared by calls that may share a transfer.
struct CoalescingKey: Hashable, Sendable {
    let method: HTTPRequest.Method
    let origin: Origin
    let path: String
    /// All fields except those that only identify a call; they include the fields that select a representation, the
    /// conditions and the credentials, so that calls that differ in any of these are separate.
    let fields: HTTPFields
    let boundFields: [HTTPField.Name: Origin]
    let partition: String?

    /// Creates the key of a request; returns `nil` if it needs a separate transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ignored: The fields that may differ.
    ///   - hasUserPartition: Whether the partition separates users: credentials in options have no value to compare.
    init?(_ request: borrowing Request, ignoring ignored: [HTTPField.Name], hasUserPartition: Bool) {
        let head = request.head
        let options = request.options
        guard head.method == .get || head.method == .head, options[CoalescingOption.self],
            !options[LongLivedResponse.self], request.body.isEmpty, hasUserPartition || !options.hasCredentials,
            !Self.wantsOwnTransfer(head.headerFields),
            let origin = Origin(scheme: head.scheme, authority: head.authority)
        else { return nil }
        method = head.method
        self.origin = origin
        let path = head.path ?? ""
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        var fields = head.headerFields
        for name in ignored where fields.contains(name) { fields[name] = nil }
        self.fields = fields
        boundFields = options[OriginBoundFields.self]
        partition = nil
    }

    private init(_ other: CoalescingKey, partition: String?) {
        method = other.method
        origin = other.origin
        path = other.path
        fields = other.fields
        boundFields = other.boundFields
        self.partition = partition
    }

    /// Whether both requests are identical, byte by byte: canonically equivalent texts differ on the wire.
    static func == (one: CoalescingKey, other: CoalescingKey) -> Bool {
        one.method == other.method && one.origin == other.origin && one.path.hasSameBytes(as: other.path)
            && one.partition.hasSameBytes(as: other.partition) && one.boundFields == other.boundFields
            && one.fields == other.fields && one.hasSameValues(as: other)
    }

    /// Whether fields that are equal as texts have the same bytes.
    private func hasSameValues(as other: CoalescingKey) -> Bool {
        fields.allSatisfy { field in
            field.value.utf8.allSatisfy { $0 < 0x80 }
                || fields[values: field.name].elementsEqual(other.fields[values: field.name]) {
                    $0.hasSameBytes(as: $1)
                }
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(path)
        hasher.combine(partition)
    }

    /// Returns the key within a user's partition.
    func inPartition(_ partition: String?) -> CoalescingKey { CoalescingKey(self, partition: partition) }

    /// Ranges are specific to the caller, and a request for a new response must not get an earlier one.
    private static func wantsOwnTransfer(_ fields: HTTPFields) -> Bool {
        if fields.contains(.range) || fields.contains(.ifRange) { return true }
        return [HTTPField.Name.cacheControl, .pragma].contains { name in
            fields[values: name].contains { $0.pieces(at: ",").contains(where: asksForNew) }
        }
    }

    /// RFC 9111 §5.2.1.1, §5.2.1.4, §5.2.1.5 and §5.4.
    private static func asksForNew(_ directive: Substring) -> Bool {
        let text = String(directive.lowercased().unicodeScalars.filter { $0 != " " && $0 != "\t" && $0 != "\"" })
        return text.begins(with: "no-cache") || text.begins(with: "no-store") || text == "max-age=0"
    }
}
