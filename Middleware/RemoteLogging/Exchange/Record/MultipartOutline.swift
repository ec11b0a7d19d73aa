import Foundation
import HTTPChainCore

/// The parts of a multipart body, as far as known: names, types and sizes, but never contents or file names.
struct MultipartOutline: CustomStringConvertible {
    private struct Part {
        var name: String?
        var type: String?
        var size: Int?
    }

    private static let mostParts = 64

    private var parts: [Part] = []
    private var goesOn = false

    /// Reads the beginning of a body, or returns `nil` if the body doesn't match its type.
    init?(_ preview: BodyPreview, boundary: String?) {
        guard let boundary else { return nil }
        let bytes = preview.bytes
        let delimiter = Data("--\(boundary)".utf8)
        let lineDelimiter = Data("\r\n".utf8) + delimiter
        var next: Range<Data.Index>?
        next =
            bytes.starts(with: delimiter)
            ? bytes.startIndex..<bytes.startIndex + delimiter.count : bytes.range(of: lineDelimiter)
        guard next != nil else { return nil }
        while let found = next {
            let rest = bytes[found.upperBound...]
            if rest.starts(with: "--".utf8) { return }
            guard parts.count < Self.mostParts, let line = rest.range(of: Data("\r\n".utf8)) else {
                goesOn = true
                return
            }
            // The line ending may be the beginning of the next delimiter, or of the empty line of a part without
            // fields.
            let body = bytes[line.lowerBound...]
            next = body.range(of: lineDelimiter)
            parts.append(Self.part(body[..<(next?.lowerBound ?? bytes.endIndex)], isWhole: next != nil))
        }
        goesOn = preview.isTruncated
    }

    private static func part(_ bytes: Data, isWhole: Bool) -> Part {
        let end = bytes.range(of: Data("\r\n\r\n".utf8))
        var part = Part()
        // Truncated fields may have an incorrect name for the part. Without an empty line, they aren't fields.
        guard let end else { return part }
        let fields = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        for line in fields.unicodeScalars.split(whereSeparator: { $0 == "\r" || $0 == "\n" }).map({ Substring($0) }) {
            let pair = line.pieces(at: ":", maxSplits: 1)
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            case "content-disposition":
                // The parameters have the same syntax as those of a media type.
                let disposition = MediaType("x/" + pair[1].trimming())
                part.name = disposition?.parameters["name"]?.printable(upTo: 100)
            case "content-type": part.type = MediaType(String(pair[1]))?.essence.printable(upTo: 100)
            default: break
            }
        }
        if isWhole { part.size = bytes.endIndex - end.upperBound }
        return part
    }

    /// The parts in order, such as `"title" (12 bytes), "photo" image/png (3456 bytes)`.
    var description: String {
        var texts = parts.map { part in
            var text = part.name.map { "\"\($0)\"" } ?? "part"
            if let type = part.type { text += " \(type)" }
            return text + " (\(part.size.map { "\($0) bytes" } ?? "cut off"))"
        }
        if goesOn { texts.append("…") }
        return texts.isEmpty ? "no parts" : texts.joined(separator: ", ")
    }
}
