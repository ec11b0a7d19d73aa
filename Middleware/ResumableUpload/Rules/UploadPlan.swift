import Foundation

/// An upload as its caller wants it.
struct UploadPlan: Sendable, Hashable {
    /// The number of bytes.
    var length: Int64
    /// The largest number of bytes of one request; nil for no limit.
    var partSize: Int64?
    /// Whether the first bytes are sent with the request that creates the upload.
    var createsWithContent = false
    /// Whether the server is asked for its limits first.
    var asksForLimits = false
    /// The extensions of tus that the server must have, if it says which it has.
    var neededExtensions: Set<String> = []
    /// Whether the upload is complete as soon as the server has all bytes (tus), and not before the client says so.
    var completesByOffset: Bool
    /// Whether completing the upload twice does what completing it once does, by the method of the caller's request.
    var isIdempotent = false
    /// The statuses of an answer to a request for the offset that say that there is no such upload.
    var lostStatuses: Set<Int> = [404, 410]
}

/// An upload that the server has begun to receive.
struct UploadPosition: Sendable, Hashable {
    /// The absolute URL.
    var url: String
    /// The number of bytes that the server has acknowledged.
    var offset: Int64 = 0
    /// The time at which the server is going to remove the upload, as far as it said.
    var expiry: Date?
}
