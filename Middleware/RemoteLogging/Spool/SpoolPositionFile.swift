import HTTPChainCore

/// The file that contains the position up to which records are acknowledged.
///
/// It has two slots that are written alternately, so that a partial write leaves the other slot intact.
struct SpoolPositionFile: Sendable {
    static let formatVersion: UInt16 = 1
    private static let magic: UInt32 = 0x5350_4348
    private static let placeSize = 64
    private static let length = 32

    private let path: String
    private let files: Files<LogSpoolError>
    private let durability: LogSpoolDurability
    private var file: OpenFile<LogSpoolError>?
    private var generation: UInt64 = 0

    /// The position in the file, or `nil` if there is none.
    private(set) var position: LogSpoolPosition?
    /// Whether there is a file, but it can't be read.
    private(set) var isDamaged = false

    /// Reads the file, if there is one.
    init(
        _ path: String,
        _ files: Files<LogSpoolError>,
        _ durability: LogSpoolDurability
    ) throws(LogSpoolError) {
        self.path = path
        self.files = files
        self.durability = durability
        // The position is used even if the file is read-only.
        guard let opened = try files.open(path, .read) else { return }
        let bytes = try opened.read(Self.placeSize * 2, at: 0)
        for offset in [0, Self.placeSize] {
            guard let place = try Self.place(bytes, at: offset, path), place.generation >= generation else { continue }
            (generation, position) = place
        }
        isDamaged = position == nil && !bytes.isEmpty
    }

    /// Saves a position in the file.
    mutating func save(_ position: LogSpoolPosition) throws(LogSpoolError) {
        let next = generation &+ 1
        var writer = LogRecordWriter(capacity: Self.length + 4)
        writer.append(Self.magic)
        writer.append(Self.formatVersion)
        writer.append(UInt16(0))
        writer.append(next)
        writer.append(position.segment)
        writer.append(position.offset)
        writer.append(writer.bytes.withUnsafeBytes { CRC32.value($0) })
        let isNew = file == nil
        let file = if let file { file } else { try files.open(path, .updateOrCreate) }
        guard let file else { return }
        try file.write(writer.bytes, at: Int64(next % 2) * Int64(Self.placeSize))
        if durability == .power {
            try file.synchronize()
            if isNew, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                try files.synchronizeDirectory(String(path[..<slash]))
            }
        }
        self.file = file
        self.position = position
        generation = next
    }

    private static func place(
        _ bytes: [UInt8],
        at offset: Int,
        _ path: String
    ) throws(LogSpoolError) -> (generation: UInt64, position: LogSpoolPosition)? {
        guard bytes.count >= offset + length + 4 else { return nil }
        let place = bytes[offset..<(offset + length + 4)]
        let numbers = place.withUnsafeBytes { buffer in
            (
                magic: UInt32(littleEndian: buffer.loadUnaligned(as: UInt32.self)),
                version: UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: 4, as: UInt16.self)),
                generation: UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                segment: UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
                offset: Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 24, as: Int64.self)),
                check: UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: length, as: UInt32.self)),
                sum: CRC32.value(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            )
        }
        guard numbers.magic == magic, numbers.check == numbers.sum else { return nil }
        guard numbers.version <= formatVersion else { throw LogSpoolError(.newerFormat(file: path)) }
        guard numbers.offset >= 0, max(numbers.segment, numbers.generation) < SpoolSegment.maximumNumber else {
            return nil
        }
        return (numbers.generation, LogSpoolPosition(segment: numbers.segment, offset: numbers.offset))
    }
}
