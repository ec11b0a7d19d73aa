import Foundation
import HTTPTypes

@testable import HTTPChainCache
@testable import HTTPChainCore
@testable import HTTPChainSupport

/// The journal of a cache's index, as an earlier process, or something else, has left it.
///
/// The input is divided: a byte tells how many after it are the content of one change, which is given its length and
/// its checksum; a zero has the byte after it stand in the journal as it is.
func checkIndex(_ input: Input) -> Int32 {
    checkHeader(input)
    let journal = journal(input)
    checkChanges(journal)
    for bytes in [journal, [UInt8](input.bytes)] { checkDirectory(bytes) }
    return 0
}

private let salt: UInt64 = 7

private func sum(_ bytes: ArraySlice<UInt8>, _ salt: UInt64) -> [UInt8] {
    var checksum = ContentChecksum(saved: (salt, 0, 0))
    bytes.withUnsafeBytes { checksum.update($0) }
    return withUnsafeBytes(of: UInt32(truncatingIfNeeded: checksum.value >> 16).littleEndian) { Array($0) }
}

private func journal(_ input: Input) -> [UInt8] {
    var journal: [UInt8] = []
    var rest = input.bytes
    while let count = rest.popFirst() {
        if count == 0 {
            if let byte = rest.popFirst() { journal.append(byte) }
            continue
        }
        let content = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        let framed = withUnsafeBytes(of: UInt32(content.count + 4).littleEndian) { Array($0) } + content
        journal += framed + sum(framed[...], salt)
    }
    return journal
}

private func checkHeader(_ input: Input) {
    var bytes = [UInt8](input.bytes.prefix(IndexJournal.headerSize))
    guard bytes.count == IndexJournal.headerSize else { return }
    bytes += sum(bytes[...], 0)
    guard let header = try? IndexJournal.Header(decoding: bytes) else { return }
    let again = try? IndexJournal.Header(decoding: header.encoded)
    require(again?.salt == header.salt, "a header of another salt when read again")
}

/// What is read is the same when it is written and read again, and the index does what a plain list does.
private func checkChanges(_ journal: [UInt8]) {
    var index = FileIndex()
    var list: [FileIndex.Record] = []
    var written: [UInt8] = []
    var count = 0
    let length = journal.withUnsafeBytes { buffer in
        IndexJournal.read(buffer, salt: salt) { change in
            count += 1
            index.apply(change)
            IndexJournal.append(change, to: &written, salt: salt)
            switch change {
            case .add(let record):
                list.removeAll { $0.id == record.id || $0.key == record.key && $0.variant == record.variant }
                list.append(record)
            case .resize(let id, let size):
                if let place = list.firstIndex(where: { $0.id == id }) { list[place].bytes = size }
            case .remove(let id): list.removeAll { $0.id == id }
            case .use(let id):
                if let place = list.firstIndex(where: { $0.id == id }) { list.append(list.remove(at: place)) }
            }
        }
    }
    require(length <= journal.count, "more was read than there is")
    let found = index.records(in: 0..<index.slotCount).sorted { $0.lastUse < $1.lastUse }.map(\.record)
    require(found == list, "the index has \(found), and not \(list)")
    require(index.count == list.count && index.bytes == list.reduce(0) { $0 + $1.bytes }, "the sums are wrong")
    for record in list {
        let key = Set(list.filter { $0.key == record.key }.map(\.id))
        let url = Set(list.filter { $0.url == record.url }.map(\.id))
        require(Set(index.ids(ofKey: record.key)) == key, "the entries of a key")
        require(Set(index.ids(ofURL: record.url)) == url, "the entries of a URL")
    }
    var again = 0
    let reread = written.withUnsafeBytes { IndexJournal.read($0, salt: salt) { _ in again += 1 } }
    require(reread == written.count && again == count, "\(again) of \(count) changes are read again")
}

/// A store opens the directory, keeps its bounds, finds files alone that are there, and removes all.
private func checkDirectory(_ journal: [UInt8]) {
    let files = MemoryFiles()
    for id in UInt64(1)...4 {
        let name = String(repeating: "0", count: 15) + String(id)
        files.set("/no/such/cache/\(name).entry", entry(id))
    }
    files.set("/no/such/cache/index", IndexJournal.Header(salt: salt).encoded + journal)
    let directory = FileCacheDirectory(
        path: "/no/such/cache",
        files: Files(files),
        durability: .process,
        executor: .shared
    )
    let bounds = CacheBounds(totalBytes: .mebibytes(1), entryCount: 3)
    do throws(CacheStoreFault) {
        var state = FileCacheState(directory, bounds)
        try state.refresh()
        require(state.index.count <= 3 && state.index.bytes <= bounds.totalBytes.bytes, "more than the bounds")
        for id in state.ids(.all) { require(state.entry(id) != nil, "an entry without a file: \(id)") }
        _ = try state.remove(.all)
        require(!files.names(in: "/no/such/cache").contains { $0.hasSuffix(".entry") }, "an entry was left")
        var next = FileCacheState(directory, bounds)
        try next.refresh()
        require(next.index.count == 0, "\(next.index.count) entries after all were removed")
    } catch {
        require(false, "the store fails: \(error)")
    }
}

private func entry(_ id: UInt64) -> [UInt8] {
    let metadata = CacheMetadata(
        head: HTTPResponse(status: .ok),
        variant: CacheVariant([]),
        requestTime: Date(timeIntervalSince1970: 1),
        responseTime: Date(timeIntervalSince1970: 2)
    )
    let response = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
    let head = StoredHead(CacheKey(url: "https://h.example/\(id)"), response)
    return EntryFile(id: id, nonce: id, head: head, isInline: true).encoded
}
