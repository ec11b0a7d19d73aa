import CZlib

/// Compresses to a single gzip member (RFC 1952).
///
/// Its memory (about 256 KiB) is freed with the encoder.
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
        // This is harmless if the stream isn't initialized: zlib checks its state first.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        let isWhole = UInt32(exactly: buffers.input.count) != nil
        let status = stream.run(&buffers) { CZlib.deflate($0, isLast && isWhole ? Z_FINISH : Z_NO_FLUSH) }
        // Z_BUF_ERROR means that there was nothing to do.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .failed("zlib says \(status)")
        }
        return status == Z_STREAM_END
    }
}

extension UnsafeMutablePointer<z_stream> {
    /// Calls a function of zlib with the rest of the buffers, and returns its status.
    func run(_ buffers: inout CodingBuffers, _ function: (Self) -> Int32) -> Int32 {
        let input = UnsafeRawBufferPointer(rebasing: buffers.input[buffers.consumed...])
        let output = UnsafeMutableRawBufferPointer(rebasing: buffers.output[buffers.produced...])
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        // zlib only reads the input, although its interface isn't const.
        pointee.next_in = UnsafeMutablePointer<Bytef>(
            mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        )
        pointee.avail_in = offered
        pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        pointee.avail_out = room
        let status = function(self)
        buffers.consumed += Int(offered - pointee.avail_in)
        buffers.produced += Int(room - pointee.avail_out)
        return status
    }
}
