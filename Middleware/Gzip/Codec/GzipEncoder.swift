import CZlib

/// Compresses to a single gzip member (RFC 1952); its memory (about 256 KiB) is freed with it.
final class GzipEncoder: ContentEncoder {
    /// On the heap because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>

    init(level: Int) throws(ContentCodingError.Problem) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, plus 16 for the gzip wrapper.
        let status = czlib_deflate_init(stream, Int32(min(9, max(0, level))), 15 + 16)
        guard status == Z_OK else { throw status == Z_MEM_ERROR ? .outOfMemory : .failed("zlib says \(status)") }
    }

    deinit {
        // Harmless for an uninitialized stream: zlib checks its state first.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        let offered = UInt32(clamping: buffers.input.count)
        let room = UInt32(clamping: buffers.output.count)
        stream.pointee.next_in = buffers.input.zlibBytes
        stream.pointee.avail_in = offered
        stream.pointee.next_out = buffers.output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = room
        let status = CZlib.deflate(stream, isLast && Int(offered) == buffers.input.count ? Z_FINISH : Z_NO_FLUSH)
        buffers.consumed = Int(offered - stream.pointee.avail_in)
        buffers.produced = Int(room - stream.pointee.avail_out)
        // Z_BUF_ERROR means that there was nothing to do.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .failed("zlib says \(status)")
        }
        return status == Z_STREAM_END
    }
}

extension UnsafeRawBufferPointer {
    /// zlib only reads it, although its interface isn't const.
    var zlibBytes: UnsafeMutablePointer<Bytef>? {
        UnsafeMutablePointer(mutating: baseAddress?.assumingMemoryBound(to: Bytef.self))
    }
}
