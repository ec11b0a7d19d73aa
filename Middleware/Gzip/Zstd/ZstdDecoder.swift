#if Zstd && canImport(CZstd)
import CZstd
import HTTPChainCore
import HTTPChainGzip
import HTTPChainSupport

/// Decodes zstd (RFC 8878), any number of frames.
///
/// Its memory, which is the window and about 150 KiB, is freed with the decoder.
final class ZstdDecoder: ContentDecoder {
    private let stream: OpaquePointer
    private let maximumWindow: ByteCount
    private var isInFrame = false
    private var hasHadFrame = false
    /// The first bytes of the frame, which contain its header.
    private var header: [UInt8] = []
    private var frameSize: UInt64 = 0
    private var emptyFrames = EmptyParts("frames")
    /// A problem to throw after the output of the last call has been delivered.
    private var problem: ContentCodingError.Problem?

    /// RFC 8878 §3.1.1: the magic number has 4 bytes, and the header has 2 to 14.
    private static let headerLimit = 18

    init(maximumWindow: ByteCount) throws(ContentCodingError.Problem) {
        guard let stream = ZSTD_createDCtx() else { throw .outOfMemory }
        self.stream = stream
        let bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax)
        let bits = Int32(Int64.bitWidth - 1 - max(1, maximumWindow.bytes).leadingZeroBitCount)
        let allowed = min(bounds.upperBound, max(bounds.lowerBound, bits))
        self.maximumWindow = ByteCount(Int64(1) << Int64(allowed))
        let result = ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, allowed)
        guard ZSTD_isError(result) == 0 else { throw .failed(String(cString: ZSTD_getErrorName(result))) }
    }

    deinit {
        ZSTD_freeDCtx(stream)
    }

    func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        if let problem { throw problem }
        do throws(ContentCodingError.Problem) {
            // Frames may be as small as ten bytes, and a call for each would take longer than decoding.
            while try step(&buffers), buffers.consumed < buffers.input.count {}
        } catch {
            // The output decoded before the error is valid content.
            guard buffers.produced > 0 else { throw error }
            problem = error
        }
    }

    /// Decodes input up to the end of a frame at most.
    ///
    /// - Returns: Whether anything was consumed or produced.
    private func step(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) -> Bool {
        Steps.take()
        let rest = UnsafeRawBufferPointer(rebasing: buffers.input[buffers.consumed...])
        let room = UnsafeMutableRawBufferPointer(rebasing: buffers.output[buffers.produced...])
        if !isInFrame {
            header = []
            frameSize = 0
        }
        let isInMagic = header.count < 4
        if isInMagic {
            // Without input, the library would start a frame that doesn't exist.
            guard let next = rest.first else { return false }
            guard continuesMagic(next) else { throw strayBytes }
        }
        // The bytes of the magic number are passed to the library one by one. Otherwise, it looks for legacy formats at
        // the beginning of any input, and applies different rules to a frame that arrives complete, for example to an
        // empty compressed block. The result mustn't depend on how the content arrives.
        let count = isInMagic ? 1 : rest.count
        var input = ZSTD_inBuffer(src: rest.baseAddress, size: count, pos: 0)
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &output, &input)
        buffers.consumed += input.pos
        buffers.produced += output.pos
        guard ZSTD_isError(result) == 0 else { throw problem(result) }
        isInFrame = result != 0
        hasHadFrame = hasHadFrame || !isInFrame
        if header.count < Self.headerLimit {
            header += rest.prefix(input.pos).prefix(Self.headerLimit - header.count)
        }
        frameSize += UInt64(output.pos)
        if !isInFrame {
            try checkSize()
            try emptyFrames.count(frameSize)
        }
        return input.pos > 0 || output.pos > 0
    }

    /// Checks a frame's size against the declared one.
    ///
    /// The library does so if it receives the whole frame at once, but not always if it arrives in pieces.
    private func checkSize() throws(ContentCodingError.Problem) {
        let declared = header.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // The two largest numbers mean that the size is unknown, or that there is no header.
        guard header.first == 0x28, declared < UInt64.max - 1, declared != frameSize else { return }
        throw .corrupt("a frame has \(frameSize) bytes and declares \(declared)")
    }

    func finish() throws(ContentCodingError.Problem) {
        if let problem { throw problem }
        if isInFrame { throw .truncated }
    }

    /// Returns whether a byte continues the magic number of a frame or of a skippable frame, RFC 8878 §3.1.1 and
    /// §3.1.2.
    ///
    /// Legacy formats, which the library may still support, have other numbers.
    private func continuesMagic(_ byte: UInt8) -> Bool {
        guard let first = header.first else { return byte == 0x28 || byte & 0xF0 == 0x50 }
        let magic: UInt32 = first == 0x28 ? 0xFD2F_B528 : 0x184D_2A50
        return byte == UInt8(truncatingIfNeeded: magic >> (8 * UInt32(header.count)))
    }

    private var strayBytes: ContentCodingError.Problem {
        hasHadFrame ? .corrupt("there are bytes after the end that are not a frame") : .notEncoded
    }

    private func problem(_ result: Int) -> ContentCodingError.Problem {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_prefix_unknown: strayBytes
        case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge(limit: maximumWindow)
        case ZSTD_error_dictionary_wrong, ZSTD_error_dictionary_corrupted: .needsDictionary
        case ZSTD_error_memory_allocation: .outOfMemory
        default: .corrupt(String(cString: ZSTD_getErrorName(result)))
        }
    }
}
#endif
