package import HTTPTypes

/// The source of a response, for stages that act on received fields, such as the cookie stage.
package enum ResponseSource: Sendable {
    /// The response was received for this call.
    case received
    /// The response was stored or remembered, or is another call's. If this call sent a request to the server,
    /// `received` has the fields of the server's response: a 304, the rest of a stored part, or an error that a stale
    /// response replaces.
    case stored(received: HTTPFields = [:])

    /// Whether the whole response was received for this call.
    package var isReceived: Bool { if case .received = self { true } else { false } }

    /// The option that holds the source of a response.
    fileprivate enum Option: ResponseOption {
        static var defaultValue: ResponseSource { .received }
    }
}

extension Response {
    /// The source of the response; ``ResponseSource/received`` unless a stage has set another.
    package var source: ResponseSource {
        get { options[ResponseSource.Option.self] }
        set { options[ResponseSource.Option.self] = newValue }
    }

    /// The fields that were received for this call.
    package var receivedFields: HTTPFields {
        switch source {
        case .received: headers
        case .stored(let fields): fields
        }
    }
}
