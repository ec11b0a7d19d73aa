import Foundation
import HTTPChainCore

/// The relevant parts of a response to one of an upload's requests.
struct UploadAnswer: Sendable, Hashable {
    var status: Int
    /// The URL of the upload that was created.
    var location = UploadLocation.missing
    /// The number of bytes that the server has received.
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

    /// Whether the failure is temporary: the request wasn't received completely (408), another request is still using
    /// the upload (423), the request was too early (425), there were too many (429), or the server failed (500, 502,
    /// 503, 504).
    var isTransient: Bool { [408, 423, 425, 429, 500, 502, 503, 504].contains(status) }
}

/// The URL of an upload in a response.
enum UploadLocation: Sendable, Hashable {
    /// There is none, or it is empty and so would be the URL of the request.
    case missing
    /// An absolute URL.
    case found(String)
    /// There are several different URLs, or one that isn't an HTTP URL.
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
