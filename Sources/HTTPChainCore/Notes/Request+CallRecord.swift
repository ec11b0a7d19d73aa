import HTTPTypes

/// The option that passes a call's record to inner stages.
enum CallRecordNote: RequestNote {
    static var defaultValue: CallRecord? { nil }
    static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the record of this call, starting one unless an outer stage already has.
    package mutating func recordCall() -> CallRecord {
        if let record = options[CallRecordNote.self] { return record }
        let record = CallRecord()
        options[CallRecordNote.self] = record
        return record
    }

    /// Notifies outer stages that the request's target is complete, and of the template that it was built from; called
    /// by stages that build URLs.
    package func noteTarget(madeOf template: String?) {
        guard let record = options[CallRecordNote.self] else { return }
        record.note(template: template)
        record.note(head)
    }

    /// Notifies outer stages that the request is being retried after a failure.
    package func noteRetry() {
        options[CallRecordNote.self]?.noteRetry()
    }

    /// Records an event before the next attempt, for tracing the call; does nothing if the call isn't recorded.
    package func noteEvent(_ name: String, _ attributes: @autoclosure () -> [(name: String, value: JSONValue)] = []) {
        guard let record = options[CallRecordNote.self] else { return }
        record.add(StageEvent(name: name, time: environment.time.elapsed, attributes: attributes()))
    }

    /// Notifies outer stages that the request follows a redirect.
    package func noteRedirect() {
        options[CallRecordNote.self]?.noteRedirect()
    }

    /// The record of this call, or nil if none was started.
    package var callRecord: CallRecord? { options[CallRecordNote.self] }

    /// Whether the call is recorded.
    package var isRecorded: Bool { options.contains(CallRecordNote.self) }

    /// Notifies outer stages that the request is being sent.
    func noteSending() {
        guard let record = options[CallRecordNote.self] else { return }
        record.note(head, attempt: attempt)
    }
}
