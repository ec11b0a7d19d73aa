import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The encrypted part of an entry's description.
struct SealedHead: Sendable {
    /// The name of the field that contains it in the underlying store.
    static let field = HTTPField.Name(constant: "sealed")
    private static let complete: UInt8 = 1
    /// The flag for content with several segments.
    ///
    /// Versions that don't support segments consider the entry incomplete.
    private static let divided: UInt8 = 2

    /// The layout of the content.
    let layout: SealedLayout
    /// Whether the content was written to its end.
    let isComplete: Bool
    let key: CacheKey
    let response: StoredResponse

    /// - Parameter layout: A layout with the length of the response's content.
    init(_ key: CacheKey, _ response: StoredResponse, _ layout: SealedLayout, isComplete: Bool) {
        self.layout = layout
        self.isComplete = isComplete
        self.key = key
        self.response = response
    }

    /// 16 random bytes.
    static func makeSalt() -> Data {
        Data((0..<16).map { _ in UInt8.random(in: 0...255) })
    }

    /// The encoded description; its size is the same before and after completion.
    var encoded: Data {
        let further = layout.segments.dropFirst()
        var bytes = layout.segments[0].salt
        bytes.append((isComplete ? Self.complete : 0) | (further.isEmpty ? 0 : Self.divided))
        if !further.isEmpty { bytes += withUnsafeBytes(of: UInt16(further.count).bigEndian) { Data($0) } }
        for segment in further {
            bytes += segment.salt
            bytes += withUnsafeBytes(of: segment.length.bigEndian) { Data($0) }
        }
        return bytes + StoredHead(key, response).encoded
    }

    /// Decodes the result of ``encoded``; returns `nil` for anything else.
    init?(decoding bytes: Data) {
        guard bytes.count > 17 else { return nil }
        let flags = bytes[bytes.startIndex + 16]
        var rest = bytes.dropFirst(17)
        func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
            defer { rest = rest.dropFirst(MemoryLayout<Number>.size) }
            return rest.prefix(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number($1) }
        }
        var further: [SealedLayout.Segment] = []
        if flags & Self.divided != 0 {
            let count = Int(number(UInt16.self))
            guard count < SealedLayout.maximumCount, rest.count >= count * 24 else { return nil }
            for _ in 0..<count {
                let salt = Data(rest.prefix(16))
                rest = rest.dropFirst(16)
                further.append(SealedLayout.Segment(salt: salt, length: Int64(bitPattern: number(UInt64.self))))
            }
        }
        guard let head = try? StoredHead(decoding: [UInt8](rest)),
            let layout = SealedLayout(salt: Data(bytes.prefix(16)), further, length: head.response.bodyLength)
        else { return nil }
        self.layout = layout
        isComplete = flags & Self.complete != 0
        key = head.key
        response = head.response
    }
}

/// A returned entry, with its form in the underlying store.
struct SealedEntry: Sendable {
    let inner: CacheEntry
    let layout: SealedLayout
    let cipher: EntryCipher
}
