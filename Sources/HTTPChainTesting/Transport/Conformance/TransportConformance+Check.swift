public import HTTPChainCore

extension TransportConformance {
    /// A requirement for all transports; its raw value is the sentence.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible, DescribedValue {
        // The request.
        /// Every method arrives with its body, and its response is returned.
        case methodsArrive = "Every method arrives with its body and brings the response back"
        /// Every kind of body arrives whole: bytes, file, file range, streams of either kind.
        case bodyKindsArrive = "Every kind of body arrives whole: bytes, file, file range, streams of either kind"
        /// Path and query arrive exactly as they were written, with square brackets percent-encoded.
        case targetArrives = "Path and query arrive exactly as they were written, with square brackets encoded"
        /// Request fields arrive: repeated, long and not ASCII.
        case requestFieldsArrive = "Request fields arrive: repeated, long and not ASCII"
        /// A body of known length is sent with exactly that Content-Length, and isn't chunked.
        case framingIsExact = "A known length is sent as exactly that Content-Length, and nothing of it chunked"
        /// A body of unknown length is sent chunked, without a Content-Length.
        case unknownLengthIsChunked = "A body of unknown length is sent chunked, with no Content-Length beside it"
        /// A big upload arrives whole.
        case bigUploadArrives = "A big upload arrives whole"
        /// An invalid request is an InvalidRequestError, and nothing is sent.
        case invalidRequestsAreRefused = "An invalid request is an InvalidRequestError and nothing is sent"
        /// A body that is shorter than it declares fails with that error, and neither hangs nor succeeds.
        case shortUploadFails = "A body that is shorter than it declares is that error, not a hang and not a success"
        /// A body that is longer than it declares fails with that error, and neither hangs nor succeeds.
        case longUploadFails = "A body that is longer than it declares is that error, not a hang and not a success"
        /// A body that fails halfway fails with its own error, and neither hangs nor succeeds.
        case failingUploadFails = "A body that fails halfway is its own error, not a hang and not a success"
        /// Upload progress counts upwards and ends at the full length.
        case uploadProgressIsReported = "Upload progress counts upwards and ends at the full length"
        /// An upload is read no faster than the server reads it.
        case uploadIsPulled = "An upload is pulled no faster than the server reads it"
        /// A response that arrives before the upload was read is delivered.
        case earlyAnswerIsDelivered = "A response that comes before the upload was read is delivered"

        // The response.
        /// Repeated response fields arrive in order.
        case repeatedFieldsArrive = "Repeated response fields arrive in order"
        /// Set-Cookie fields arrive one by one.
        case setCookiesArrive = "Set-Cookie fields arrive one by one"
        /// A comma in a cookie's value doesn't create a cookie with another name.
        case commasMakeNoCookies = "A comma in a cookie's value makes no cookie of another name"
        /// Response fields arrive even if they are empty, long or not ASCII.
        case oddFieldsArrive = "Response fields arrive when they are empty, long or not ASCII"
        /// Informational responses (100, 103) are skipped, and the final response is returned.
        case informationalIsSkipped = "Informational responses (100, 103) are passed over for the final one"
        /// 204, 304 and responses to HEAD have no body, regardless of their Content-Length.
        case noBodyWhereNoneIsAllowed =
            "204, 304 and responses to HEAD have no body, whatever their Content-Length says"
        /// A chunked body arrives whole, and each piece as it is sent.
        case chunkedReplyArrives = "A chunked body arrives whole, and its pieces as they are sent"
        /// A chunked body with trailers after it arrives whole.
        case trailersDoNoHarm = "A chunked body with trailers after it arrives whole"
        /// A body that ends with its connection arrives whole.
        case closeDelimitedReplyArrives = "A body that ends with its connection arrives whole"
        /// A big download arrives whole.
        case bigDownloadArrives = "A big download arrives whole"
        /// An encoded body arrives either encoded, or decoded without the fields that described the coding.
        case contentCodingIsHonest = "An encoded body arrives encoded, or decoded with the fields that said so gone"
        /// A redirect is delivered, not followed.
        case redirectsAreNotFollowed = "A redirect is delivered, not followed"
        /// A cookie is not sent back.
        case cookiesAreNotKept = "A cookie is not sent back"
        /// 401 and 407 with a challenge are delivered.
        case challengesAreDelivered = "401 and 407 with a challenge are delivered"
        /// 4xx and 5xx are responses, not errors.
        case errorStatusesAreResponses = "4xx and 5xx are responses, not errors"
        /// A second read of a one-shot response body is BodyError.alreadyRead.
        case readOnce = "A second read of a one-shot response body is BodyError.alreadyRead"

