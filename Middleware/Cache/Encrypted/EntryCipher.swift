import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The cipher of one application key: for names, descriptions and blocks of content.
///
/// Each purpose has a separate key, derived from the application's (HKDF, RFC 5869).
///
/// - Names must be deterministic, so that equal texts have equal names: the nonce of a name is an HMAC of the text. It
///   is the same for two different texts only if 96 bits of their HMACs are the same.
/// - A description has a random nonce. Its encryption also authenticates the entry's attributes in the underlying
///   store, so that it can't be moved to another entry.
/// - Each segment of content has a separate key, derived from a random salt in the description. The nonce of a block is
///   its number. The number, and whether the block is the last one, are authenticated, so that blocks can't be
///   exchanged or removed.
final class EntryCipher: Sendable {
    /// A kind of named part; the same text has different names as different parts.
    enum Part: UInt8 {
        case url, method, partition, identifier, origin, classification, variant
    }

    /// A mark that distinguishes entries of this key from those of others.
    let mark: Data
    private let namesMAC: SymmetricKey
    private let names: SymmetricKey
    private let heads: SymmetricKey
    private let contents: SymmetricKey
    /// A cache of names, which are the same for every call.
    private let known = Locked<[ExactText: String]>([:])

    init(_ key: EncryptionKey) {
        let secret = SymmetricKey(data: key.bytes)
        func derived(_ use: String, _ count: Int = 32) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret,
                info: Data("HTTPChain cache 1 \(use)".utf8),
                outputByteCount: count
            )
        }
        namesMAC = derived("names of names")
        names = derived("names")
        heads = derived("descriptions")
        contents = derived("contents")
        mark = derived("mark", 8).withUnsafeBytes { Data($0) }
    }

    // MARK: - Names

    /// Returns a one-way name that consists of letters allowed in host names.
    func digest(_ part: Part, _ bytes: some Sequence<UInt8>) -> String {
        String(decoding: code(part, Data(bytes)).prefix(16).hexadecimal, as: UTF8.self)
    }

    private func code(_ part: Part, _ bytes: Data) -> Data {
        var code = HMAC<SHA256>(key: namesMAC)
        code.update(data: [part.rawValue])
        code.update(data: bytes)
        return Data(code.finalize())
    }

    /// Returns a name that can be decrypted with the same key.
    ///
    /// Its length reveals the length of the text in steps of 32 bytes.
    func name(_ part: Part, _ text: String) throws -> String {
        var bytes = Data(text.utf8)
        bytes.append(0x80)
        bytes.append(Data(count: (32 - bytes.count % 32) % 32))
        let nonce = try AES.GCM.Nonce(data: code(part, bytes).prefix(12))
        let box = try AES.GCM.seal(bytes, using: names, nonce: nonce, authenticating: [part.rawValue])
        return Base64URL.encode(Data(nonce) + box.ciphertext + box.tag)
    }

    /// Decrypts the text of a name; returns nil if another key made it.
    func text(_ part: Part, _ name: some StringProtocol) -> String? {
        guard let sealed = Base64URL.decode(name), let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: names, authenticating: [part.rawValue]),
            let end = bytes.lastIndex(of: 0x80)
        else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Returns the name of a text from a small set, from memory if possible.
    private func knownName(_ part: Part, _ text: String) throws -> String {
        let id = ExactText("\(part.rawValue)\(text)")
        if let name = known.withLock({ $0[id] }) { return name }
        let name = try name(part, text)
        known.withLock { known in
            // Limited, because partitions are cached, too: each user has one, and a server may have many users.
            if known.count >= 256 { known = [:] }
            known[id] = name
        }
        return name
    }

    // MARK: - Keys

    /// Returns the key of an entry in the underlying store.
    func key(_ key: CacheKey) throws -> CacheKey {
        CacheKey(
            url: try url(key.url),
            method: HTTPRequest.Method(try knownName(.method, key.method.rawValue)) ?? .get,
            partition: try partition(key.partition),
            identifier: try key.identifier.map(identifier)
        )
    }

    func url(_ url: String) throws -> String {
        let name = try name(.url, url)
        guard let origin = CacheKey(url: url).origin else { return "urn:\(name)" }
        return "\(self.origin(origin))/\(name)"
    }

    func origin(_ origin: Origin) -> String {
        "https://\(digest(.origin, origin.description.utf8)).invalid"
    }

    func partition(_ partition: String) throws -> String { try knownName(.partition, partition) }

    func identifier(_ identifier: String) throws -> String { try name(.identifier, identifier) }

    func classification(_ name: String?) -> String {
        digest(.classification, name.map { [1] + Array($0.utf8) } ?? [])
    }

    func variant(_ variant: CacheVariant) -> CacheVariant {
        CacheVariant([CacheVariant.Field(name: "variant", value: digest(.variant, variant.encoded))])
    }

    /// Returns the original of a key in the underlying store; `nil` if another encryption key made it.
    func original(_ key: CacheKey) -> CacheKey? {
        guard
            let name = key.url.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map({ String($0) }
            ),
            let url = text(.url, name),
            let method = text(.method, key.method.rawValue).flatMap({ HTTPRequest.Method($0) }),
            let partition = text(.partition, key.partition)
        else { return nil }
        var identifier: String?
        if let name = key.identifier {
            guard let text = text(.identifier, name) else { return nil }
            identifier = text
        }
        return CacheKey(url: url, method: method, partition: partition, identifier: identifier)
    }

    // MARK: - Descriptions

    /// Returns an encrypted description for the underlying store.
    func seal(_ head: SealedHead, as key: CacheKey) throws -> CacheMetadata {
        try seal(head.encoded, of: head.response.metadata, as: key)
    }

    /// Returns an encrypted description for the underlying store, given the encoded one.
    func seal(_ head: Data, of metadata: CacheMetadata, as key: CacheKey) throws -> CacheMetadata {
        let variant = variant(metadata.variant)
        let classification = classification(metadata.classification)
        let box = try AES.GCM.seal(
            head,
            using: heads,
            authenticating: Self.surroundings(key, variant, classification)
        )
        var response = HTTPResponse(status: .ok)
        response.headerFields[SealedHead.field] = (mark + box.nonce + box.ciphertext + box.tag).base64EncodedString()
        return CacheMetadata(
            head: response,
            variant: variant,
            // Stores that expire entries themselves need the times.
            requestTime: metadata.requestTime,
            responseTime: metadata.responseTime,
            classification: classification
        )
    }

    /// Returns the data that is authenticated together with a description.
    private static func surroundings(_ key: CacheKey, _ variant: CacheVariant, _ classification: String?) -> Data {
        var bytes = Data(key.encoded)
        bytes += variant.encoded
        bytes += Data((classification ?? "").utf8)
        return bytes
    }

    /// Returns the bytes of an encrypted description; `nil` if another key made it.
    func sealed(_ entry: CacheEntry) -> Data? {
        guard let text = entry.response.metadata.head.headerFields[SealedHead.field],
            let bytes = Data(base64Encoded: text), bytes.starts(with: mark)
        else { return nil }
        return bytes.dropFirst(mark.count)
    }

    /// Returns the description of an entry; `nil` if it is damaged.
    func open(_ sealed: Data, of entry: CacheEntry) -> SealedHead? {
        let metadata = entry.response.metadata
        let surroundings = Self.surroundings(entry.key, metadata.variant, metadata.classification)
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: heads, authenticating: surroundings)
        else { return nil }
        return SealedHead(decoding: bytes)
    }

    // MARK: - Contents

    /// Returns the cipher of a segment of content.
    func content(_ salt: Data) -> ContentCipher {
        ContentCipher(
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: contents,
                salt: salt,
                info: Data("HTTPChain cache 1 content".utf8),
                outputByteCount: 32
            )
        )
    }
}

