/// Decides the next step of an upload from the response to its last request, without I/O.
///
/// tus 1.0 (https://tus.io/protocols/resumable-upload) and draft-ietf-httpbis-resumable-upload differ in notation and
/// in how an upload is completed; ``UploadPlan`` describes the latter. Sections are the draft's.
struct UploadRules: Sendable {
    private let plan: UploadPlan
    /// The next request.
    private(set) var action: UploadAction
    /// The position of the upload, or `nil` if the server hasn't created it yet.
    private(set) var position: UploadPosition?
    private(set) var limits = UploadLimits()
    /// The largest number of bytes that the server has reported.
    private(set) var furthest: Int64 = 0
    /// Whether the server has confirmed that the upload is complete.
    private(set) var isComplete = false
    /// The number of restarts because the server had lost the upload.
    private(set) var restarts = 0
    /// The number of bytes that the server had from an earlier call.
    private(set) var resumedAt: Int64 = 0
    /// Whether the call resumes an earlier upload, and the server's offset isn't known yet.
    private var isResuming: Bool
    /// Whether a request was sent that may have completed the upload, and its outcome isn't known.
    private var mayBeComplete = false
    /// Whether a second upload could repeat a non-idempotent effect (RFC 9110 §9.2.2).
    var mayHaveActed: Bool { mayBeComplete && !plan.isIdempotent }
    /// The maximum part size after the server refused a larger part.
    private var reducedPart: Int64?

    /// The smallest size to which a part is reduced after 413.
    static let smallestReducedPart: Int64 = 65_536
    /// The maximum number of restarts of an upload that the server has lost.
    static let restartLimit = 1

    /// - Parameter position: The position at which an earlier call stopped, or `nil` for a new upload.
    init(_ plan: UploadPlan, resuming position: UploadPosition? = nil) {
        self.plan = plan
        self.position = position
        isResuming = position != nil
        action = position == nil ? .discover : .findOffset
        if position == nil, !plan.asksForLimits { action = creation }
    }

    /// Handles a request without a response.
    ///
    /// - Parameter mayHaveArrived: Whether the server may have received the request.
    mutating func takeFailure(mayHaveArrived: Bool) -> UploadVerdict {
        if mayHaveArrived, completes(action) { mayBeComplete = true }
        // Without a URL, the server can't be asked for the outcome of a creation.
        if position == nil, mayHaveActed { return .fail(.outcomeUnknown) }
        recover()
        return .tryAgain(asked: nil)
    }

    /// Handles the response to the last request.
    mutating func take(_ answer: UploadAnswer) -> UploadVerdict {
        limits.merge(answer.limits)
        if let expiry = answer.expiry { position?.expiry = expiry }
        if position != nil, (300..<400).contains(answer.status) { return follow(answer) }
        switch action {
        case .discover: return takeLimits(answer)
        case .create(let content): return takeCreation(answer, content)
        case .findOffset: return takeOffset(answer)
        case .append(let content, let completes): return takeAppend(answer, content, completes)
        case .terminate: return .finish
        }
    }

    // MARK: - Limits, draft §4.1.4, tus "OPTIONS"

    private mutating func takeLimits(_ answer: UploadAnswer) -> UploadVerdict {
        if answer.isTransient { return .tryAgain(asked: answer.retryAfter) }
        if let extensions = answer.extensions, let missing = plan.neededExtensions.subtracting(extensions).min() {
            return .fail(.unsupported(extension: missing))
        }
        if let problem = limits.problem(with: plan.length) { return .fail(problem) }
        // A server that doesn't support OPTIONS may still accept uploads.
        action = creation
        return .proceed
    }

    // MARK: - Creation, draft §4.2, tus "Creation"

    private var creation: UploadAction {
        guard plan.createsWithContent else { return .create(0..<0) }
        return .create(0..<limits.partLength(wanted: wanted, remaining: plan.length))
    }

    private mutating func takeCreation(_ answer: UploadAnswer, _ content: Range<Int64>) -> UploadVerdict {
        if answer.isComplete == true { return complete() }
        if answer.status == 413, reduce(content) {
            action = creation
            return .tryAgain(asked: answer.retryAfter)
        }
        if completes(action), answer.isSuccess || answer.mayHideAnEffect { mayBeComplete = true }
        if answer.isTransient, !mayHaveActed { return .tryAgain(asked: answer.retryAfter) }
        guard answer.isSuccess else { return .finish }
        switch answer.location {
        case .missing: return .fail(.notCreated(status: answer.status))
        case .unusable: return .fail(.unusableLocation)
        case .foreign(let origin): return .fail(.foreignLocation(origin))
        case .found(let url): position = UploadPosition(url: url, expiry: answer.expiry)
        }
        if let problem = limits.problem(with: plan.length) { return .abandon(problem) }
        guard let offset = answer.offset ?? (content.isEmpty ? 0 : nil) else {
            action = .findOffset
            return .proceed
        }
        mayBeComplete = false
        return proceed(from: offset)
    }

    // MARK: - Offset, draft §4.3, tus "HEAD"

    private mutating func takeOffset(_ answer: UploadAnswer) -> UploadVerdict {
        if answer.isTransient { return .tryAgain(asked: answer.retryAfter) }
        if plan.lostStatuses.contains(answer.status) { return beginAnew() }
        guard answer.isSuccess else { return .finish }
        if isResuming { resumedAt = answer.offset ?? 0 }
        isResuming = false
        if answer.isComplete == true { return complete() }
        guard let offset = answer.offset else { return .fail(.noOffset) }
        // The URL now belongs to a different upload, so this one is lost.
        if let length = answer.length, length != plan.length { return beginAnew() }
        mayBeComplete = false
        return proceed(from: offset)
    }

