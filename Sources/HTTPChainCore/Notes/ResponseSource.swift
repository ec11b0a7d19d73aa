package import HTTPTypes

/// The source of a response, for stages that learn from received fields, such as the cookie stage and rate limits.
package enum ResponseSource: Sendable {
    /// The response was received for this call.
    case received
    /// The response was stored. If this call sent a request to the server, `received` is the head of the server's
    /// response: a 304, the rest of a stored part, or an error that a stale response replaces.
    case stored(received: HTTPResponse? = nil)
    /// A fallback stage remembered the response of an earlier call, regardless of its age.
    case remembered

    /// Whether the whole response was received for this call.
    package var isReceived: Bool { if case .received = self { true } else { false } }

    /// Whether a fallback stage remembered the response.
    package var isRemembered: Bool { if case .remembered = self { true } else { false } }

    /// The option that holds the source of a response.
    fileprivate enum Fact: ResponseOption {
        static var defaultValue: ResponseSource { .received }
    }
}

extension Response {
    /// The source of the response; ``ResponseSource/received`` unless a stage has set another.
    package var source: ResponseSource {
        get { options[ResponseSource.Fact.self] }
        set { options[ResponseSource.Fact.self] = newValue }
    }

    /// The head that was received for this call, from which stages may learn something about the server; `nil` if
    /// nothing was received.
    package var receivedHead: HTTPResponse? {
        switch source {
        case .received: head
        case .stored(let received): received
        case .remembered: nil
        }
    }

    /// The fields that were received for this call.
    package var receivedFields: HTTPFields { receivedHead?.headerFields ?? [:] }
}
