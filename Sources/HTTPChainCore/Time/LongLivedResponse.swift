package import HTTPTypes

/// Whether the response's body goes on for as long as the server likes, as a stream of events does.
///
/// The limits of the call and of each attempt then hold until the head of the response has arrived, and not for its body:
/// whoever reads the stream knows what silence means in it. Nobody resumes such a body with a range, and nobody stores it.
package enum LongLivedResponse: RequestOption {
    /// The body has an end that is waited for.
    package static var defaultValue: Bool { false }
}

extension HTTPResponse {
    /// Whether its content is a stream of events (HTML standard §9.2), which no cache stores and no calls share: it has no
    /// end that could be waited for, and an event means something when it is sent.
    package var isEventStream: Bool {
        headerFields.contains { $0.name == .contentType && MediaType.isEssence("text/event-stream", of: $0.value) }
    }
}
