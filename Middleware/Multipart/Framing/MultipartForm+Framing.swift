import Foundation
public import HTTPChainCore
import HTTPTypes

extension MultipartForm {
    /// Returns the form as a body with its Content-Type, in the same form as ``MultipartMiddleware`` sends it, for use
    /// without a chain.
    ///
    /// - Parameter values: The encoding of typed values; JSON by default.
    /// - Throws: ``MultipartError``; ``/HTTPChainCore/BodyError`` for a file that can't be read.
    public func framed(
        values: MultipartValueEncoding? = nil
    ) async throws -> (contentType: String, body: HTTPBody) {
        let boundary = try boundary(random: SystemRandom())
        return (
            try contentType(boundary: boundary), try await measured().body(boundary: boundary, values: values ?? .json)
        )
    }

    /// Encodes a typed value, given the part's type if it has one.
    ///
    /// Returns the bytes and their type.
    typealias EncodeValue = (any Encodable & Sendable, String?) throws -> (Data, String)

    /// Returns the Content-Type of the framed form, with its kind and boundary.
    ///
    /// - Throws: ``MultipartError`` if the type of a related form contains CR, LF or NUL.
    package func contentType(boundary: MultipartBoundary) throws(MultipartError) -> String {
        var value = "\(kind.mediaType); boundary=\(boundary.parameterValue)"
        if case .related(let type, let start, let parameters) = kind {
            // A media type has a slash, so the parameter needs quotes (RFC 2387 §3.4).
            var all = [("type", type)]
            if let start { all.append(("start", start)) }
            all += parameters.sorted { $0.key < $1.key }.filter { !["type", "start", "boundary"].contains($0.key) }
                .map { ($0.key, $0.value) }
            for (name, text) in all {
                guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isTokenByte) else {
                    throw MultipartError(.invalidFieldName(name))
                }
                try Self.check(text, of: "Content-Type")
                value += "; \(name)=\(Escaping.quotedString(text))"
            }
        }
        try Self.check(value, of: "Content-Type")
        return value
    }

    /// Returns the form's own boundary, or a random one.
    ///
    /// - Parameter random: The source of a random boundary.
    /// - Throws: ``MultipartError`` if the form's own boundary is invalid.
    package func boundary(random: any RandomSource) throws(MultipartError) -> MultipartBoundary {
        if let boundary { return try MultipartBoundary(boundary) }
        return .random(from: random)
    }

    /// Returns the form with the sizes of its files, so that its body has a known length.
    ///
    /// ``MultipartMiddleware`` does this for each request.
    ///
    /// - Throws: ``/HTTPChainCore/BodyError`` for a file that can't be read; `CancellationError`.
    package func measured() async throws -> MultipartForm {
        var form = self
        for (index, part) in parts.enumerated() {
            let body = try await part.body.measured()
            form.parts[index].body = body
            guard let file = body.file, file.range != nil || body.length == nil else { continue }
            // If a file is missing or too short for its range, the call fails before its head is sent.
            _ = try await body.makeReader()
        }
        return form
    }

    /// Returns the form as a body that reads heads, contents and boundaries in turn.
    ///
    /// The body has an exact length if every part has one (see ``measured()`` for files), and is replayable if every
    /// part is. Parts are never read ahead, so a file of any size needs the memory of only one chunk.
    ///
    /// Names and file names are written as in WHATWG's encoding of multipart/form-data: in UTF-8, with CR, LF and
    /// quotation marks percent-encoded. In a name, a lone CR or LF counts as CRLF. Unlike in browsers, NUL is refused,
    /// and the content of text parts is sent unchanged.
    ///
    /// - Parameters:
    ///   - boundary: The boundary, which must not occur in any part.
    ///   - values: The encoding of typed values; JSON by default.
    /// - Throws: ``MultipartError`` for a part without a required name, for header fields that can't be sent, and for a
    ///   value that can't be encoded.
    package func body(
        boundary: MultipartBoundary,
        values: MultipartValueEncoding = .json
    ) throws(MultipartError) -> HTTPBody {
        try body(boundary: boundary) { value, type in (try values.encode(value), type ?? values.contentType) }
    }

    func body(boundary: MultipartBoundary, encode: EncodeValue) throws(MultipartError) -> HTTPBody {
        var frame = Frame()
        for (index, part) in parts.enumerated() {
            let content = try Self.content(of: part, index: index, encode: encode)
            frame.append("--\(boundary.text)\r\n")
            frame.append(try head(of: part, index: index, contentType: content.type))
            frame.append(content.body)
            frame.append("\r\n")
        }
        frame.append("--\(boundary.text)--\r\n")
        return frame.body(isReplayable: isReplayable)
    }

    private static func content(
        of part: MultipartPart,
        index: Int,
        encode: EncodeValue
    ) throws(MultipartError) -> (body: HTTPBody, type: String?) {
        guard let value = part.body.value else { return (part.body, part.contentType) }
        do {
            let (bytes, type) = try encode(value, part.contentType)
            return (HTTPBody(bytes), type)
        } catch {
            let type = String(describing: type(of: value))
            throw MultipartError(.valueNotEncoded(part: index, type: type), underlyingError: error)
        }
    }

    private func head(of part: MultipartPart, index: Int, contentType: String?) throws(MultipartError) -> String {
        var fields: [(name: String, value: String)] = []
        func isGiven(_ name: String) -> Bool {
            part.headers.contains { $0.name.lowercased() == name.lowercased() }
        }
        if !isGiven("Content-Disposition"), let disposition = try disposition(of: part, index: index) {
            fields.append(("Content-Disposition", disposition))
        }
        if !isGiven("Content-Type"), let contentType { fields.append(("Content-Type", contentType)) }
        fields += part.headers.map { ($0.name, $0.value) }
        var head = ""
        for (name, value) in fields {
            guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isTokenByte) else {
                throw MultipartError(.invalidFieldName(name))
            }
            try Self.check(value, of: name)
            head += "\(name): \(value)\r\n"
        }
        return head + "\r\n"
    }

    private func disposition(of part: MultipartPart, index: Int) throws(MultipartError) -> String? {
        var value: String
        switch (kind, part.name, part.fileName) {
        case (.formData, nil, _): throw MultipartError(.missingName(part: index))
        case (.formData, _, _): value = "form-data"
        case (_, nil, nil): return nil
        case (_, _, nil): value = "inline"
        case (_, _, _): value = "attachment"
        }
        if let name = part.name { value += "; name=\(Escaping.formDataName(Self.withLineBreaksNormalised(name)))" }
        if let fileName = part.fileName { value += "; filename=\(Escaping.formDataName(fileName))" }
        return value
    }

    private static func check(_ value: String, of name: String) throws(MultipartError) {
        guard value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0x00 }) else {
            throw MultipartError(.invalidFieldValue(name: name))
        }
    }

    /// Normalizes line breaks: a lone CR or LF becomes CRLF.
    ///
    /// This is the first step of WHATWG's "escape a multipart form data name".
    private static func withLineBreaksNormalised(_ name: String) -> String {
        var result = ""
        var afterReturn = false
        for scalar in name.unicodeScalars {
            if scalar == "\n" || scalar == "\r" {
                if scalar == "\r" || !afterReturn { result += "\r\n" }
            } else {
                result.unicodeScalars.append(scalar)
            }
            afterReturn = scalar == "\r"
        }
        return result
    }
}
