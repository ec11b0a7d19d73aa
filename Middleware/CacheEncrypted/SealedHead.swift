import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The part of an entry's description that is encrypted.
struct SealedHead: Sendable {
    /// The field that has it in the store beneath.
    static let field = HTTPField.Name(constant: "sealed")

    /// From which the key of the content is derived.
    let salt: Data
    /// Whether the content was written to its end.
    let isComplete: Bool
    let key: CacheKey
    let response: StoredResponse

    /// Begins an entry.
    init(_ key: CacheKey, _ response: StoredResponse, salt: Data, isComplete: Bool) {
        self.salt = salt
        self.isComplete = isComplete
        self.key = key
        self.response = response
    }

    /// 16 random bytes.
    static func makeSalt() -> Data {
        var numbers = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &numbers) })
    }

    /// As many bytes for an entry that is complete as for the same before.
    var encoded: Data { salt + [isComplete ? 1 : 0] + StoredHead(key, response).encoded }

    /// Reads what ``encoded`` has; `nil` for anything else.
    init?(decoding bytes: Data) {
        guard bytes.count > 17, let head = try? StoredHead(decoding: [UInt8](bytes.dropFirst(17))) else { return nil }
        salt = Data(bytes.prefix(16))
        isComplete = bytes[bytes.startIndex + 16] == 1
        key = head.key
        response = head.response
    }
}

/// The form in the store beneath of an entry that was returned.
struct SealedEntry: Sendable {
    let inner: CacheEntry
    let salt: Data
    let cipher: EntryCipher
}
