import Foundation
import HTTPChainCore

/// A response to one of the requests of an upload, as far as the rules are concerned.
struct UploadAnswer: Sendable, Hashable {
    var status: Int
    /// The upload that was created.
    var location = UploadLocation.missing
    /// The number of bytes that the server has.
    var offset: Int64?
    /// The number of bytes that the upload is going to have.
    var length: Int64?
    /// Whether the upload is complete: `Upload-Complete`, draft §4.1.2.
    var isComplete: Bool?
    var limits = UploadLimits()
    /// The time at which the server is going to remove the upload.
    var expiry: Date?
    var problem: UploadProblem?
    /// The extensions that the server has, where it says so: `Tus-Extension`.
    var extensions: Set<String>?
    /// The wait that the server asks for: `Retry-After`.
    var retryAfter: Duration?

    var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the failure passes by itself: the request was not finished (408), the upload is in use by a request that
    /// the server has not given up yet (423), there is too much to do (429), or the server failed (5xx).
    var isTransient: Bool { [408, 423, 425, 429, 500, 502, 503, 504].contains(status) }
}

/// The URL of an upload in a response.
enum UploadLocation: Sendable, Hashable {
    case missing
    /// An absolute URL.
    case found(String)
    /// No URL of HTTP.
    case unusable
    /// A URL of an origin that uploads may not go to.
    case foreign(Origin)
}

/// A problem type of the draft, §7.
enum UploadProblem: Sendable, Hashable {
    case mismatchingOffset(expected: Int64?)
    case completed
    case inconsistentLength
}