        // Failures.
        /// A body that ends before its Content-Length is a TransportError, never a silent end.
        case truncatedBodyFails = "A body that ends before its Content-Length is a TransportError, never a silent end"
        /// A chunked body without its last chunk is a TransportError, never a silent end.
        case truncatedChunksFail = "A chunked body without its last chunk is a TransportError, never a silent end"
        /// A connection that is reset within the body is a TransportError.
        case resetBodyFails = "A connection that is reset within the body is a TransportError"
        /// A Content-Length that isn't a number, is negative or contradictory is a TransportError.
        case lyingLengthFails = "A Content-Length that is not a number, negative or contradictory is a TransportError"
        /// Bytes after the Content-Length are not delivered.
        case excessIsNotDelivered = "Bytes after the Content-Length are not delivered"
        /// A connection closed before the head is a TransportError.
        case droppedConnectionFails = "A connection closed before the head is a TransportError"
        /// A connection reset before the head is a TransportError.
        case resetConnectionFails = "A connection reset before the head is a TransportError"
        /// A head that is cut short is a TransportError.
        case cutHead = "A head that is cut short is a TransportError"
        /// A response that isn't HTTP is a TransportError.
        case malformedReplyFails = "A response that is not HTTP is a TransportError"
        /// A refused connection is a TransportError and nothing was sent.
        case refusedConnectionFails = "A refused connection is a TransportError and nothing was sent"
        /// A host that does not exist is a TransportError and nothing was sent.
        case unknownHostFails = "A host that does not exist is a TransportError and nothing was sent"
        /// A server that never responds is a TransportError of kind timedOut.
        case timeoutFails = "A server that never responds is a TransportError of kind timedOut"

        // HTTP/2.
        /// If the stream of a request was refused, or is above the last one of a GOAWAY, the request is sent again, or
        /// the error says that nothing was sent.
        case unprocessedIsUnsent =
            "A request on a refused stream, or above the last of a GOAWAY, is sent again or certainly was not sent"
        /// A GOAWAY doesn't affect the response of its last stream, and the next call uses another connection.
        case callsAfterGoAwayMoveOn =
            "A GOAWAY leaves the response of its last stream, and the next call has another connection"
        /// A POST whose stream or connection ends without a response may have been sent, and isn't sent again.
        case lostStreamsAreNotResent =
            "A POST whose stream or connection ends without a response may have been sent, and is not sent again"
        /// A complete response to an unfinished upload is delivered, regardless of the code that then resets the
        /// stream.
        case earlyAnswerCounts =
            "A complete response to an unfinished upload counts, with any code that then resets the stream"

        // Cancellation and load.
        /// Cancelling while waiting for the head is a CancellationError and ends the exchange.
        case cancellingEndsWaiting =
            "Cancelling while waiting for the head is a CancellationError and ends the exchange"
        /// Cancelling while reading the body is a CancellationError and ends the exchange.
        case cancellingEndsReading = "Cancelling while reading the body is a CancellationError and ends the exchange"
        /// Cancelling while the body of the request is awaited is a CancellationError.
        case cancellingEndsUpload = "Cancelling while the body of the request is awaited is a CancellationError"
        /// A task that is already cancelled gets a CancellationError.
        case cancelledTaskSendsNothing = "A task that is cancelled already gets a CancellationError"
        /// Dropping a response that was not read ends its transfer.
        case droppingUnreadEnds = "Dropping a response that was not read ends its transfer"
        /// Dropping a body that was read in part ends its transfer.
        case droppingHalfReadEnds = "Dropping a body that was read in part ends its transfer"
        /// A slow reader slows the server down, or at least does not fill the memory.
        case slowReaderIsBounded = "A slow reader slows the server down, or at least does not fill the memory"
        /// 1,000 requests at once all get responses, repeatedly, without growth in open files.
        case manyAtOnce = "1,000 requests at once are all answered, and again, with no growth in open files"

        /// Whether the check needs a byte-level server, and therefore a transport with a network.
        package var needsNetwork: Bool {
            switch self {
            case .methodsArrive, .bodyKindsArrive, .targetArrives, .requestFieldsArrive, .bigUploadArrives,
                .invalidRequestsAreRefused, .shortUploadFails, .longUploadFails, .failingUploadFails,
                .uploadProgressIsReported, .repeatedFieldsArrive, .setCookiesArrive, .commasMakeNoCookies,
                .oddFieldsArrive, .bigDownloadArrives, .redirectsAreNotFollowed, .cookiesAreNotKept,
                .challengesAreDelivered,
                .errorStatusesAreResponses, .readOnce, .cancellingEndsWaiting, .cancellingEndsReading,
                .cancellingEndsUpload, .cancelledTaskSendsNothing, .manyAtOnce:
                false
            default: true
            }
        }

        /// Whether the check needs an HTTP/2 server.
        package var needsHTTP2: Bool {
            switch self {
            case .unprocessedIsUnsent, .callsAfterGoAwayMoveOn, .lostStreamsAreNotResent, .earlyAnswerCounts: true
            default: false
            }
        }
    }
}
