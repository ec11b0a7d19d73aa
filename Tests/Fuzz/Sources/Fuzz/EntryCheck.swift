import Foundation
import HTTPTypes

@testable import HTTPChainCache
@testable import HTTPChainCore
@testable import HTTPChainSupport

/// The file of a cache's entry, and one block of a body.
///
/// The input stands for the whole file, and then for a description after fixed numbers that fit it: its first byte
/// chooses what is wrong with them, if anything is.
func checkEntry(_ input: Input) -> Int32 {
    let bytes = [UInt8](input.bytes)
    checkFile(bytes)
    if let choice = bytes.first { checkFile(framed(Array(bytes.dropFirst()), choice)) }
    checkBlock(bytes)
    return 0
}

private func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var checksum = ContentChecksum()
    bytes.withUnsafeBytes { checksum.update($0) }
    return checksum.value
}

private func framed(_ head: [UInt8], _ choice: UInt8) -> [UInt8] {
    var head = head
    // The version, so that more than one input in 65,536 is looked at.
    if head.count >= 2 { (head[0], head[1]) = (UInt8(CacheMetadata.formatVersion), 0) }
    var file = EntryFile.empty
    func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        withUnsafeBytes(of: number.littleEndian) { file.replaceSubrange(offset..<(offset + $0.count), with: $0) }
    }
    put(UInt16(choice & 1), at: 6)
    put(choice & 2 == 0 ? UInt32(head.count) : UInt32.max, at: 24)
    put(choice & 4 == 0 ? sum(head[...]) : 0, at: 32)
    put(choice & 8 == 0 ? sum(file[..<56]) : 0, at: 56)
    return file + head + [UInt8](repeating: choice, count: Int(choice >> 4))
}

extension EntryFile {
    /// The fixed numbers of some entry.
    fileprivate static let empty: [UInt8] = {
        let metadata = CacheMetadata(
            head: .init(status: .ok),
            variant: CacheVariant([]),
            requestTime: Date(timeIntervalSince1970: 1),
            responseTime: Date(timeIntervalSince1970: 2)
        )
        let response = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let head = StoredHead(CacheKey(url: "https://h.example/"), response)
        return Array(EntryFile(id: 5, nonce: 6, head: head, isInline: true).encoded.prefix(prologueSize))
    }()
}

/// What is accepted is the same when it is written and read again, and no longer than the file.
private func checkFile(_ bytes: [UInt8]) {
    let files = MemoryFiles()
    files.set("/entry", bytes)
    guard let file = try? Files<CacheStoreFault>(files).open("/entry", .read) else { return }
    for id in [UInt64(5), 0x0505_0505_0505_0505] {
        guard let entry = try? EntryFile(reading: file, id: id) else { continue }
        require(entry.id == id, "the entry of another name")
        let length = entry.head.response.bodyLength
        require(entry.bodyOffset <= bytes.count && length >= 0, "a body out of the file")
        if entry.isInline { require(entry.bodyOffset + Int(length) == bytes.count, "a body of another length") }
        let encoded = entry.encoded
        do {
            let body = entry.isInline ? [UInt8](repeating: 0, count: Int(length)) : []
            let again = try EntryFile(encoded + body, size: Int64(encoded.count + body.count)) { count in
                Array((encoded + body).prefix(count))
            }
            require(again.id == id && again.nonce == entry.nonce && again.isInline == entry.isInline, "other numbers")
            require(again.head.key == entry.head.key, "another key when read again")
            require(again.head.response.metadata == entry.head.response.metadata, "another description when read again")
        } catch {
            require(false, "what was written is refused: \(error)")
        }
    }
}

/// A block is what was written there, or damaged: never a part, and never that of another place or body.
private func checkBlock(_ bytes: [UInt8]) {
    let check = bytes.withUnsafeBytes { BodyBlocks.checksum($0, block: 0, nonce: 3) }
    let file = bytes + withUnsafeBytes(of: check.littleEndian) { Array($0) }
    let files = MemoryFiles()
    files.set("/body", file)
    guard !bytes.isEmpty, let opened = try? Files<CacheStoreFault>(files).open("/body", .read) else { return }
    func block(_ length: Int, of file: OpenFile<CacheStoreFault>, nonce: UInt64 = 3) -> Data? {
        guard let first = BodyLayout(Int64(length)).block(at: 0) else { return nil }
        return try? BodyBlocks.read(first, of: file, nonce: nonce)
    }
    require(block(bytes.count, of: opened) == Data(bytes), "a block is another one")
    require(block(bytes.count, of: opened, nonce: 4) == nil, "the block of another body")
    require(block(bytes.count + 1, of: opened) == nil, "a block that is longer than its file")
    var damaged = file
    damaged[bytes.count / 2] ^= 1
    files.set("/body", damaged)
    guard let again = try? Files<CacheStoreFault>(files).open("/body", .read) else { return }
    require(block(bytes.count, of: again) == nil, "a damaged block")
}
