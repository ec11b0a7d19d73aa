package import HTTPTypes

/// Whether the response's body continues for as long as the server likes, such as a stream of events.
///
/// The limits of the call and of each attempt then apply until the head of the response has arrived, but not to its
/// body, because only the stream's reader knows what silence means. Such a body is neither resumed with a range nor
/// stored.
package enum LongLivedResponseNote: RequestNote {
    /// The default value: the body has an end.
    package static var defaultValue: Bool { false }
}

extension HTTPResponse {
    /// Whether the content is a stream of events (HTML standard §9.2), which isn't cached or shared by calls: it has no
    /// end, and an event is only meaningful when it is sent.
    package var isEventStream: Bool {
        headerFields.contains { $0.name == .contentType && MediaType.isEssence("text/event-stream", of: $0.value) }
    }
}