/// Encrypts one segment of content, in blocks.
struct ContentCipher: Sendable {
    /// The number of bytes of content per block; the last may have fewer.
    static let payload = 16_384
    /// The number of bytes that encryption adds to a block.
    static let overhead = 16

    private let key: SymmetricKey

    init(_ key: SymmetricKey) {
        self.key = key
    }

    /// Returns the encrypted length of content; the largest number on overflow.
    static func sealedLength(_ length: Int64) -> Int64 {
        let blocks = length / Int64(payload) + (length % Int64(payload) == 0 ? 0 : 1)
        let (sum, isTooLarge) = length.addingReportingOverflow(blocks * Int64(overhead))
        return isTooLarge ? .max : sum
    }

    func seal(_ block: Data, number: Int64, isLast: Bool) throws -> Data {
        let box = try AES.GCM.seal(
            block,
            using: key,
            nonce: try Self.nonce(number),
            authenticating: Self.place(number, isLast)
        )
        return box.ciphertext + box.tag
    }

    /// Returns the content of a block; `nil` if it is damaged or misplaced.
    func open(_ sealed: Data, number: Int64, isLast: Bool) -> Data? {
        guard sealed.count >= Self.overhead, let nonce = try? Self.nonce(number),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce,
                ciphertext: sealed.dropLast(Self.overhead),
                tag: sealed.suffix(Self.overhead)
            )
        else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: Self.place(number, isLast))
    }

    private static func nonce(_ number: Int64) throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 4) + bytes(number))
    }

    private static func place(_ number: Int64, _ isLast: Bool) -> [UInt8] { bytes(number) + [isLast ? 1 : 0] }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
