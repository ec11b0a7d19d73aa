import CZlib
import HTTPChainSupport

/// Decodes content named gzip or deflate: gzip (RFC 1952, any number of members), zlib (RFC 1950), or raw deflate (RFC
/// 1951).
///
/// Checksums and lengths are verified. Data after the end is ignored, as gzip(1) does, such as padding after the last
/// member. However, data that begins like another member must be one.
///
/// Its memory (about 40 KiB) is freed with it.
final class GzipDecoder: ContentDecoder {
    private enum State {
        /// Nothing has been decoded yet.
        ///
        /// The first two bytes determine the format.
        case beforeHeader
        case inside
        /// After a gzip member.
        ///
        /// Another member or other data may follow.
        case betweenMembers
        case ended
    }

    private static let gzipMagic: (UInt8, UInt8) = (0x1F, 0x8B)

    private let isDeflate: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    private var isGzip = false
    private var state = State.beforeHeader
    /// The first byte of a header whose second byte hasn't arrived.
    private var held: UInt8?
    private var memberSize: UInt64 = 0
    private var emptyMembers = EmptyParts("members")

    /// - Parameter isDeflate: Whether the content is named deflate.
    init(isDeflate: Bool) {
        self.isDeflate = isDeflate
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Whether all content has been decoded, so that further input is ignored.
    var isAtEnd: Bool { state == .ended }

    func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        while true {
            Steps.take()
            switch state {
            case .beforeHeader, .betweenMembers:
                let rest = buffers.input[buffers.consumed...]
                guard let header = header(at: rest) else {
                    held = held ?? rest.first
                    buffers.consumed = buffers.input.count
                    return
                }
                try begin(header, &buffers)
            case .inside:
                let isIdle = try run(&buffers)
                if state == .inside,
                    isIdle || buffers.produced == buffers.output.count || buffers.consumed == buffers.input.count
                {
                    return
                }
            case .ended:
                buffers.consumed = buffers.input.count
                return
            }
        }
    }

    func finish() throws(ContentCodingError.Problem) {
        switch state {
        case .beforeHeader where held == nil, .betweenMembers, .ended: state = .ended
        case .beforeHeader, .inside: throw .truncated
        }
    }

    /// Returns the next two bytes, or `nil` if there are fewer.
    private func header(at input: Slice<UnsafeRawBufferPointer>) -> (UInt8, UInt8)? {
        if let held { return input.first.map { (held, $0) } }
        return input.count < 2 ? nil : (input[input.startIndex], input[input.startIndex + 1])
    }

    /// Prepares for the format that the header indicates.
    private func begin(_ header: (UInt8, UInt8), _ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        if state == .betweenMembers {
            guard header == Self.gzipMagic else {
                held = nil
                state = .ended
                return
            }
            inflateReset(stream)
        } else {
            let windowBits = try windowBits(for: header)
            let status = czlib_inflate_init(stream, windowBits)
            guard status == Z_OK else { throw status == Z_MEM_ERROR ? .outOfMemory : .failed("zlib says \(status)") }
            isOpen = true
        }
        state = .inside
        guard let held else { return }
        self.held = nil
        // This byte was consumed earlier. In no format does a single byte produce output.
        let room = UnsafeMutableRawBufferPointer(rebasing: buffers.output[buffers.produced...])
        let result: Result<Void, ContentCodingError.Problem> = withUnsafeBytes(of: held) { byte in
            var single = CodingBuffers(input: byte, output: room)
            do throws(ContentCodingError.Problem) {
                _ = try run(&single)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Returns the window bits for zlib: 15 bits of window, plus 16 for a gzip wrapper, negative for no wrapper.
    ///
    /// "deflate" means zlib-wrapped (RFC 9110 §8.4.1.2), but some servers send raw deflate. The first two bytes of a
    /// wrapper are a method and a multiple of 31. Raw deflate with the same beginning would begin with a stored block
    /// whose padding isn't zero, which no encoder writes. It can't begin like gzip either: block type 3 doesn't exist.
    private func windowBits(for header: (UInt8, UInt8)) throws(ContentCodingError.Problem) -> Int32 {
        isGzip = header == Self.gzipMagic
        if isGzip { return 15 + 16 }
        guard isDeflate else { throw .notEncoded }
        let isZlib =
            header.0 & 0x0F == 8 && header.0 >> 4 <= 7 && (Int(header.0) << 8 | Int(header.1)).isMultiple(of: 31)
        return isZlib ? 15 : -15
    }

    /// - Returns: Whether nothing was consumed or produced.
    private func run(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) -> Bool {
        let (consumed, produced) = (buffers.consumed, buffers.produced)
        let status = stream.run(&buffers) { CZlib.inflate($0, Z_NO_FLUSH) }
        memberSize += UInt64(buffers.produced - produced)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            state = isGzip ? .betweenMembers : .ended
            try emptyMembers.count(memberSize)
            memberSize = 0
        case Z_NEED_DICT: throw .needsDictionary
        case Z_DATA_ERROR: throw .corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "invalid data")
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .failed("zlib says \(status)")
        }
        return buffers.consumed == consumed && buffers.produced == produced
    }
}
