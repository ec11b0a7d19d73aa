#if Zstd && canImport(CZstd)
import CZstd
import HTTPChainGzip

/// Encodes zstd (RFC 8878) as a single frame with a checksum.
///
/// The encoder's memory is freed with it.
final class ZstdEncoder: ContentEncoder {
    private let stream: OpaquePointer

    init(level: Int) throws(ContentCodingError.Problem) {
        guard let stream = ZSTD_createCCtx() else { throw .outOfMemory }
        self.stream = stream
        for (parameter, value) in [(ZSTD_c_compressionLevel, Int32(clamping: level)), (ZSTD_c_checksumFlag, 1)] {
            try check(ZSTD_CCtx_setParameter(stream, parameter, value))
        }
    }

    deinit {
        ZSTD_freeCCtx(stream)
    }

    func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        var input = ZSTD_inBuffer(src: buffers.input.baseAddress, size: buffers.input.count, pos: 0)
        var output = ZSTD_outBuffer(dst: buffers.output.baseAddress, size: buffers.output.count, pos: 0)
        let result = ZSTD_compressStream2(stream, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
        buffers.consumed = input.pos
        buffers.produced = output.pos
        try check(result)
        return isLast && result == 0
    }

    private func check(_ result: Int) throws(ContentCodingError.Problem) {
        guard ZSTD_isError(result) != 0 else { return }
        if ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation { throw .outOfMemory }
        throw .failed(String(cString: ZSTD_getErrorName(result)))
    }
}
#endif
