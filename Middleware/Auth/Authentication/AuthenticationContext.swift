public import HTTPChainCore
import HTTPTypes

/// What an ``Authenticator`` is told about the call beside its request.
public struct AuthenticationContext: Sendable, Hashable {
    /// Whether the server's credentials are meant or a proxy's.
    public let target: AuthenticationTarget
    /// The server that the request goes to, or the proxy: the boundary that credentials do not cross.
    public let origin: Origin
    /// Whether credentials may be sent to a server that did not ask for them; `false` where a stronger scheme could
    /// still be asked for.
    public internal(set) var maySendPreemptively: Bool
    /// How many challenges were answered in this call before, by any scheme.
    public internal(set) var answers: Int

    /// Makes a context, as a test of an authenticator needs it.
    public init(
        target: AuthenticationTarget = .origin,
        origin: Origin,
        maySendPreemptively: Bool = true,
        answers: Int = 0
    ) {
        self.target = target
        self.origin = origin
        self.maySendPreemptively = maySendPreemptively
        self.answers = answers
    }

    /// The protection space of a challenge, or that of a scheme before there was one.
    public func space(_ scheme: String, realm: String?) -> ProtectionSpace {
        ProtectionSpace(origin: origin, realm: realm, target: target, scheme: scheme)
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
        var field = HTTPField(name: context.target.requestField, value: credentials)
        field.indexingStrategy = .disallow
        head.headerFields[fields: field.name] = [field]
        // A proxy is passed on the way to this server, not to the next one.
        guard let owner = context.target == .proxy ? origin : context.origin else { return }
        options[OriginBoundFields.self][field.name] = owner
    }

    /// Sets a field that is ready, and binds it.
    mutating func setCredentials(_ ready: ReadyCredentials, in context: AuthenticationContext) {
        head.headerFields[fields: context.target.requestField] = ready.fields
        if context.target == .origin, !options.contains(OriginBoundFields.self) {
            options.set(ready.bound)
        } else if let owner = context.target == .proxy ? origin : context.origin {
            options[OriginBoundFields.self][context.target.requestField] = owner
        }
    }
}
