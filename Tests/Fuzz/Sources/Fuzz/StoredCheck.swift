import Foundation
import HTTPTypes

@testable import HTTPChainCache

/// The description of a stored response, as a store on a disk keeps it.
///
/// The input stands for the bytes. The first two, which are the version, are put right where they are not.
func checkStored(_ input: Input) -> Int32 {
    var bytes = [UInt8](input.bytes)
    if bytes.count >= 2 { (bytes[0], bytes[1]) = (UInt8(CacheMetadata.formatVersion), 0) }
    guard let head = try? StoredHead(decoding: bytes) else { return 0 }
    let metadata = head.response.metadata
    require(head.response.bodyLength >= 0, "a body of \(head.response.bodyLength) bytes")
    if case .part(let range, _) = metadata.content { require(range.lowerBound >= 0, "a part before the beginning") }
    do {
        let again = try StoredHead(decoding: head.encoded)
        require(again.key == head.key, "\(again.key) is another key when read again")
        require(again.response.metadata == metadata, "another description when read again")
        require(again.response.bodyChecksum == head.response.bodyChecksum, "another checksum when read again")
    } catch {
        require(false, "what was written is refused: \(error)")
    }
    return 0
}
