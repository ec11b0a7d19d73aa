import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The properties that two calls have in common that may share a transfer.
struct CoalescingKey: Hashable, Sendable {
    let method: HTTPRequest.Method
    let origin: Origin
    let path: String
    /// All fields but those that only name the call: the ones that select a representation, the conditions, and the
    /// credentials are among them, so that calls which differ in any of these stay apart.
    let fields: HTTPFields
    let boundFields: [HTTPField.Name: Origin]
    let partition: String?

    /// The key of a request, or `nil` for one that has to have a transfer of its own.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ignored: The fields that may differ.
    ///   - hasUserPartition: Whether the partition tells users apart: credentials that are options have no value that
    ///     could be compared.
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

    /// Whether both ask for the same: compared byte by byte, because canonically equal texts are two on the wire.
    static func == (one: CoalescingKey, other: CoalescingKey) -> Bool {
        one.method == other.method && one.origin == other.origin && one.path.hasSameBytes(as: other.path)
            && one.partition.hasSameBytes(as: other.partition) && one.boundFields == other.boundFields
            && one.fields == other.fields && one.hasSameValues(as: other)
    }

    /// Of fields that are equal as texts, whether the values are the same bytes.
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

    /// The key among those of one user.
    func inPartition(_ partition: String?) -> CoalescingKey { CoalescingKey(self, partition: partition) }

    /// Parts are the caller's own, and who asks for an answer made now must not get one that was asked for before.
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
