import Foundation
import HTTPChainCore

/// The metadata of an upload to a tus server: `Upload-Metadata`, extension "Creation".
struct UploadMetadata: Sendable, Hashable {
    var values: [String: String] = [:]

    /// Returns the keys with their values in Base64, sorted by key, or `nil` if there are none.
    ///
    /// - Throws: ``UploadError/Problem/invalidMetadata(key:)`` if a key is empty, or has characters other than visible
    ///   ASCII without the comma.
    func fieldValue() throws -> String? {
        guard !values.isEmpty else { return nil }
        return try values.sorted { $0.key < $1.key }.map { key, value in
            let isSound = key.utf8.allSatisfy { ASCII.isVisible($0) && $0 != UInt8(ascii: ",") }
            guard isSound, !key.isEmpty else { throw UploadError(.invalidMetadata(key: key)) }
            return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
        }.joined(separator: ",")
    }
}
