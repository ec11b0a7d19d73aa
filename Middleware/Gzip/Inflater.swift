import CZlib
import Foundation

/// Decodes gzip (RFC 1952, any number of members), zlib (RFC 1950) or raw deflate (RFC 1951), piece by piece, with no
/// idea where the pieces come from.
///
/// Checksums and lengths are verified. What follows the end is passed over, as gzip(1) does: padding and garbage behind
/// the last member do no harm, while something that begins like a further member must be one.
///
/// One owner uses it from one task at a time; its memory (about 40 KiB) goes when it goes.
package final class Inflater {
    private enum State {
        /// Nothing was decoded; the first two bytes tell the format.
        case beforeHeader
        case inside
        /// After a gzip member: another one, or something else, may follow.
        case betweenMembers
        case ended
    }

    private static let gzipMagic: (UInt8, UInt8) = (0x1F, 0x8B)

    package let coding: ContentCoding
    /// How much input was taken in.
    package private(set) var inputCount: Int64 = 0
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false
    private var isGzip = false
    private var state = State.beforeHeader
    /// The first byte of a header whose second has not arrived.
    private var held: UInt8?

    package init(_ coding: ContentCoding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Whether all that counts was decoded; more input is passed over.
    package var isAtEnd: Bool { state == .ended }

    /// Takes input and gives output until one of them is used up.
    ///
    /// When the output is full, there may be more to come without further input.
    ///
    /// - Parameters:
    ///   - input: The next bytes; may be empty.
    ///   - output: Where the result goes; not empty.
    package func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(GzipError) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
            let room = UnsafeMutableRawBufferPointer(rebasing: output[produced...])
            switch state {
            case .beforeHeader, .betweenMembers:
                guard let header = header(at: rest) else {
                    held = held ?? rest.first
                    return (input.count, produced)
                }
                try begin(header, room)
            case .inside:
                let step = try run(rest, room)
                consumed += step.consumed
                produced += step.produced
                if state == .inside, step.isIdle || produced == output.count || consumed == input.count {
                    return (consumed, produced)
                }
            case .ended:
                inputCount += Int64(rest.count)
                return (input.count, produced)
            }
        }
    }

    /// Declares that there is no more input.
    ///
    /// No input at all is no content, which servers send under any coding.
    ///
    /// - Throws: ``GzipError/Problem/truncated`` when the content is not complete.
    package func finish() throws(GzipError) {
        switch state {
        case .beforeHeader where held == nil, .betweenMembers, .ended: state = .ended
        case .beforeHeader, .inside: throw failure(.truncated)
        }
    }

    /// The next two bytes, or `nil` while there are fewer.
    private func header(at input: UnsafeRawBufferPointer) -> (UInt8, UInt8)? {
        if let held { return input.first.map { (held, $0) } }
        return input.count < 2 ? nil : (input[0], input[1])
    }

    /// Sets up for what the two bytes announce.
    private func begin(_ header: (UInt8, UInt8), _ room: UnsafeMutableRawBufferPointer) throws(GzipError) {
        if state == .betweenMembers {
            guard header == Self.gzipMagic else {
                if held != nil { inputCount += 1 }
                held = nil
                state = .ended
                return
            }
            inflateReset(stream)
        } else {
            let windowBits = try windowBits(for: header)
            let status = czlib_inflate_init(stream, windowBits)
            guard status == Z_OK else { throw failure(status == Z_MEM_ERROR ? .outOfMemory : .zlib(code: Int(status))) }
            isOpen = true
        }
        state = .inside
        guard let held else { return }
        self.held = nil
        // One byte is never enough for output in any of the formats.
        _ = try withUnsafeBytes(of: held) { (byte) throws(GzipError) in try run(byte, room) }
    }

    /// What zlib is to expect: 15 bits of window, 16 more for a gzip wrapper, negative for no wrapper.
    ///
    /// "deflate" means zlib-wrapped (RFC 9110 §8.4.1.2), but some servers send raw deflate. The first two bytes of a
    /// wrapper are a method and a multiple of 31; raw deflate that begins so would have to begin with a stored block
    /// whose padding is not zero, which no encoder writes. Nor can it begin like gzip: block type 3 does not exist.
    private func windowBits(for header: (UInt8, UInt8)) throws(GzipError) -> Int32 {
        isGzip = header == Self.gzipMagic
        if isGzip { return 15 + 16 }
        guard coding == .deflate else { throw failure(.notEncoded) }
        let isZlib =
            header.0 & 0x0F == 8 && header.0 >> 4 <= 7 && (Int(header.0) << 8 | Int(header.1)).isMultiple(of: 31)
        return isZlib ? 15 : -15
    }

    private func run(
        _ input: UnsafeRawBufferPointer,
        _ output: UnsafeMutableRawBufferPointer
    ) throws(GzipError) -> (consumed: Int, produced: Int, isIdle: Bool) {
        let offered = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.pointee.avail_out = room
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = Int(offered - stream.pointee.avail_in)
        let produced = Int(room - stream.pointee.avail_out)
        inputCount += Int64(consumed)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: state = isGzip ? .betweenMembers : .ended
        case Z_NEED_DICT: throw failure(.needsDictionary)
        case Z_DATA_ERROR: throw failure(.corrupt(stream.pointee.msg.map { String(cString: $0) } ?? "invalid data"))
        case Z_MEM_ERROR: throw failure(.outOfMemory)
        default: throw failure(.zlib(code: Int(status)))
        }
        return (consumed, produced, consumed == 0 && produced == 0)
    }

    private func failure(_ problem: GzipError.Problem) -> GzipError {
        GzipError(problem, coding: coding, offset: inputCount + (held == nil ? 0 : 1))
    }
}
