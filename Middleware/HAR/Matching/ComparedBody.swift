import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The content of a request in a form that can be compared, by meaning if the format is known.
enum ComparedBody: Sendable, Hashable {
    /// A part of a multipart body.
    struct Part: Sendable, Hashable {
        let name: String
        let fileName: String?
        let type: String?
        /// The content; `nil` if it wasn't recorded.
        let content: Data?
        /// Whether it was recorded as a parameter, which may have no content type.
        var isParameter = false

        static func == (one: Part, other: Part) -> Bool {
            one.name.hasSameBytes(as: other.name) && one.fileName.hasSameBytes(as: other.fileName)
                && one.type.hasSameBytes(as: other.type) && one.content == other.content
                && one.isParameter == other.isParameter
        }
    }

    case none
    case json(JSONTree)
    case form([URLParts.Parameter])
    case multipart([Part])
    case text(ExactText)
    case binary(Data)
    /// Content that was recorded only in part, from its beginning.
    case beginning(Data)
    /// Content that wasn't recorded.
    case unknown

    init(_ request: HARRequest, exact: Bool, isRecorded: Bool) {
        guard let data = request.postData else {
            self = isRecorded && request.mayHaveContent ? .unknown : .none
            return
        }
        let field = request.values(of: "content-type").first
        let media = data.mimeType.isEmpty ? field : data.mimeType
        let bytes = HARBytes.decode(data.text, encoding: data.encoding, type: media)
        if data.isTruncated {
            self = bytes.map { .beginning($0) } ?? .unknown
            return
        }
        guard let bytes, !bytes.isEmpty else {
            // A program that writes the parameters of a form writes no text. Some write an empty text for content that
            // they didn't keep.
            if !data.params.isEmpty {
                self = Self.form(data.params, MediaType(media))
            } else {
                self = isRecorded && (request.bodySize != 0 || request.declaresContent) ? .unknown : .none
            }
            return
        }
        let type = exact ? nil : MediaType(media)
        if let type, type.essence.begins(with: "multipart/"),
            let boundary = type.boundary ?? MediaType(field)?.boundary,
            let parts = MultipartContent.parts(of: bytes, boundary: boundary)
        {
            self = .multipart(parts)
            return
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            self = .binary(bytes)
            return
        }
        if !exact, type?.essence == "application/x-www-form-urlencoded" {
            self = .form(URLParts.pairs(in: text[...]))
        } else if !exact, Self.mayBeJSON(type, text), let tree = try? JSONTreeParser.parse(text) {
            self = .json(tree.normalized)
        } else {
            self = .text(ExactText(text))
        }
    }

    /// A form whose parameters were recorded instead of its text.
    private static func form(_ parameters: [HARParameter], _ type: MediaType?) -> ComparedBody {
        let isMultipart = type?.essence.begins(with: "multipart/") ?? parameters.contains { $0.fileName != nil }
        guard isMultipart else {
            return .form(parameters.map { URLParts.Parameter(name: $0.name, value: $0.value ?? "") })
        }
        return .multipart(
            parameters.map { parameter in
                let value = parameter.value ?? ""
                // Browsers keep the name of a file, but omit its content or write "(binary)" instead.
                let isLost = parameter.fileName != nil && ["", "(binary)"].contains(value)
                return Part(
                    name: parameter.name,
                    fileName: parameter.fileName,
                    type: parameter.contentType,
                    content: isLost || value == Redaction.placeholder ? nil : Data(value.utf8),
                    isParameter: true
                )
            }
        )
    }

    private static func mayBeJSON(_ type: MediaType?, _ text: String) -> Bool {
        guard let essence = type?.essence else { return text.begins(with: "{") || text.begins(with: "[") }
        return essence == "application/json" || essence.ends(with: "+json") || essence == "text/json"
    }

    /// Returns the differences between the sent and the recorded content; empty if they are equivalent.
    func differences(from recorded: ComparedBody) -> [String] {
        if self == recorded { return [] }
        switch (self, recorded) {
        case (.form(let sent), .form(let recorded)):
            return NamedValues.differences(sent, recorded, of: "form field")
        case (.json(let sent), .json(let recorded)):
            return JSONDifference.list(sent, recorded)
        case (.multipart(let sent), .multipart(let recorded)):
            return Self.partDifferences(sent, recorded)
        case (.beginning, _), (_, .beginning): return beginningDifferences(from: recorded)
        // Unknown content never counts as different.
        case (_, .unknown), (.unknown, _): return []
        case (.none, _): return ["the body is empty; recorded is \(recorded.summary)"]
        case (_, .none): return ["the body is \(summary); recorded is an empty one"]
        case (.text(let sent), .text(let recorded)): return [TextDifference.describe(sent.text, recorded.text)]
        default: return ["the body is \(summary); recorded is \(recorded.summary)"]
        }
    }

    private var rawBytes: Data? {
        switch self {
        case .text(let exact): Data(exact.text.utf8)
        case .binary(let bytes), .beginning(let bytes): bytes
        case .none: Data()
        default: nil
        }
    }

