public import HTTPChainCore
package import HTTPChainSupport
public import HTTPTypes

/// The error for an upload that can't be created or completed.
public struct UploadError: ExplainedError, NetworkFailure {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// A request marked as resumable has a method other than POST, PUT or PATCH.
        case method(HTTPRequest.Method)
        /// A request marked as resumable has content that can be read only once, or is a typed value.
        case notReplayable
        /// A request marked as resumable has content of unknown length.
        case unknownLength
        /// A request marked as resumable has content in a coding, such as gzip, for which tus has no field.
        ///
        /// The server would treat the coded bytes as the content.
        case contentEncoding(String)
        /// The target of the request isn't absolute.
        case noOrigin
        /// A metadata key is empty, or has characters that are invalid in `Upload-Metadata`.
        case invalidMetadata(key: String)
        /// The server lacks a tus extension that the stage is configured to use.
        case unsupported(extension: String)
        /// The content is larger than the server's limit for uploads.
        case tooLarge(length: Int64, limit: ByteCount)
        /// The content is smaller than the server's minimum for uploads.
        case tooSmall(length: Int64, limit: ByteCount)
        /// The server responded to the creation with success, but without the URL of an upload.
        case notCreated(status: Int)
        /// The URL of the upload isn't a valid HTTP URL.
        case unusableLocation
        /// The upload is on an origin that the stage doesn't allow.
        case foreignLocation(Origin)
        /// The server redirected the upload in a way that doesn't keep its method and content.
        case unusableRedirect(status: Int)
        /// The server responded with success, but without its offset.
        case noOffset
        /// The server's offset is beyond the end of the content.
        case offsetBeyondEnd(offset: Int64, length: Int64)
        /// The server has lost the upload, and lost it again after a restart.
        case lost
        /// The response to the last bytes was lost, so the upload may be complete, and the server can't be asked.
        ///
        /// The upload no longer exists, its URL is unknown, or it failed too often and wasn't stored.
        case outcomeUnknown
        /// The file has changed since the upload began.
        case contentChanged
        /// According to the stage's partition, another user has logged in since the upload began.
        case userChanged
        /// The upload failed too often or for too long.
        ///
        /// Contains the number of bytes that the server has received.
        case interrupted(offset: Int64, length: Int64)
        /// A file of a ``FileUploadStore`` is readable by others, with these permissions.
        case readableByOthers(path: String, mode: UInt16)
        /// A file of a ``FileUploadStore`` belongs to another user.
        case ownedByAnother(path: String)
        /// A file operation of a ``FileUploadStore`` failed.
        case file(operation: String, path: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem
    /// The last request and the head of its response, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The error that led to this one.
    package let cause: (any Error)?
    /// The notes of outer stages.
    package var notes = ErrorNotes()
    /// Whether the server may have received a part of the upload.
    private let hasSent: Bool

    /// "ResumableUploadMiddleware", or "FileUploadStore" for a problem with its files.
    package var failedStage: String {
        switch problem {
        case .readableByOthers, .ownedByAnother, .file: "FileUploadStore"
        default: "ResumableUploadMiddleware"
        }
    }

    init(
        _ problem: Problem,
        exchange: ExchangeSnapshot? = nil,
        hasSent: Bool = false,
        underlyingError: (any Error)? = nil
    ) {
        self.problem = problem
        failedExchange = exchange
        cause = underlyingError
        self.hasSent = hasSent
    }

    /// The network failure that interrupted the upload.
    package var networkFailure: TransportError? {
        guard resumes else { return nil }
        let failure = TransportError.behind(underlyingError, stage: stage, exchange: nil)
        return hasSent ? failure?.maybeSent : failure
    }

    /// Whether repeating the call resumes the upload.
    package var resumes: Bool { if case .interrupted = problem { true } else { false } }

    package var explanation: Explanation {
        switch problem {
        case .method(let method):
            Explanation(
                "a \(method) request cannot be an upload",
                "use POST, PUT or PATCH, or leave out resumableUpload()"
            )
        case .notReplayable:
            Explanation(
                "the content of the upload can be read only once, or has no bytes yet",
                "make it of bytes, a file or a factory, and put the stage inside the serializer"
            )
        case .unknownLength:
            Explanation(
                "the length of the upload is not known",
                "give the stream its length, or save it to a file first"
            )
        case .contentEncoding(let coding):
            Explanation(
                "the content of the upload has the coding \"\(coding)\", which tus cannot declare to the server",
                "send it without a coding: with compression(false), or a GzipMiddleware without requests"
            )
        case .noOrigin:
            Explanation("the target of the upload is not absolute", "put the stage inside URLBuilderMiddleware")
        case .invalidMetadata(let key):
            Explanation(
                "\"\(key)\" is not a key of upload metadata",
                "use visible characters of ASCII without spaces and commas"
            )
        case .unsupported(let name):
            Explanation("the server has no tus extension \"\(name)\"", "change the options that need it")
        case .tooLarge(let length, let limit):
            Explanation("the upload of \(ByteCount(length)) is larger than the server's limit of \(limit)")
        case .tooSmall(let length, let limit):
            Explanation(
                "the upload of \(ByteCount(length)) is smaller than the server's limit of \(limit)",
                "send it without resumableUpload()"
            )
        case .notCreated(let status):
            Explanation(
                "the server responded with \(status) to the creation of an upload and named none",
                "check that this target accepts uploads by this protocol"
            )
        case .unusableLocation: Explanation("the server named an upload by a Location that is not an HTTP URL")
        case .foreignLocation(let origin):
            Explanation(
                "the server named an upload on another origin, \(origin)",
                "add it to options.otherOrigins if uploads may go there"
            )
        case .unusableRedirect(let status):
            Explanation(
                "the server answered \(status) to a request for the upload",
                "have it respond with 307 or 308 and a Location"
            )
        case .noOffset:
            Explanation(
                "the server did not say how much of the upload it has",
                "check that Upload-Offset passes the proxies in between"
            )
        case .offsetBeyondEnd(let offset, let length):
            Explanation("the server says that it has \(offset) bytes of an upload of \(length)")
        case .lost:
            Explanation("the server has lost the upload again after it was restarted")
        case .outcomeUnknown:
            Explanation(
                "the server may have completed the upload, but its response was lost",
                "find out whether it has, and send it again if not"
            )
        case .contentChanged:
            Explanation("the content of the upload has changed since it began", "send the new content as a new call")
        case .userChanged:
            Explanation(
                "the user changed while the upload was being sent, so it was stopped",
                "send it again as the user whose content it is"
            )
        case .interrupted(let offset, let length):
            Explanation(
                "the upload broke off with \(offset) of \(length) bytes at the server",
                "send the same request again: it resumes from there"
            )
        case .readableByOthers(let path, let mode):
            Explanation(
                "\(path) can be read by others (mode \(String(mode, radix: 8)))",
                "remove it, and find out who changed it: uploads may be continued with what is in it"
            )
        case .ownedByAnother(let path):
            Explanation("\(path) belongs to another user", "give the store a directory of its own")
        case .file(let operation, let path, _, let message):
            Explanation("could not \(operation) \(path): \(message)", "check the disk and the permissions")
        }
    }
}

extension UploadError: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.file(operation: fault.operation, path: fault.path, code: fault.code, message: fault.message))
    }
}
