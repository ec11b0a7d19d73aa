import Foundation

/// The parameters of an upload.
struct UploadPlan: Sendable, Hashable {
    /// The number of bytes.
    var length: Int64
    /// The maximum size of a request in bytes, or `nil` for no limit.
    var partSize: Int64?
    /// Whether the request that creates the upload includes the first bytes.
    var createsWithContent = false
    /// Whether the server is first asked for its limits.
    var asksForLimits = false
    /// The tus extensions that the server must have, if it lists its extensions.
    var neededExtensions: Set<String> = []
    /// Whether the upload is complete as soon as the server has all bytes (tus).
    ///
    /// Otherwise, the client completes it.
    var completesByOffset: Bool
    /// Whether completing the upload twice has the same effect as once, according to the method of the caller's
    /// request.
    var isIdempotent = false
    /// The statuses of the response to an offset request if the upload doesn't exist.
    var lostStatuses: Set<Int> = [404, 410]
}

/// An upload that exists on the server.
struct UploadPosition: Sendable, Hashable {
    /// The absolute URL of the upload.
    var url: String
    /// The number of bytes that the server has acknowledged.
    var offset: Int64 = 0
    /// The time at which the server will remove the upload, if known.
    var expiry: Date?
}
