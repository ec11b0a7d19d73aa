public import Foundation
public import HTTPChainCore

/// An upload that a later call, or another process, can resume.
public struct StoredUpload: Sendable, Hashable {
    /// The absolute URL of the upload on the server.
    ///
    /// Knowing the URL may be enough to change the upload, so it is treated as a secret. Credentials aren't stored.
    public var url: Secret
    /// The number of bytes that the server has acknowledged, as last known.
    ///
    /// The server is asked again before anything is sent.
    public var offset: Int64
    /// The total number of bytes.
    public var length: Int64
    /// The time at which the upload was created, by the local clock.
    public var created: Date
    /// The time at which the server will remove the upload, if known (`Upload-Expires`, `max-age`).
    public var expires: Date?

    /// Makes a stored upload.
    public init(url: Secret, offset: Int64, length: Int64, created: Date, expires: Date? = nil) {
        self.url = url
        self.offset = offset
        self.length = length
        self.created = created
        self.expires = expires
    }

    /// Whether the server has removed the upload by a date, as far as is known.
    package func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
