package import HTTPTypes
public import Logging

/// The unit that a record describes.
public enum ExchangeUnit: String, Sendable, Hashable {
    /// A call, including its retries, redirects and cached responses.
    case call
    /// One attempt, as sent.
    case attempt

    /// The default component: `http.client` or `http.client.attempt`.
    package var component: String {
        switch self {
        case .call: "http.client"
        case .attempt: "http.client.attempt"
        }
    }
}

/// The outcome of an exchange, which determines its severity.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ExchangeOutcome: String, Sendable, Hashable, CaseIterable {
    /// A response with a status below 400.
    case success
    /// A response with 4xx.
    case clientError
    /// A response with 5xx, or with an invalid status.
    case serverError
    /// An error, or a body that broke.
    case failure
    /// The exchange was cancelled.
    case cancelled

    /// Makes the outcome of a status.
    package init(status: HTTPResponse.Status) {
        switch status.code {
        case ..<400: self = .success
        case 400..<500: self = .clientError
        default: self = .serverError
        }
    }
}

/// The severity of each outcome; `nil` for outcomes that aren't logged.
public struct ExchangeLevels: Sendable, Hashable {
    /// For responses below 400.
    package var success: Logger.Level?
    /// For 4xx, including errors that contain such a response.
    package var clientError: Logger.Level?
    /// For 5xx, including errors that contain such a response.
    package var serverError: Logger.Level?
    /// For errors and broken bodies.
    package var failure: Logger.Level?
    /// For cancelled exchanges.
    package var cancelled: Logger.Level?

    /// Makes levels.
    ///
    /// The defaults are info, warning, error, error and info.
    public init(
        success: Logger.Level? = .info,
        clientError: Logger.Level? = .warning,
        serverError: Logger.Level? = .error,
        failure: Logger.Level? = .error,
        cancelled: Logger.Level? = .info
    ) {
        self.success = success
        self.clientError = clientError
        self.serverError = serverError
        self.failure = failure
        self.cancelled = cancelled
    }

    /// The levels for whole calls: a failure is an error, and a client error a warning.
    package static let calls = ExchangeLevels()

    /// The levels for attempts.
    ///
    /// They are less severe, because a failed attempt may be retried and a challenge (401) isn't an error.
    package static let attempts = ExchangeLevels(
        success: .debug,
        clientError: .debug,
        serverError: .warning,
        failure: .warning,
        cancelled: .debug
    )

    /// The level of an outcome.
    package subscript(outcome: ExchangeOutcome) -> Logger.Level? {
        switch outcome {
        case .success: success
        case .clientError: clientError
        case .serverError: serverError
        case .failure: failure
        case .cancelled: cancelled
        }
    }
}

/// The amount of detail with which an exchange is logged.
public enum ExchangeDetail: Sendable, Hashable, Comparable {
    /// Method, URL, status, times, sizes, and error.
    case summary
    /// The summary and the header fields.
    case headers
    /// The summary, the header fields and the beginnings of the bodies.
    case bodies
}

/// The amount of detail with which an exchange is logged, by severity.
struct ExchangeDetails: Sendable, Hashable {
    let otherwise: ExchangeDetail
    let byLevel: [Logger.Level: ExchangeDetail]

    /// The detail for exchanges of a level.
    subscript(level: Logger.Level) -> ExchangeDetail { byLevel[level] ?? otherwise }
}

extension ExchangeDetails: CustomStringConvertible {
    /// The detail by level, such as "summary, headers at error".
    var description: String {
        let others = byLevel.sorted { $0.key < $1.key }.map { "\($0.value) at \($0.key)" }
        return (["\(otherwise)"] + others).joined(separator: ", ")
    }
}
