public import HTTPChainCore
import HTTPTypes

/// The facts about a call that an ``Authenticator`` needs in addition to the request, with the authenticator's notes.
public struct AuthenticationContext: Sendable {
    /// Whether a server or a proxy asks for credentials.
    public let target: AuthenticationTarget
    /// The server or proxy that the credentials are for; they are sent to no other.
    public let origin: Origin
    /// Whether credentials may be sent to a server that didn't ask for them; `false` if a stronger scheme could still
    /// be requested.
    public internal(set) var maySendPreemptively: Bool
    /// The number of challenges already answered in this call, by any scheme.
    public internal(set) var answers: Int
    /// A value that the authenticator keeps for later in the same call, such as which of its keys was sent.
    ///
    /// `nil` until the authenticator sets it. Other authenticators can't see it.
    public var note: (any Sendable)?

    /// The inner stages, or `nil` in a context created for a test without a transport.
    let next: Next?
    /// The response that rejects the request, or `nil` if there is none yet.
    var rejection: Rejection?
    /// The origin, and which credentials may be sent to it; `nil` for a proxy, and in a context created for a test.
    let binding: OriginBinding?

    /// Makes a context for testing an authenticator.
    ///
    /// - Parameters:
    ///   - target: The party that asks for credentials. Defaults to the server.
    ///   - origin: The server that the request goes to, or the proxy.
    ///   - maySendPreemptively: Whether credentials may be sent to a server that didn't ask. Defaults to `true`.
    ///   - answers: The number of challenges already answered. Defaults to 0.
    ///   - transport: The transport for the authenticator's own requests. Defaults to none.
    public init(
        target: AuthenticationTarget = .origin,
        origin: Origin,
        maySendPreemptively: Bool = true,
        answers: Int = 0,
        over transport: (any Transport)? = nil
    ) {
        self.init(target: target, origin: origin, binding: nil, next: transport.map { Next(to: $0) })
        self.maySendPreemptively = maySendPreemptively
        self.answers = answers
    }

    init(target: AuthenticationTarget, origin: Origin, binding: OriginBinding?, next: Next?) {
        self.target = target
        self.origin = origin
        self.binding = binding
        self.next = next
        maySendPreemptively = true
        answers = 0
    }

    /// Returns the inner stages as a transport for the authenticator's own requests, with the request's clock; returns
    /// `nil` if the context was created without a transport.
    package func stagesInside(for request: Request) -> RefreshContext? {
        next.map { RefreshContext(environment: request.environment, next: $0) }
    }

    /// Drains the rejecting response, so that the connection is free for the authenticator's own requests.
    ///
    /// Afterwards, the response can't be returned: the challenge must be answered, or the call must fail.
    package func discardRejection() async {
        guard let rejection else { return }
        await rejection.body.drain(time: rejection.time)
    }

    /// Returns the protection space of a challenge, or of a scheme if there was no challenge yet.
    public func space(_ scheme: String, realm: String?) -> ProtectionSpace {
        ProtectionSpace(origin: origin, realm: realm, target: target, scheme: scheme)
    }
}

/// The response that rejects the request; it is a class, so that it adds no cost to calls that aren't rejected.
final class Rejection: Sendable {
    let head: HTTPResponse
    let body: HTTPBody
    /// The clock of the call.
    let time: any TimeSource

    init(_ response: Response, time: any TimeSource) {
        head = response.head
        body = response.body
        self.time = time
    }
}

extension Request {
    /// Sets the credentials field and binds it to the origin, so that it is sent to no other origin.
    ///
    /// The field is excluded from HTTP/2 and HTTP/3 header compression tables (RFC 7541 §7.1.3).
    ///
    /// - Parameters:
    ///   - credentials: The field's value: the scheme and its credentials.
    ///   - context: The context of the call.
    public mutating func setCredentials(_ credentials: String, in context: AuthenticationContext) {
        setCredentials(ReadyCredentials(context.target.requestField, credentials), in: context)
    }

    /// Sets credentials that may not be UTF-8.
    package mutating func setCredentials(_ credentials: [UInt8], in context: AuthenticationContext) {
        let field = HTTPField(name: context.target.requestField, value: credentials)
        setCredentials(ReadyCredentials(field), in: context)
    }

    /// Sets a field made in advance, and binds it.
    mutating func setCredentials(_ ready: ReadyCredentials, in context: AuthenticationContext) {
        let name = context.target.requestField
        head.headerFields[fields: name] = ready.fields
        if let binding = context.binding, !options.contains(OriginBoundFieldsNote.self) {
            options.set(binding.bound)
            // Binds the field to the server, because the next server may be reached without this proxy.
        } else if let owner = context.target == .proxy ? origin : context.origin {
            options[OriginBoundFieldsNote.self][name] = owner
        }
    }
}
