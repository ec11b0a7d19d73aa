public import Foundation
public import HTTPChainCore

/// A kept upload, so that a later call, or another process, goes on with it.
public struct StoredUpload: Sendable, Hashable {
    /// The absolute URL of the upload at the server.
    ///
    /// It may be all that is needed to change the upload, and counts as a secret; credentials are not kept.
    public var url: Secret
    /// The number of bytes that the server had acknowledged last; it is asked again before anything is sent.
    public var offset: Int64
    /// The number of bytes of the whole.
    public var length: Int64
    /// The time at which the upload was created, by the local calendar.
    public var created: Date
    /// The time at which the server is going to remove the upload, as far as it said (`Upload-Expires`,
    /// `max-age`).
    public var expires: Date?

    /// Describes an upload.
    public init(url: Secret, offset: Int64, length: Int64, created: Date, expires: Date? = nil) {
        self.url = url
        self.offset = offset
        self.length = length
        self.created = created
        self.expires = expires
    }

    /// Whether the server is done with it by a date, as far as it said.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}
