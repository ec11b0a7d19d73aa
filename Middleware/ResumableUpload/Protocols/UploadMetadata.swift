import Foundation
import HTTPChainCore

/// The metadata of an upload that a tus server gets: `Upload-Metadata`, extension "Creation".
struct UploadMetadata: Sendable, Hashable {
    var values: [String: String] = [:]

    /// Keys with their values in Base64, in the order of the keys; nil without any.
    ///
    /// - Throws: ``UploadError/Problem/invalidMetadata(key:)`` for a key that is empty or has characters other than the
    ///   visible ones of ASCII without the comma.
    func fieldValue() throws -> String? {
        guard !values.isEmpty else { return nil }
        return try values.sorted { $0.key < $1.key }.map { key, value in
            let isSound = key.utf8.allSatisfy { ASCII.isVisible($0) && $0 != UInt8(ascii: ",") }
            guard isSound, !key.isEmpty else { throw UploadError(.invalidMetadata(key: key)) }
            return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
        }.joined(separator: ",")
    }
}
