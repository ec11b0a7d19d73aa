package import HTTPTypes

/// Where a response came from: what acts on received fields, such as the cookies, asks here.
package enum ResponseSource: Sendable {
    /// It was received for this call.
    case received
    /// It was stored or remembered, or is another call's. If the server was asked for this call, the fields are those
    /// that it sent: of its 304, of the rest of a stored part, or of an error that a stale response replaces.
    case stored(received: HTTPFields = [:])

    /// Whether the whole response was received for this call.
    package var isReceived: Bool { if case .received = self { true } else { false } }

    /// The value on a response.
    fileprivate enum Option: ResponseOption {
        static var defaultValue: ResponseSource { .received }
    }
}

extension Response {
    /// Where the response came from; ``ResponseSource/received`` unless a stage says otherwise.
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
