package import HTTPTypes

/// Whether the response's body has no planned end, such as a stream of events.
///
/// The limits of the call and of each attempt then apply only until the head of the response has arrived. For the body,
/// the stream's reader decides how much silence is too long. Such a body is neither resumed with a range nor stored.
package enum LongLivedResponseNote: RequestNote {
    /// The default value: the body has an end.
    package static var defaultValue: Bool { false }
}

extension HTTPResponse {
    /// Whether the content is a stream of events (HTML standard §9.2).
    ///
    /// It isn't cached or shared by calls, because it has no end, and an event is only meaningful when it is sent.
    package var isEventStream: Bool {
        headerFields.contains { $0.name == .contentType && MediaType.isEssence("text/event-stream", of: $0.value) }
    }
}
