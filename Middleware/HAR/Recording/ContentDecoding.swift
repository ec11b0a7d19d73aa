import CZlib
import Foundation
import HTTPChainCore

/// Removes content codings (RFC 9110 §8.4) from content in memory.
///
/// An archive contains decoded content. Secrets in encoded content couldn't be redacted.
enum ContentDecoding {
    /// The result of decoding.
    struct Decoded {
        var bytes: Data
        /// Whether the encoded content was truncated, or the limit was reached.
        var isTruncated: Bool
    }

    /// Returns the decoded content, or `nil` if a coding is unsupported or the data is invalid.
    ///
    /// - Parameters:
    ///   - codings: The value of `Content-Encoding`. Codings are listed in the order in which they were applied.
    ///   - limit: The maximum size of the decoded content, in bytes.
    static func decode(_ bytes: Data, codings: String, limit: Int) -> Decoded? {
        var result = Decoded(bytes: bytes, isTruncated: false)
        for coding in codings.pieces(at: ",").reversed() {
            // Adding 32 makes zlib detect gzip or zlib. RFC 9110 §8.4.1.2: some senders omit the zlib wrapper.
            let windows: [Int32]
            switch coding.trimming().lowercased() {
            case "identity", "": continue
            case "gzip", "x-gzip": windows = [15 + 32]
            case "deflate": windows = [15 + 32, -15]
            default: return nil
            }
            guard
                let next = windows.lazy.compactMap({ inflate(result.bytes, windowBits: $0, limit: limit) }).first
            else { return nil }
            result = Decoded(bytes: next.bytes, isTruncated: result.isTruncated || next.isTruncated)
        }
        return result
    }

    private static func inflate(_ bytes: Data, windowBits: Int32, limit: Int) -> Decoded? {
        if bytes.isEmpty { return Decoded(bytes: bytes, isTruncated: false) }
        var stream = z_stream()
        guard czlib_inflate_init(&stream, windowBits) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        // zlib requires a mutable input pointer.
        var input = [UInt8](bytes)
        let chunkSize = chunk.count
        var status = Z_OK
        let isWhole: Bool? = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            while true {
                let produced = chunk.withUnsafeMutableBufferPointer { buffer -> Int in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(buffer.count)
                    status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    return chunkSize - Int(stream.avail_out)
                }
                output.append(contentsOf: chunk.prefix(min(produced, limit - output.count)))
                if output.count >= limit, status != Z_STREAM_END { return false }
                switch status {
                case Z_STREAM_END:
                    if stream.avail_in == 0 { return true }
                    // RFC 1952 §2.2: members may be concatenated.
                    guard windowBits > 0, inflateReset(&stream) == Z_OK else { return true }
                case Z_OK: if stream.avail_in == 0, produced < chunkSize { return false }
                case Z_BUF_ERROR: return false
                // Data after a complete member that isn't another member is padding. Without such a member, the data is
                // invalid.
                default: return output.isEmpty ? nil : false
                }
            }
        }
        return isWhole.map { Decoded(bytes: output, isTruncated: !$0) }
    }
}
