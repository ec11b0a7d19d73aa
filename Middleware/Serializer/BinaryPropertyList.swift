import Foundation
import HTTPChainSupport

/// Validates a binary property list before Foundation parses it.
///
/// Foundation itself trusts counts and follows each reference.
struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    /// The position of the offset table, which is also the end of the objects.
    private let table: Int

    static func isBinary(_ data: Data) -> Bool { data.starts(with: "bplist".utf8) }

    /// - Throws: A `DecodingError` if a number points outside the list, if containers are nested deeper than allowed
    ///   for XML property lists (as in a list that contains itself), if there are more values than bytes, or if the
    ///   content is many times larger than the list because many references point to one object.
    static func check(_ data: Data) throws(DecodingError) {
        guard let list = BinaryPropertyList(data) else { throw corrupted("the trailer is not valid") }
        try list.checkObjects()
    }

    private static func corrupted(_ description: String) -> DecodingError {
        .dataCorrupted(.init("this is not a binary property list that can be read: \(description)"))
    }

    private init?(_ data: Data) {
        bytes = [UInt8](data)
        let trailer = bytes.count - 32
        // The minimum is a header of eight bytes, one object, and its offset.
        guard trailer >= 10 else { return nil }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let top = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]),
            (9..<trailer).contains(table), count >= 1, count <= (trailer - table) / offsetSize, top < count
        else { return nil }
        self.count = count
        self.top = top
        self.table = table
    }

    private func checkObjects() throws(DecodingError) {
        var pending = [(object: top, depth: 1)]
        var seen = 1
        var content = 0
        while let (object, depth) = pending.popLast() {
            guard let found = self.content(of: object) else {
                throw Self.corrupted("object \(object) is not valid")
            }
            content += found.bytes.count
            guard content <= Self.smallContent || content / Self.largestExpansion <= bytes.count else {
                throw Self.corrupted("texts or data are referenced too often")
            }
            let references = found.isContainer ? found.bytes : []
            guard !references.isEmpty else { continue }
            guard depth <= DocumentDepth.limit else {
                throw Self.corrupted("containers are nested deeper than \(DocumentDepth.limit) levels")
            }
            seen += references.count / referenceSize
            guard seen <= bytes.count else { throw Self.corrupted("containers are referenced too often") }
            for start in stride(from: references.startIndex, to: references.endIndex, by: referenceSize) {
                guard let reference = Self.number(references[start..<(start + referenceSize)]), reference < count
                else { throw Self.corrupted("object \(object) refers to a missing object") }
                pending.append((reference, depth + 1))
            }
        }
    }

    /// The maximum total size of all referenced content, as a multiple of the list's size.
    ///
    /// Writers store equal texts only once. Each further use is a reference of one or two bytes.
    private static let largestExpansion = 16
    /// The size of content that is always read, even if it is many times larger than the list.
    private static let smallContent = 1 << 20

    /// Returns the content of an object.
    ///
    /// For a container, this is its references. Returns `nil` if the object is out of bounds.
    private func content(of object: Int) -> (bytes: ArraySlice<UInt8>, isContainer: Bool)? {
        let place = table + object * offsetSize
        guard let start = Self.number(bytes[place..<(place + offsetSize)]), (8..<table).contains(start) else {
            return nil
        }
        let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 0x0F))
        let unit: Int
        switch kind {
        case 0x0: return ([], false)
        case 0x1, 0x2: return low <= 4 ? content(from: start + 1, 1 << low).map { ($0, false) } : nil
        case 0x3: return content(from: start + 1, 8).map { ($0, false) }
        case 0x8: return content(from: start + 1, low + 1).map { ($0, false) }
        case 0x4, 0x5, 0x7: unit = 1
        case 0x6: unit = 2
        case 0xA, 0xB, 0xC: unit = referenceSize
        case 0xD: unit = 2 * referenceSize
        default: return nil
        }
        guard let (length, next) = length(low, after: start + 1),
            let content = content(from: next, length.multipliedReportingOverflow(by: unit))
        else { return nil }
        return (content, kind >= 0xA)
    }

    /// Returns the number of elements, which is in the marker or in an integer after it.
    private func length(_ low: Int, after start: Int) -> (length: Int, next: Int)? {
        guard low == 0x0F else { return (low, start) }
        guard start < table, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else { return nil }
        let size = 1 << Int(bytes[start] & 0x0F)
        guard let content = content(from: start + 1, size), let length = Self.number(content) else { return nil }
        return (length, start + 1 + size)
    }

    private func content(from start: Int, _ size: (partialValue: Int, overflow: Bool)) -> ArraySlice<UInt8>? {
        size.overflow ? nil : content(from: start, size.partialValue)
    }

    private func content(from start: Int, _ size: Int) -> ArraySlice<UInt8>? {
        guard start <= table, size <= table - start else { return nil }
        return bytes[start..<(start + size)]
    }

    /// Returns a number of at most eight bytes, or `nil` if it is negative or larger than any list.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
