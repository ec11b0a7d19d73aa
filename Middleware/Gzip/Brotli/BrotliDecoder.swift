#if Brotli && canImport(CBrotli)
import CBrotli
import HTTPChainCore
import HTTPChainGzip
import HTTPChainSupport

/// Decodes brotli (RFC 7932).
///
/// Its memory, which is the window and about 100 KiB, is freed with the decoder.
final class BrotliDecoder: ContentDecoder {
    private enum State {
        /// Nothing has been decoded yet.
        ///
        /// The first byte determines the window.
        case beforeWindow
        case inside
        case ended
    }

    private let stream: OpaquePointer
    private let maximumWindow: ByteCount
    private var state = State.beforeWindow

    init(maximumWindow: ByteCount) throws(ContentCodingError.Problem) {
        guard let stream = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
        self.stream = stream
        self.maximumWindow = maximumWindow
    }

    deinit {
        BrotliDecoderDestroyInstance(stream)
    }

    func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        if state == .beforeWindow {
            guard let first = buffers.input.first else { return }
            // `nil` means a large window, which the library refuses too.
            guard let bits = Self.windowBits(first), Int64(1) << bits <= maximumWindow.bytes else {
                throw .windowTooLarge(limit: maximumWindow)
            }
            state = .inside
        }
        if state == .inside { try run(&buffers) }
        guard state != .ended || buffers.consumed == buffers.input.count else {
            throw .corrupt("there are bytes after the end")
        }
    }

    func finish() throws(ContentCodingError.Problem) {
        if state == .inside { throw .truncated }
    }

    /// The binary logarithm of the window size, RFC 7932 §9.1.
    ///
    /// The first byte contains all of it.
    static func windowBits(_ byte: UInt8) -> Int? {
        if byte & 1 == 0 { return 16 }
        let next = Int(byte >> 1 & 7)
        if next != 0 { return 17 + next }
        switch byte >> 4 & 7 {
        case 0: return 17
        case 1: return nil
        case let last: return 8 + Int(last)
        }
    }

    private func run(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        Steps.take()
        var input = buffers.input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var output = buffers.output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var offered = buffers.input.count
        var room = buffers.output.count
        let result = BrotliDecoderDecompressStream(stream, &offered, &input, &room, &output, nil)
        buffers.consumed = buffers.input.count - offered
        buffers.produced = buffers.output.count - room
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: state = .ended
        case BROTLI_DECODER_RESULT_ERROR: throw problem(BrotliDecoderGetErrorCode(stream))
        default: break
        }
    }

    private func problem(_ code: BrotliDecoderErrorCode) -> ContentCodingError.Problem {
        switch code {
        case BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES, BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MAP,
            BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES, BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_1,
            BROTLI_DECODER_ERROR_ALLOC_RING_BUFFER_2, BROTLI_DECODER_ERROR_ALLOC_TREE_GROUPS:
            return .outOfMemory
        default:
            let name = BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "\(code.rawValue)"
            return .corrupt(name.lowercased().pieces(at: "_").joined(separator: " "))
        }
    }
}
#endif
