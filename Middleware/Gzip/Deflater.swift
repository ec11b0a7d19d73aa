import CZlib
package import Foundation

/// Compresses to one gzip member (RFC 1952), piece by piece, with no idea where the pieces come from.
///
/// One owner uses it from one task at a time; its memory (about 256 KiB) goes when it goes.
package final class Deflater {
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    package init(level: CompressionLevel) throws(GzipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, and 16 more for the gzip wrapper.
        let status = czlib_deflate_init(stream, Int32(level.value), 15 + 16)
        guard status == Z_OK else { throw GzipError(status == Z_MEM_ERROR ? .outOfMemory : .zlib(code: Int(status))) }
    }

    deinit {
        // Harmless on a stream that was not set up: zlib looks at its state first.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Takes input and gives output until one of them is used up.
    ///
    /// - Parameters:
    ///   - input: The next bytes.
    ///   - output: Where the result goes; not empty.
    ///   - isLast: Whether `input` is all that is left; keep calling until `isFinished`.
    package func deflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        isLast: Bool
    ) throws(GzipError) -> (consumed: Int, produced: Int, isFinished: Bool) {
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = room
        let status = CZlib.deflate(stream, isLast && Int(offered) == input.count ? Z_FINISH : Z_NO_FLUSH)
        // Z_BUF_ERROR says that there was nothing to do.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw GzipError(.zlib(code: Int(status)))
        }
        return (Int(offered - stream.pointee.avail_in), Int(room - stream.pointee.avail_out), status == Z_STREAM_END)
    }

    /// All of some bytes as one gzip member.
    package static func gzip(_ bytes: Data, level: CompressionLevel) throws(GzipError) -> Data {
        let deflater = try Deflater(level: level)
        let output = OutputBuffer()
        var result = Data()
        var rest = bytes
        while true {
            let step = try output.fill { (room) throws(GzipError) in
                try rest.withBytes { (input) throws(GzipError) in try deflater.deflate(input, into: room, isLast: true)
                }
            }
            rest = rest.dropFirst(step.consumed)
            output.count += step.produced
            result.append(output.take())
            if step.isFinished { return result }
        }
    }
}

extension Data {
    /// `withUnsafeBytes` that keeps the type of the error.
    func withBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(GzipError) -> Value
    ) throws(GzipError) -> Value {
        let result: Result<Value, GzipError> = withUnsafeBytes { bytes in
            do throws(GzipError) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
