import CZlib
import HTTPChainCore
package import HTTPChainRemoteLogging
import HTTPChainSupport

/// The format of a segment: a header, followed by records, each in a frame.
///
/// The header is stored twice, so that a flipped bit doesn't make the whole segment unreadable. The checksums of frames
/// are combined with a number that occurs only in the header, so that the content of a record can't be mistaken for a
/// frame.
package enum SpoolSegment {
    static let formatVersion: UInt16 = 1
    /// The size of both copies of the header.
    static let headerSize = 64
    private static let copySize = 32
    private static let magic: UInt64 = 0x4C4F_4F50_5343_4848
    /// The size of the checksum and length before each record.
    static let prologueSize = 8
    /// The size of the longest segment that can be configured.
    ///
    /// A longer file isn't a segment.
    static let maximumSize: Int64 = 16 << 20

    enum Header: Sendable, Hashable {
        /// The header is valid.
        ///
        /// Contains the number that is combined with checksums.
        case sound(salt: UInt32)
        case damaged
        case newer
    }

    // MARK: Header

    static func header(number: UInt64, salt: UInt32) -> [UInt8] {
        var writer = LogRecordWriter(capacity: headerSize)
        writer.append(magic)
        writer.append(formatVersion)
        writer.append(UInt16(0))
        writer.append(salt)
        writer.append(number)
        writer.append(UInt32(0))
        writer.append(writer.bytes.withUnsafeBytes { CRC32.value($0) })
        return writer.bytes + writer.bytes
    }

    static func header(_ bytes: [UInt8], number: UInt64) -> Header {
        bytes.withUnsafeBytes { buffer in
            for offset in [0, copySize] where buffer.count >= offset + copySize {
                let copy = UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + copySize)])
                guard copy.number(0, UInt64.self) == magic,
                    copy.number(28, UInt32.self) == CRC32.value(UnsafeRawBufferPointer(rebasing: copy[..<28]))
                else { continue }
                guard copy.number(8, UInt16.self) <= formatVersion else { return .newer }
                guard copy.number(16, UInt64.self) == number else { continue }
                return .sound(salt: copy.number(12))
            }
            return .damaged
        }
    }

    // MARK: Names

    private static let suffix = ".segment"
    /// The largest segment number.
    ///
    /// It is small enough that there is always a next one.
    static let maximumNumber: UInt64 = 1 << 62

    static func name(_ number: UInt64) -> String {
        number.hexadecimal + suffix
    }

    /// Returns the number in a file name, or `nil` if the file isn't a segment.
    static func number(_ name: String) -> UInt64? {
        guard name.ends(with: suffix), name.utf8.count == 16 + suffix.utf8.count else { return nil }
        let digits = name.utf8.prefix(16)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        guard let number = UInt64(String(Substring(digits)), radix: 16), number < maximumNumber else { return nil }
        return number
    }

    // MARK: Frames

    /// Returns a record with its prologue.
    ///
    /// Its checksum isn't combined with the segment's number yet.
    package static func frame(_ record: LogRecord) throws(LogSpoolError) -> [UInt8] {
        var writer = LogRecordWriter(capacity: 512)
        writer.append(UInt64(0))
        do throws(LogRecordWriter.TooDeep) {
            try writer.append(record)
        } catch {
            throw LogSpoolError(.recordTooDeep(limit: LogRecordWriter.maximumDepth))
        }
        let length = writer.bytes.count - prologueSize
        guard length < Int(maximumSize) else {
            throw LogSpoolError(.recordTooLarge(ByteCount(Int64(length)), limit: ByteCount(maximumSize)))
        }
        writer.put(UInt32(length), at: 4)
        writer.put(writer.bytes.withUnsafeBytes { checksum($0) }, at: 0)
        return writer.bytes
    }

    /// Combines the checksum of a frame with the number of its segment.
    static func seal(_ frame: inout [UInt8], salt: UInt32) {
        frame.withUnsafeMutableBytes { buffer in
            let check = UInt32(littleEndian: buffer.loadUnaligned(as: UInt32.self)) ^ salt
            buffer.storeBytes(of: check.littleEndian, as: UInt32.self)
        }
    }

    private static func checksum(_ frame: UnsafeRawBufferPointer) -> UInt32 {
        CRC32.value(UnsafeRawBufferPointer(rebasing: frame[4...]))
    }

    /// The content at an offset.
    enum Step: Hashable {
        /// A record.
        case record(Range<Int>)
        /// Unreadable bytes.
        ///
        /// The next complete frame begins at the offset.
        case damaged(upTo: Int)
        /// Unreadable bytes with no complete frame after them.
        case torn
        /// The end of the segment.
        case end
        /// More bytes are needed to decide.
        case incomplete
    }

    /// Returns the content at an offset.
    ///
    /// - Parameters:
    ///   - buffer: A part of a segment without its header.
    ///   - offset: The offset to look at.
    ///   - salt: The number that is combined with checksums.
    ///   - isWhole: Whether the buffer extends to the segment's end.
    ///   - budget: The number of bytes that searches may still read, from ``searchBudget(for:)``.
    static func step(
        _ buffer: UnsafeRawBufferPointer,
        at offset: Int,
        salt: UInt32,
        isWhole: Bool,
        searching budget: inout Int
    ) -> Step {
        var unlimited = Int.max
        if let end = frameEnd(buffer, at: offset, salt, &unlimited) { return .record((offset + prologueSize)..<end) }
        guard isWhole else { return .incomplete }
        guard offset < buffer.count else { return .end }
        budget -= Int.max - unlimited
        var candidate = offset + 1
        while candidate + prologueSize <= buffer.count, budget > 0 {
            Steps.take()
            if frameEnd(buffer, at: candidate, salt, &budget) != nil { return .damaged(upTo: candidate) }
            candidate += 1
        }
        return .torn
    }

    /// The number of bytes that all searches for frames in a buffer may read.
    ///
    /// The budget is necessary because bytes can be crafted so that they look like the beginnings of long frames
    /// everywhere, even between complete frames.
    static func searchBudget(for count: Int) -> Int { max(count * 8, 8 << 20) }

    /// Returns the end of a complete frame that begins at an offset.
    private static func frameEnd(
        _ buffer: UnsafeRawBufferPointer,
        at offset: Int,
        _ salt: UInt32,
        _ budget: inout Int
    ) -> Int? {
        guard buffer.count - offset >= prologueSize else { return nil }
        let length = Int(clamping: buffer.number(offset + 4, UInt32.self))
        guard length > 0, length <= buffer.count - offset - prologueSize else { return nil }
        Steps.take(length)
        budget -= length
        let end = offset + prologueSize + length
        let frame = UnsafeRawBufferPointer(rebasing: buffer[offset..<end])
        return buffer.number(offset, UInt32.self) == checksum(frame) ^ salt ? end : nil
    }

    /// The content of a segment.
    struct Content: Sendable, Hashable {
        /// The end of the last complete frame.
        var end = headerSize
        /// The number of complete frames.
        var records = 0
        /// The number of those that begin before a given offset.
        var recordsBefore = 0
    }

    /// Scans a segment, including its header.
    ///
    /// - Parameter budget: The number of bytes that searches may read; that of ``searchBudget(for:)`` by default.
    static func content(of bytes: [UInt8], salt: UInt32, before offset: Int64, searching budget: Int? = nil) -> Content
    {
        bytes.withUnsafeBytes { buffer in
            var budget = budget ?? searchBudget(for: buffer.count)
            var content = Content()
            while content.end < buffer.count {
                switch step(buffer, at: content.end, salt: salt, isWhole: true, searching: &budget) {
                case .record(let range):
                    content.records += 1
                    if content.end < offset { content.recordsBefore += 1 }
                    content.end = range.upperBound
                case .damaged(let next): content.end = next
                case .torn, .end, .incomplete: return content
                }
            }
            return content
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads the number at an offset.
    ///
    /// Its least significant byte is first.
    fileprivate func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type = Number.self) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

/// The checksum of gzip and PNG (ISO 3309), implemented by zlib.
enum CRC32 {
    static func value(_ buffer: UnsafeRawBufferPointer) -> UInt32 {
        let bytes = buffer.bindMemory(to: UInt8.self)
        // The size of a segment is far below zlib's limit of 4 GiB per call.
        return UInt32(truncatingIfNeeded: crc32(0, bytes.baseAddress, UInt32(clamping: bytes.count)))
    }
}
