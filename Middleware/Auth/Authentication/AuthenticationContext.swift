public import HTTPChainCore
public import HTTPTypes

/// The facts about a call that an ``Authenticator`` is told beside its request, and its notes about the call.
public struct AuthenticationContext: Sendable {
    /// Whether the server's credentials are meant or a proxy's.
    public let target: AuthenticationTarget
    /// The server that the request goes to, or the proxy: the boundary that credentials do not cross.
    public let origin: Origin
    /// Whether credentials may be sent to a server that did not ask for them; `false` where a stronger scheme could
    /// still be asked for.
    public internal(set) var maySendPreemptively: Bool
    /// The number of challenges that were answered in this call before, by any scheme.
    public internal(set) var answers: Int
    /// The note that the authenticator keeps for later in the same call, such as which of its keys was sent.
    ///
    /// It is `nil` until the authenticator sets it; another one does not see it.
    public var note: (any Sendable)?

    /// The stages inside; `nil` in a context that a test has made without a transport.
    let next: Next?
    /// The response that rejects the request; `nil` before there is one.
    var rejection: Rejection?
    /// The origin, and what may be sent to it; `nil` for a proxy, and in a context that a test has made.
    let binding: OriginBinding?

    /// Makes a context, as a test of an authenticator needs it.
    ///
    /// - Parameters:
    ///   - target: Whose credentials are meant; the server's by default.
    ///   - origin: The server that the request goes to, or the proxy.
    ///   - maySendPreemptively: Whether credentials may be sent to a server that did not ask; `true` by default.
    ///   - answers: How many challenges were answered before; 0 by default.
    ///   - transport: What carries the authenticator's own requests; nothing by default.
    public init(
        target: AuthenticationTarget = .origin,
        origin: Origin,
        maySendPreemptively: Bool = true,
        answers: Int = 0,
        over transport: (any Transport)? = nil
    ) {
        self.target = target
        self.origin = origin
        self.maySendPreemptively = maySendPreemptively
        self.answers = answers
        next = transport.map { Next(to: $0) }
        binding = nil
    }

    init(target: AuthenticationTarget, origin: Origin, binding: OriginBinding?, next: Next) {
        self.target = target
        self.origin = origin
        self.binding = binding
        self.next = next
        maySendPreemptively = true
        answers = 0
    }

    /// The head of the response that rejects the request; `nil` before there is one.
    public var rejectingHead: HTTPResponse? { rejection?.head }

    /// The stages inside as a transport, with the clock of a request, for requests of the authenticator's own; `nil` in
    /// a context that was made without a transport.
    public func stagesInside(for request: Request) -> RefreshContext? {
        next.map { RefreshContext(environment: request.environment, next: $0) }
    }

    /// Reads the response that rejects the request to its end, so that the connection is free for requests of the
    /// authenticator's own.
    ///
    /// From then on the challenge has to be answered, or the call ended with an error: the response is gone.
    public func discardRejection() async {
        guard let rejection else { return }
        await rejection.body.drain(time: rejection.time)
    }

    /// The protection space of a challenge, or that of a scheme before there was one.
    public func space(_ scheme: String, realm: String?) -> ProtectionSpace {
        ProtectionSpace(origin: origin, realm: realm, target: target, scheme: scheme)
    }
}

/// The response that rejects a request; an object, so that the calls that are not rejected do not have to carry it.
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
    /// Sets the field that holds credentials, and binds it to the origin, so that it does not travel to another.
    ///
    /// The field is kept out of the tables of HTTP/2 and HTTP/3 header compression (RFC 7541 §7.1.3).
    ///
    /// - Parameters:
    ///   - credentials: The field's value: the scheme and what follows it.
    ///   - context: For whom the credentials are.
    public mutating func setCredentials(_ credentials: String, in context: AuthenticationContext) {
        setCredentials(ReadyCredentials(context.target.requestField, credentials), in: context)
    }

    /// Sets a field that is ready, and binds it.
    mutating func setCredentials(_ ready: ReadyCredentials, in context: AuthenticationContext) {
        let name = context.target.requestField
        head.headerFields[fields: name] = ready.fields
        if let binding = context.binding, !options.contains(OriginBoundFields.self) {
            options.set(binding.bound)
            // A proxy is passed on the way to this server, not to the next one.
        } else if let owner = context.target == .proxy ? origin : context.origin {
            options[OriginBoundFields.self][name] = owner
        }
    }
}
