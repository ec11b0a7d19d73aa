import Foundation
import HTTPChainCache
import HTTPChainCore

/// The content of an entry, read block by block.
struct SealedContent: Sendable {
    /// The maximum size of content that is read as a whole.
    private static let small = 256 * 1024

    let base: any CacheStore
    let entry: SealedEntry
    /// The content, if the underlying store has read it with the description.
    let read: StoredContent?

    static var damaged: CacheStoreFault { CacheStoreFault(.damaged("a stored body")) }

    /// Returns a body of the bytes; `nil` if the entry is gone.
    ///
    /// Small content is read as a whole. Otherwise only the first requested block is read before returning.
    func body(_ range: Range<Int64>) async throws -> HTTPBody? {
        // The stored content may have more bytes than the entry, if it was or is being extended.
        guard range.lowerBound >= 0, range.upperBound <= layout.length, layout.sealedLength <= sealedLength
        else { throw Self.damaged }
        guard !range.isEmpty, let first = layout.block(at: range.lowerBound),
            let last = layout.block(at: range.upperBound - 1)
        else {
            return try await base.body(of: inner, range: 0..<0).map { _ in .empty }
        }
        let sealedRange = first.sealed.lowerBound..<last.sealed.upperBound
        let isWhole = sealedRange == 0..<sealedLength
        guard let sealed = try await base.body(of: inner, range: isWhole ? nil : sealedRange) else { return nil }
        if let bytes = sealed.bytes, bytes.count <= Self.small {
            var blocks = OpenedBlocks(content: self, rest: range)
            let opened = try blocks.take(bytes)
            guard Int64(opened.count) == range.upperBound - range.lowerBound else { throw Self.damaged }
            return HTTPBody(opened)
        }
        // Verifies at least the beginning of a body before returning it.
        var inner = try await sealed.makeReader()
        var blocks = OpenedBlocks(content: self, rest: range)
        var isSound = false
        while !isSound {
            guard let chunk = try await inner.read() else { throw Self.damaged }
            isSound = !(try blocks.take(chunk).isEmpty)
        }
        return sealed.transformed(length: range.upperBound - range.lowerBound) { inner in
            Reader(inner: inner, content: self, blocks: OpenedBlocks(content: self, rest: range))
        }
    }

    /// The entry as returned by the underlying store.
    private var inner: CacheEntry {
        let inner = entry.inner
        return CacheEntry(id: inner.id, key: inner.key, response: inner.response, content: read)
    }

    private var layout: SealedLayout { entry.layout }

    private var sealedLength: Int64 { entry.inner.response.bodyLength }

    /// Removes a damaged entry.
    private func drop() async { _ = try? await base.remove(.entry(entry.inner.id)) }

    /// Collects bytes into blocks and decrypts them.
    private struct OpenedBlocks {
        let content: SealedContent
        /// The range that has yet to be returned.
        var rest: Range<Int64>
        var pending = Data()
        /// The cipher of the last decrypted segment.
        var cipher: (segment: Int, content: ContentCipher)?

        /// Returns the content that is complete so far.
        mutating func take(_ chunk: Data) throws(CacheStoreFault) -> Data {
            pending.append(chunk)
            var opened = Data()
            while !rest.isEmpty, let block = content.layout.block(at: rest.lowerBound) {
                guard pending.count >= block.sealed.count else { break }
                let bytes = self.cipher(of: block)
                    .open(pending.prefix(block.sealed.count), number: block.number, isLast: block.isLast)
                guard let bytes, bytes.count == block.content.count else { throw SealedContent.damaged }
                pending = pending.dropFirst(block.sealed.count)
                let wanted = rest.clamped(to: block.content)
                let from = bytes.startIndex + Int(wanted.lowerBound - block.content.lowerBound)
                opened.append(bytes[from..<(from + wanted.count)])
                rest = wanted.upperBound..<rest.upperBound
            }
            pending = Data(pending)
            return opened
        }

        private mutating func cipher(of block: SealedLayout.Block) -> ContentCipher {
            if let cipher, cipher.segment == block.segment { return cipher.content }
            let made = content.entry.cipher.content(content.layout.segments[block.segment].salt)
            cipher = (block.segment, made)
            return made
        }
    }

    private struct Reader: BodyReader {
        var inner: any BodyReader
        let content: SealedContent
        var blocks: OpenedBlocks

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            while !blocks.rest.isEmpty {
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