    private func beginningDifferences(from recorded: ComparedBody) -> [String] {
        guard let sent = rawBytes, let old = recorded.rawBytes else { return [] }
        let count = min(sent.count, old.count)
        return sent.prefix(count) == old.prefix(count) ? [] : ["the beginning of the body differs"]
    }

    private static func partDifferences(_ sent: [Part], _ recorded: [Part]) -> [String] {
        var differences: [String] = []
        if !sent.map(\.name).haveSameBytes(as: recorded.map(\.name)) {
            let names = { (parts: [Part]) in parts.map { "\"\($0.name)\"" }.joined(separator: ", ") }
            return ["the parts are \(names(sent)); recorded are \(names(recorded))"]
        }
        for (part, old) in zip(sent, recorded) where part != old {
            if !part.fileName.hasSameBytes(as: old.fileName) {
                let name = { (part: Part) in part.fileName.map { "\"\($0)\"" } ?? "none" }
                differences.append("the file name of part \"\(part.name)\" is \(name(part)); recorded is \(name(old))")
            } else if !part.type.hasSameBytes(as: old.type), !(old.isParameter && old.type == nil) {
                differences.append(
                    "the type of part \"\(part.name)\" is \(part.type ?? "none"); recorded is \(old.type ?? "none")"
                )
            } else if let content = part.content, let oldContent = old.content, content != oldContent {
                differences.append(
                    "the content of part \"\(part.name)\" differs (\(content.count) and \(oldContent.count) bytes)"
                )
            }
        }
        return differences
    }

    private var summary: String {
        switch self {
        case .none: "empty"
        case .json: "JSON"
        case .form(let pairs): "a form of \(pairs.count) \(pairs.count == 1 ? "field" : "fields")"
        case .multipart(let parts): "\(parts.count) \(parts.count == 1 ? "part" : "parts")"
        case .text(let exact): "text of \(exact.text.utf8.count) bytes"
        case .binary(let bytes): "\(bytes.count) bytes"
        case .beginning(let bytes): "longer than \(bytes.count) bytes"
        case .unknown: "not recorded"
        }
    }
}

extension HARRequest {
    /// Whether `Content-Length` is greater than 0.
    ///
    /// Chrome writes a size of 0 for a body that it cannot read, such as a `Blob`.
    fileprivate var declaresContent: Bool { fields.declaredLength.map { $0 > 0 } ?? false }

    /// Whether the request may have had content that the archive lacks.
    ///
    /// Programs may omit content that they didn't keep. GET and HEAD have none, unless they declare it.
    fileprivate var mayHaveContent: Bool {
        declaresContent || bodySize != 0 && !["GET", "HEAD"].contains(method)
    }
}

/// Multipart content (RFC 2046 §5.1) in memory, without the boundary, which differs each time.
enum MultipartContent {
    static func parts(of bytes: Data, boundary: String) -> [ComparedBody.Part]? {
        let delimiter = Data("--\(boundary)".utf8)
        guard var position = bytes.range(of: delimiter)?.upperBound else { return nil }
        var parts: [ComparedBody.Part] = []
        while true {
            if bytes[position...].starts(with: Data("--".utf8)) { return parts }
            guard let lineEnd = bytes.range(of: Data("\n".utf8), in: position..<bytes.endIndex)?.upperBound,
                let next = bytes.range(of: Data("\n".utf8) + delimiter, in: (lineEnd - 1)..<bytes.endIndex)
            else { return parts.isEmpty ? nil : parts }
            if next.lowerBound >= lineEnd {
                var end = next.lowerBound
                if end > lineEnd, bytes[end - 1] == 0x0D { end -= 1 }
                parts.append(part(of: bytes[lineEnd..<end]))
            }
            position = next.upperBound
        }
    }

    private static func part(of bytes: Data) -> ComparedBody.Part {
        let breaks = ["\r\n\r\n", "\n\n"].compactMap { bytes.range(of: Data($0.utf8)) }
        let blank = breaks.min { $0.lowerBound < $1.lowerBound }
        let isBare = bytes.first == 0x0D || bytes.first == 0x0A
        let head = isBare ? Data() : bytes[..<(blank?.lowerBound ?? bytes.endIndex)]
        var disposition: ParameterizedPart?
        var type: String?
        for line in String(decoding: head, as: UTF8.self).unicodeScalars.split(whereSeparator: {
            "\r\n".unicodeScalars.contains($0)
        }) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = Substring(line[line.index(after: colon)...]).trimming()
            switch String(line[..<colon]).lowercased() {
            case "content-disposition": disposition = ParameterizedPart(value)
            case "content-type": type = value
            default: break
            }
        }
        return ComparedBody.Part(
            name: disposition?.name ?? "",
            fileName: disposition?.fileName,
            type: type,
            content: isBare
                ? Data(bytes.drop { $0 == 0x0D || $0 == 0x0A }) : Data(bytes[(blank?.upperBound ?? bytes.endIndex)...])
        )
    }
}
