import Foundation
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// The digests declared in a message's fields.
struct DeclaredDigests {
    /// The digests with a known algorithm.
    private(set) var digests: [DigestField: Data] = [:]
    /// Whether a field, or a member of one, is malformed.
    ///
    /// A malformed field is ignored (RFC 9651 §4.2).
    private(set) var hasMalformedField = false
    /// Whether a field has an algorithm that is unknown, or insecure according to RFC 9530 §5.
    private(set) var hasOtherAlgorithm = false

    init(_ fields: HTTPFields) {
        parse(fields[.contentDigest]) { .contentDigest($0) }
        parse(fields[.reprDigest]) { .reprDigest($0) }
        if let text = fields[.contentMD5] {
            if let digest = Data(base64Encoded: text), digest.count == HashKind.md5.size {
                digests[.contentMD5] = digest
            } else {
                hasMalformedField = true
            }
        }
    }

    private mutating func parse(_ value: String?, _ field: (ContentDigestAlgorithm) -> DigestField) {
        guard let value else { return }
        guard let bytes = value.structuredFieldBytes else {
            hasMalformedField = true
            return
        }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseDictionaryFieldValue() else {
            hasMalformedField = true
            return
        }
        for (name, member) in members {
            guard let algorithm = ContentDigestAlgorithm(rawValue: name) else {
                hasOtherAlgorithm = true
                continue
            }
            guard case .item(let item) = member, case .undecodedByteSequence(let text) = item.rfc9651BareItem,
                let digest = Data(base64Encoded: Self.padded(text)), digest.count == algorithm.hash.size
            else {
                hasMalformedField = true
                continue
            }
            digests[field(algorithm)] = digest
        }
    }

    /// Adds the padding of base64, which a sender may omit (RFC 9651 §4.2.7).
    private static func padded(_ text: String) -> String {
        text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}

extension ContentDigestAlgorithm {
    var hash: HashKind {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// Serializes the dictionaries of RFC 9530.
enum DigestFieldValue {
    /// Returns algorithms with their digests: `sha-256=:…:, sha-512=:…:`.
    static func dictionary(_ digests: [(ContentDigestAlgorithm, Data)]) throws -> String {
        try serialize(digests.map { ($0, .undecodedByteSequence($1.base64EncodedString())) })
    }

    /// Returns algorithms in order of preference (RFC 9530 §4): `sha-512=10, sha-256=9`.
    static func preferences(_ algorithms: [ContentDigestAlgorithm]) throws -> String {
        try serialize(algorithms.enumerated().map { ($1, .integer(Int64(max(1, 10 - $0)))) })
    }

    private static func serialize(_ members: [(ContentDigestAlgorithm, RFC9651BareItem)]) throws -> String {
        var map = OrderedMap<String, ItemOrInnerList>()
        for (algorithm, item) in members {
            map[algorithm.rawValue] = .item(Item(bareItem: item, parameters: OrderedMap()))
        }
        var serializer = StructuredFieldValueSerializer()
        return String(decoding: try serializer.writeDictionaryFieldValue(map), as: UTF8.self)
    }
}
