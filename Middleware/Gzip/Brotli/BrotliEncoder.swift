#if Brotli && canImport(CBrotli)
import CBrotli
import HTTPChainGzip

/// Encodes brotli (RFC 7932) with a window of 4 MiB.
///
/// The encoder's memory is freed with it.
final class BrotliEncoder: ContentEncoder {
    private let stream: OpaquePointer

    init(quality: Int) throws(ContentCodingError.Problem) {
        guard let stream = BrotliEncoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        self.stream = stream
        guard BrotliEncoderSetParameter(stream, BROTLI_PARAM_QUALITY, UInt32(clamping: quality)) == BROTLI_TRUE else {
            throw .failed("the library has no quality \(quality)")
        }
    }

    deinit {
        BrotliEncoderDestroyInstance(stream)
    }

    func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        var input = buffers.input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var output = buffers.output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var offered = buffers.input.count
        var room = buffers.output.count
        let operation = isLast ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
        let result = BrotliEncoderCompressStream(stream, operation, &offered, &input, &room, &output, nil)
        buffers.consumed = buffers.input.count - offered
        buffers.produced = buffers.output.count - room
        // The library gives no reason, but lack of memory is the only possible one.
        guard result == BROTLI_TRUE else { throw .outOfMemory }
        return BrotliEncoderIsFinished(stream) == BROTLI_TRUE
    }
}
#endif