    /// Restarts the upload because the server doesn't have it, unless it may be complete.
    private mutating func beginAnew() -> UploadVerdict {
        if mayBeComplete { return .fail(.outcomeUnknown) }
        guard restarts < Self.restartLimit else { return .fail(.lost) }
        restarts += 1
        position = nil
        furthest = 0
        resumedAt = 0
        isResuming = false
        action = creation
        return .tryAgain(asked: nil)
    }

    /// Continues at another URL if the redirect keeps the method and content: 307 and 308 (§4.3.1, §4.4.1).
    private mutating func follow(_ answer: UploadAnswer) -> UploadVerdict {
        switch answer.location {
        case .found(let url) where [307, 308].contains(answer.status):
            position?.url = url
            recover()
            // This counts as a failure, so that a redirect loop ends.
            return .tryAgain(asked: nil)
        case .foreign(let origin): return .fail(.foreignLocation(origin))
        default: return .fail(.unusableRedirect(status: answer.status))
        }
    }

    // MARK: - Append, draft §4.4, tus "PATCH"

    private mutating func takeAppend(
        _ answer: UploadAnswer,
        _ content: Range<Int64>,
        _ completes: Bool
    ) -> UploadVerdict {
        // §4.4.1: the status is then about the content rather than its transfer.
        if answer.isComplete == true { return complete() }
        if answer.problem == .completed || (completes && answer.status >= 500) { mayBeComplete = true }
        if answer.isSuccess { return takeAcknowledgement(answer, content, completes) }
        if answer.status == 409 || answer.problem != nil, let offset = answer.expectedOffset, !plan.completesByOffset {
            guard case .fail(let problem) = proceed(from: offset) else { return .tryAgain(asked: nil) }
            return .fail(problem)
        }
        if plan.lostStatuses.subtracting([403]).contains(answer.status), !mayBeComplete { return beginAnew() }
        // 409: the offset doesn't match; 460: the checksum doesn't match (tus "Checksum").
        let isRecoverable =
            answer.isTransient || [409, 460].contains(answer.status) || answer.problem == .completed
            || (answer.status == 413 && reduce(content)) || (mayBeComplete && [404, 410].contains(answer.status))
        guard isRecoverable else { return .finish }
        recover()
        return .tryAgain(asked: answer.retryAfter)
    }

    private mutating func takeAcknowledgement(
        _ answer: UploadAnswer,
        _ content: Range<Int64>,
        _ completes: Bool
    ) -> UploadVerdict {
        // The draft acknowledges the whole content by the status alone, and reports when the upload is complete.
        let acknowledged = answer.offset ?? (plan.completesByOffset ? nil : content.upperBound)
        guard let offset = acknowledged, plan.completesByOffset || !completes else {
            mayBeComplete = true
            recover()
            return .tryAgain(asked: nil)
        }
        let verdict = proceed(from: offset)
        // If the server accepts fewer bytes than were sent, that counts as a failure. Otherwise, a server could keep a
        // call running forever.
        return verdict == .proceed && offset < content.upperBound ? .tryAgain(asked: nil) : verdict
    }

    // MARK: - Continuing

    /// Returns whether a request completes the upload once the server has received it: it sends the last bytes, or
    /// creates the upload with all of its content.
    private func completes(_ action: UploadAction) -> Bool {
        switch action {
        case .append(_, let completes): completes
        case .create(let content): plan.completesByOffset && content.upperBound == plan.length
        case .discover, .findOffset, .terminate: false
        }
    }

    private var wanted: Int64 { min(plan.partSize ?? .max, reducedPart ?? .max) }

    private mutating func proceed(from offset: Int64) -> UploadVerdict {
        guard offset <= plan.length else { return .fail(.offsetBeyondEnd(offset: offset, length: plan.length)) }
        position?.offset = offset
        furthest = max(furthest, offset)
        if offset == plan.length, plan.completesByOffset { return complete() }
        let end = offset + limits.partLength(wanted: wanted, remaining: plan.length - offset)
        action = .append(offset..<end, completes: end == plan.length)
        return .proceed
    }

    private mutating func complete() -> UploadVerdict {
        isComplete = true
        return .finish
    }

    /// After a failure, asks for the offset if there is an upload.
    private mutating func recover() {
        if position != nil { action = .findOffset }
    }

    /// Halves the size of parts, because they are too large for a server or a proxy.
    ///
    /// - Returns: `false` if they can't be reduced further.
    private mutating func reduce(_ content: Range<Int64>) -> Bool {
        let smallest = max(Self.smallestReducedPart, limits.minimumPart ?? 0)
        let length = Int64(content.count)
        guard length > smallest else { return false }
        reducedPart = max(smallest, length / 2)
        return true
    }
}

extension UploadAnswer {
    /// Whether the server may have acted despite an error status.
    ///
    /// A gateway doesn't know (RFC 9110 §15.6), and only 503 with `Retry-After` means that the server can't currently
    /// act (§15.6.4).
    fileprivate var mayHideAnEffect: Bool { status >= 500 && !(status == 503 && retryAfter != nil) }

    /// The offset that the server expects after a mismatch, §4.4.2.
    fileprivate var expectedOffset: Int64? {
        if case .mismatchingOffset(let expected?) = problem { return expected }
        return status == 409 ? offset : nil
    }
}
