import Foundation
import HTTPChainCache
import HTTPChainCore

/// The content of an entry, read block by block.
struct SealedContent: Sendable {
    /// Content of so many bytes is read at once.
    private static let small = 256 * 1024
    private static let payload = Int64(ContentCipher.payload)
    private static let sealedPayload = Int64(ContentCipher.payload + ContentCipher.overhead)

    private let base: any CacheStore
    private let entry: SealedEntry
    private let read: StoredContent?
    private let cipher: ContentCipher
    private let length: Int64

    /// - Parameter read: What the store beneath has read together with the description.
    init(_ base: any CacheStore, _ entry: SealedEntry, read: StoredContent?, length: Int64) {
        self.base = base
        self.entry = entry
        self.read = read
        self.length = length
        cipher = entry.cipher.content(entry.salt)
    }

    static var damaged: CacheStoreFault { CacheStoreFault(.damaged("a stored body")) }

    /// A body of the bytes; `nil` when the entry is gone.
    ///
    /// What is small is read whole; of the rest, the first block that is asked for.
    func body(_ range: Range<Int64>) async throws -> HTTPBody? {
        guard range.lowerBound >= 0, range.upperBound <= length, ContentCipher.sealedLength(length) == sealedLength
        else { throw Self.damaged }
        guard !range.isEmpty else {
            return try await base.body(of: inner, range: 0..<0).map { _ in .empty }
        }
        let first = range.lowerBound / Self.payload
        let last = (range.upperBound - 1) / Self.payload
        let sealedRange = first * Self.sealedPayload..<min((last + 1) * Self.sealedPayload, sealedLength)
        let isWhole = sealedRange == 0..<sealedLength
        guard let sealed = try await base.body(of: inner, range: isWhole ? nil : sealedRange) else { return nil }
        if let bytes = sealed.bytes, bytes.count <= Self.small {
            var blocks = OpenedBlocks(self, first: first, range: range)
            let opened = try blocks.take(bytes)
            guard Int64(opened.count) == range.upperBound - range.lowerBound else { throw Self.damaged }
            return HTTPBody(opened)
        }
        // Whoever is handed the body finds it sound at its beginning at least.
        var inner = try await sealed.makeReader()
        var blocks = OpenedBlocks(self, first: first, range: range)
        var isSound = false
        while !isSound {
            guard let chunk = try await inner.read() else { throw Self.damaged }
            isSound = !(try blocks.take(chunk).isEmpty)
        }
        return sealed.transformed(length: range.upperBound - range.lowerBound) { inner in
            Reader(inner: inner, content: self, blocks: OpenedBlocks(self, first: first, range: range))
        }
    }

    /// The entry as the store beneath has given it out.
    private var inner: CacheEntry {
        let inner = entry.inner
        return CacheEntry(id: inner.id, key: inner.key, response: inner.response, content: read)
    }

    private var sealedLength: Int64 { entry.inner.response.bodyLength }

    /// Removes an entry that is damaged.
    private func drop() async { _ = try? await base.remove(.entry(entry.inner.id)) }

    /// Gathers what is read into blocks, and opens them.
    private struct OpenedBlocks {
        let content: SealedContent
        private var number: Int64
        /// The range that is still to be returned.
        private var rest: Range<Int64>
        private var pending = Data()

        init(_ content: SealedContent, first: Int64, range: Range<Int64>) {
            self.content = content
            number = first
            rest = range
        }

        var isAtEnd: Bool { rest.isEmpty }

        /// Returns the part of the content that is complete by now.
        mutating func take(_ chunk: Data) throws(CacheStoreFault) -> Data {
            pending.append(chunk)
            var opened = Data()
            while !rest.isEmpty {
                let start = number * SealedContent.payload
                let count = min(SealedContent.payload, content.length - start)
                let sealedCount = Int(count) + ContentCipher.overhead
                guard pending.count >= sealedCount else { break }
                let isLast = start + count == content.length
                let block = content.cipher.open(pending.prefix(sealedCount), number: number, isLast: isLast)
                guard let block, Int64(block.count) == count else { throw SealedContent.damaged }
                pending = pending.dropFirst(sealedCount)
                let end = min(rest.upperBound, start + count)
                let from = block.startIndex + Int(rest.lowerBound - start)
                opened.append(block[from..<(block.startIndex + Int(end - start))])
                rest = end..<rest.upperBound
                number += 1
            }
            pending = Data(pending)
            return opened
        }
    }

    private struct Reader: BodyReader {
        var inner: any BodyReader
        let content: SealedContent
        var blocks: OpenedBlocks

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            while !blocks.isAtEnd {
                do {
                    guard let chunk = try await inner.read() else { throw SealedContent.damaged }
                    let opened = try blocks.take(chunk)
                    if !opened.isEmpty { return opened }
                } catch let fault as CacheStoreFault {
                    if case .damaged = fault.problem { await content.drop() }
                    throw fault
                }
            }
            return nil
        }
    }
}
