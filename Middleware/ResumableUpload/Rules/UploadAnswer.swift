import Foundation
import HTTPChainCore

/// The relevant parts of a response to a request of an upload.
struct UploadAnswer: Sendable, Hashable {
    var status: Int
    /// The upload that was created.
    var location = UploadLocation.missing
    /// The number of bytes that the server has.
    var offset: Int64?
    /// The total size of the upload, in bytes.
    var length: Int64?
    /// Whether the upload is complete: `Upload-Complete`, draft §4.1.2.
    var isComplete: Bool?
    var limits = UploadLimits()
    /// The time at which the server will remove the upload.
    var expiry: Date?
    var problem: UploadProblem?
    /// The server's extensions, if it lists them: `Tus-Extension`.
    var extensions: Set<String>?
    /// The wait that the server requests: `Retry-After`.
    var retryAfter: Duration?

    var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the failure is temporary: the request wasn't finished (408), the upload is still in use by another
    /// request (423), it was too early (425), there is too much load (429), or the server failed (500, 502, 503, 504).
    var isTransient: Bool { [408, 423, 425, 429, 500, 502, 503, 504].contains(status) }
}

/// The URL of an upload in a response.
enum UploadLocation: Sendable, Hashable {
    /// None, or an empty one, which would be the URL of the request.
    case missing
    /// An absolute URL.
    case found(String)
    /// Not an HTTP URL, or several different ones.
    case unusable
    /// A URL on an origin that isn't allowed.
    case foreign(Origin)
}

/// A problem type of the draft, §7.
enum UploadProblem: Sendable, Hashable {
    case mismatchingOffset(expected: Int64?)
    case completed
    case inconsistentLength
}
