import Foundation
import HTTPChainCore
import HTTPTypes

/// Decides whether a request's body is compressed, and compresses it.
struct RequestCompressor {
    let settings: CompressionSettings

    /// - Returns: Whether the body was compressed.
    func compress(_ request: inout Request) throws(ContentCodingError) -> Bool {
        let fields = request.head.headerFields
        let applied = AppliedCodings(fields)
        guard isWorthwhile(request.body, fields, applied) else { return false }
        if let bytes = request.body.bytes, bytes.count <= settings.lengthKnownUpTo.bytes {
            let compressed = try settings.coding.encode(bytes)
            guard compressed.count < bytes.count else { return false }
            request.body = HTTPBody(compressed)
        } else {
            let coding = settings.coding
            request.encodeContent { $0.encoded(with: coding) }
        }
        request.head.headerFields[.contentLength] = nil
        request.head.headerFields[.contentEncoding] = (applied.names + [settings.coding.name]).joined(separator: ", ")
        return true
    }

    private func isWorthwhile(_ body: HTTPBody, _ fields: HTTPFields, _ applied: AppliedCodings) -> Bool {
        // A typed value isn't content yet. When it is read, it reports that there is no serializer.
        guard body.value == nil, !body.isEmpty else { return false }
        if let length = body.length, length < settings.minimumSize.bytes { return false }
        guard !applied.areCompressing else { return false }
        // These fields, such as a digest, describe the bytes of the original content.
        guard !Self.bindingFields.contains(where: { fields.contains($0) }) else { return false }
        return !settings.skippedTypes.contains(fields[.contentType] ?? "")
    }

    private static let bindingFields: [HTTPField.Name] =
        [.contentRange] + ["Content-MD5", "Content-Digest", "Repr-Digest", "Digest"].compactMap { HTTPField.Name($0) }
}
