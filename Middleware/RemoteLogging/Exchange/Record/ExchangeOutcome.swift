public import HTTPTypes
public import Logging

/// The unit that one record is about.
public enum ExchangeUnit: String, Sendable, Hashable {
    /// A call: retries, redirects and answers from a cache included.
    case call
    /// One attempt, as it is sent.
    case attempt

    /// The component that logs unless another is given: `http.client`, and `http.client.attempt`.
    public var component: String {
        switch self {
        case .call: "http.client"
        case .attempt: "http.client.attempt"
        }
    }
}

/// The outcome of an exchange, as far as it decides how severe that is.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ExchangeOutcome: String, Sendable, Hashable, CaseIterable {
    /// With an answer below 400.
    case success
    /// With 4xx.
    case clientError
    /// With 5xx, or a status that does not exist.
    case serverError
    /// With an error, or with a body that broke.
    case failure
    /// By cancellation.
    case cancelled

    /// Makes the outcome of a status.
    public init(status: HTTPResponse.Status) {
        switch status.code {
        case ..<400: self = .success
        case 400..<500: self = .clientError
        default: self = .serverError
        }
    }
}

/// The severity of each outcome; `nil` for what is not logged at all.
public struct ExchangeLevels: Sendable, Hashable {
    /// For answers below 400.
    public var success: Logger.Level?
    /// For 4xx, also where it became an error that carries the response.
    public var clientError: Logger.Level?
    /// For 5xx, also where it became an error that carries the response.
    public var serverError: Logger.Level?
    /// For errors, and for bodies that broke.
    public var failure: Logger.Level?
    /// For what was cancelled.
    public var cancelled: Logger.Level?

    /// Makes levels: by default info, warning, error, error and info.
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

    /// For whole calls: what fails is an error, what the caller got wrong a warning.
    public static let calls = ExchangeLevels()

    /// For attempts: what fails may go well the next time, and a challenge (401) is no fault.
    public static let attempts = ExchangeLevels(
        success: .debug,
        clientError: .debug,
        serverError: .warning,
        failure: .warning,
        cancelled: .debug
    )

    /// The level of an outcome.
    public subscript(outcome: ExchangeOutcome) -> Logger.Level? {
        switch outcome {
        case .success: success
        case .clientError: clientError
        case .serverError: serverError
        case .failure: failure
        case .cancelled: cancelled
        }
    }
}

/// The detail in which an exchange is logged.
public enum ExchangeDetail: Int, Sendable, Hashable, Comparable {
    /// Method, URL, status, times, sizes, error.
    case summary
    /// The header fields too.
    case headers
    /// Header fields and the beginnings of the bodies.
    case bodies

    /// Less detail comes first.
    public static func < (lhs: ExchangeDetail, rhs: ExchangeDetail) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The detail in which an exchange is logged, by how severe it is.
///
/// ```swift
/// let details: ExchangeDetails = .by([.warning: .headers, .error: .bodies])
/// ```
public struct ExchangeDetails: Sendable, Hashable {
    private var otherwise: ExchangeDetail
    private var byLevel: [Logger.Level: ExchangeDetail]

    private init(_ otherwise: ExchangeDetail, _ byLevel: [Logger.Level: ExchangeDetail] = [:]) {
        self.otherwise = otherwise
        self.byLevel = byLevel
    }

    /// The summary, for every level.
    public static let summary = ExchangeDetails(.summary)
    /// Header fields, for every level.
    public static let headers = ExchangeDetails(.headers)
    /// Header fields and the beginnings of bodies, for every level.
    public static let bodies = ExchangeDetails(.bodies)

    /// Different for some levels.
    ///
    /// - Parameters:
    ///   - details: What is logged of exchanges of these levels.
    ///   - otherwise: What is logged of others; the summary by default.
    public static func by(
        _ details: [Logger.Level: ExchangeDetail],
        otherwise: ExchangeDetail = .summary
    ) -> ExchangeDetails {
        ExchangeDetails(otherwise, details)
    }

    /// The detail in which exchanges of a level are logged.
    public subscript(level: Logger.Level) -> ExchangeDetail { byLevel[level] ?? otherwise }
}

extension ExchangeDetails: CustomStringConvertible {
    /// The detail for each level, such as "summary, headers at error".
    public var description: String {
        let others = byLevel.sorted { $0.key < $1.key }.map { "\($0.value) at \($0.key)" }
        return (["\(otherwise)"] + others).joined(separator: ", ")
    }
}
