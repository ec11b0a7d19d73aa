import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The treatment of content in an AWS signature.
public enum AWSPayload: Sendable, Hashable {
    /// The signature covers a hash of the content, which is read once before it is sent.
    case signed
    /// The signature doesn't cover the content (`UNSIGNED-PAYLOAD`).
    ///
    /// Use this for content that can be read only once. S3 accepts it over TLS.
    case unsigned
}

/// Signs requests with AWS Signature Version 4, for AWS and compatible services.
///
/// ```swift
/// SigningMiddleware(
///     AWSSigner(region: "eu-central-1", service: "s3", credentials: .asking { try await vault.credentials() }),
///     for: "https://garden.s3.eu-central-1.amazonaws.com"
/// )
/// ```
///
/// All fields of the request are covered, except for those that intermediaries change (such as `User-Agent`,
/// `Accept-Encoding`, `Connection`, and trace context). `Authorization` is replaced, so don't use a bearer stage for
/// the same origin.
///
/// The query, and for S3 the path, are sent with the same percent-encoding as they are signed. For example, `?a=b+c` is
/// sent as `?a=b%2Bc`, because some servers would treat the plus sign as a space.
public struct AWSSigner: RequestSigner, SignatureScheme {
    /// The placement of the signature in a request.
    public enum Placement: Sendable, Hashable {
        /// In the `Authorization` field.
        case field
        /// In the query, as in a presigned URL, with a lifetime from 1 second to 7 days.
        case query(expiresAfter: Duration)
    }

    private let region: String
    private let service: String
    private let credentials: AWSCredentialMemory
    private let payload: AWSPayload
    private let placement: Placement

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - region: The region, such as `eu-central-1`.
    ///   - service: The service's name in signatures, such as `s3` or `execute-api`. For `s3`, paths are neither
    ///     normalized nor encoded twice, and the hash of the content is sent.
    ///   - credentials: The credentials, or their provider.
    ///   - payload: The treatment of the content. Defaults to `.signed`. For `s3`, a signature in the query never
    ///     covers the content.
    ///   - placement: The placement of the signature. Defaults to `Authorization`.
    ///   - leeway: The time before expiration at which credentials are replaced. Defaults to a minute.
    public init(
        region: String,
        service: String,
        credentials: any AWSCredentialProvider,
        payload: AWSPayload = .signed,
        placement: Placement = .field,
        leeway: Duration = .seconds(60)
    ) {
        self.region = region
        self.service = service
        self.credentials = AWSCredentialMemory(credentials, leeway: leeway)
        self.payload = payload
        self.placement = placement
    }

    /// Forgets the cached credentials, so that new ones are requested for the next signature, for example after a
    /// change of account.
    ///
    /// Calls in flight may still be signed with the old credentials, but don't put them back into the cache.
    public func forgetCredentials() { credentials.forget() }

    /// Always "AWS Signature Version 4".
    package var schemeSummary: String { "AWS Signature Version 4" }

    /// The region, the service, and the treatment of content.
    package var settings: [StageSummary.Setting] {
        [
            StageSummary.Setting(name: "region", value: region), StageSummary.Setting(name: "service", value: service),
            StageSummary.Setting(name: "payload", value: (leavesOutPayload ? .unsigned : payload).description),
        ]
    }

    /// Whether the placement excludes the content from each signature.
    private var leavesOutPayload: Bool { if case .query = placement { service == "s3" } else { false } }

    /// Returns a problem with a lifetime that AWS doesn't accept.
    package func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
        guard case .query(let lifetime) = placement, !Self.accepts(lifetime) else { return [] }
        return [
            ChainProblem(
                stage: stage,
                problem: "\(stage) signs requests for \(lifetime), and AWS accepts 1 second to 7 days",
                fix: "use another duration in .query(expiresAfter:)"
            )
        ]
    }

    /// The option for the treatment of content.
    package var optionsRead: [any RequestOption.Type] { [SigningPayloadOption.self] }

    /// Always `true`: credentials are requested within the deadline.
    package var keepsDeadlines: Bool { true }

    /// Adds the time, the content's hash if it is sent, the session token and the signature.
    ///
    /// - Throws: ``SigningError``; rethrows errors from reading the content.
    package func addSignature(to request: inout Request, for origin: Origin) async throws {
        let credentials = try await credentials.credentials(for: request)
        switch placement {
        case .field:
            try await signFields(of: &request, credentials)
            request.bindFields([.authorization, .amzSecurityToken], to: origin)
        case .query(let lifetime):
            request.head = try await signQuery(of: request, credentials, lifetime)
        }
    }

    private func signFields(of request: inout Request, _ credentials: AWSCredentials) async throws {
        let signature = AWSSignature(region: region, service: service, date: request.environment.time.date)
        let payload = try await payloadHash(of: request)
        request.headers[.amzDate] = signature.timestamp
        request.headers[.amzSecurityToken] = credentials.sessionToken?.revealed
        if service == "s3" || payload == AWSSignature.unsignedPayload { request.headers[.amzContentSHA256] = payload }
        request.head.path = request.head.path.map { AWSCanonicalRequest.unambiguous($0, path) }
        let canonical = try AWSCanonicalRequest(
            request.head,
            path: path,
            fields: Self.signable(request.headers),
            payload: payload
        )
        let value = signature.signature(of: canonical.text, by: credentials.secretAccessKey)
        request.headers[.authorization] =
            "\(AWSSignature.algorithm) Credential=\(credentials.accessKeyID)/\(signature.scope), "
            + "SignedHeaders=\(canonical.signedFields), Signature=\(value)"
    }

    private func signQuery(
        of request: Request,
        _ credentials: AWSCredentials,
        _ lifetime: Duration
    ) async throws -> HTTPRequest {
        guard Self.accepts(lifetime) else {
            let setting = "the lifetime of \(lifetime)"
            throw SigningError(.unsupportedSetting(setting, reason: "AWS accepts 1 second to 7 days"))
        }
        if service == "s3", request.options[SigningPayloadOption.self] == .value(.signed) {
            throw SigningError(
                .unsupportedSetting(
                    "signing(payload: .signed)",
                    reason: "for S3, a signature in the query doesn't cover the content"
                )
            )
        }
        let signature = AWSSignature(region: region, service: service, date: request.environment.time.date)
        let payload = service == "s3" ? AWSSignature.unsignedPayload : try await payloadHash(of: request)
        var head = request.head
        let fields = Self.signable(head.headerFields)
        let unsigned = try AWSCanonicalRequest(head, path: path, fields: fields, payload: payload)
        let encode = { (text: String) in AWSCanonicalRequest.encode(Array(text.utf8)) }
        var query = [
            "X-Amz-Algorithm=\(AWSSignature.algorithm)",
            "X-Amz-Credential=\(encode("\(credentials.accessKeyID)/\(signature.scope)"))",
            "X-Amz-Date=\(signature.timestamp)", "X-Amz-Expires=\(lifetime.components.seconds)",
        ]
        if let token = credentials.sessionToken { query.append("X-Amz-Security-Token=\(encode(token.revealed))") }
        query.append("X-Amz-SignedHeaders=\(encode(unsigned.signedFields))")
        let target = AWSCanonicalRequest.unambiguous(head.path ?? "/", path)
        head.path = target + (target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query.joined(separator: "&")
        let canonical = try AWSCanonicalRequest(head, path: path, fields: fields, payload: payload)
        let value = signature.signature(of: canonical.text, by: credentials.secretAccessKey)
        head.path = (head.path ?? "") + "&X-Amz-Signature=\(value)"
        return head
    }

    private var path: AWSCanonicalRequest.Path { service == "s3" ? .exact : .normalized }

    private func payloadHash(of request: Request) async throws -> String {
        if let given = request.headers[.amzContentSHA256] { return given }
        switch request.options[SigningPayloadOption.self].applied(to: payload) ?? .unsigned {
        case .unsigned: return AWSSignature.unsignedPayload
        case .signed:
            if request.body.isEmpty { return AWSSignature.emptyPayload }
            return try await AWSSignature.hash(of: request.body)
        }
    }

    /// Whether AWS accepts a lifetime.
    private static func accepts(_ lifetime: Duration) -> Bool { (.seconds(1) ... .seconds(604_800)).contains(lifetime) }

    /// Returns the fields that intermediaries don't normally change.
    private static func signable(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.filter { !changed.contains($0.name.canonicalName) })
    }

    private static let changed: Set<String> = [
        "accept-encoding", "authorization", "baggage", "connection", "content-length", "expect", "forwarded",
        "keep-alive", "proxy-authorization", "te", "trailer", "traceparent", "tracestate", "transfer-encoding",
        "upgrade",
        "user-agent", "via", "x-amzn-trace-id", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    ]
}

extension AWSSigner {
    /// Returns a presigned URL.
    ///
    /// It has the signature in its query, and can be used without credentials.
    ///
    /// ```swift
    /// let plan = Request.get("https://garden.s3.amazonaws.com/plan.pdf")
    /// let link = try await signer.presignedURL(for: plan, validFor: .seconds(3600))
    /// ```
    ///
    /// The URL must be used with the same method and the same values of the request's fields.
    ///
    /// - Parameters:
    ///   - request: The request. Its target must be absolute and complete, without path or query arguments, and its
    ///     fields must be complete. The only option that it may have is ``HTTPChainCore/Request/signing(payload:)``.
    ///   - lifetime: The time for which the URL is valid, in whole seconds, from 1 second to 7 days.
    /// - Returns: The URL. While it is valid, it is as sensitive as a password.
    /// - Throws: ``SigningError``; rethrows errors from reading the content.
    public func presignedURL(for request: Request, validFor lifetime: Duration) async throws -> Secret {
        guard !request.options.hasUnreadTarget else {
            throw SigningError(
                .unsupportedTarget(
                    "it has path or query arguments, which only URLBuilderMiddleware puts into a URL; write them into "
                        + "the URL"
                )
            )
        }
        let unread =
            request.options.isChecked ? [] : request.options.expressions(notReadBy: [SigningPayloadOption.self])
        guard unread.isEmpty else {
            throw SigningError(
                .unsupportedSetting(
                    unread.joined(separator: ", "),
                    reason: "a presigned URL is made without the stages that read it"
                )
            )
        }
        let credentials = try await credentials.credentials(for: request)
        return Secret(Request(head: try await signQuery(of: request, credentials, lifetime)).url)
    }
}

/// The treatment of content in an AWS signature for one request; see ``HTTPChainCore/Request/signing(payload:)``.
package enum SigningPayloadOption: RequestOption {
    /// The signer's own setting.
    package static var defaultValue: CallSetting<AWSPayload> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".signing(payload:)", reader: "SigningMiddleware(AWSSigner(…), for: …)", phase: .sign)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.needsNoStage
    }
}

extension Request {
    /// Returns the request with a setting for whether the AWS signature covers its content.
    ///
    /// ```swift
    /// try await chain.send(.put(url, body: upload).signing(payload: .unsigned))
    /// ```
    ///
    /// For S3, `.signed` throws a ``SigningError`` if the signature is in the query.
    public consuming func signing(payload: AWSPayload) -> Request {
        options[SigningPayloadOption.self] = .value(payload)
        return self
    }
}

extension HTTPField.Name {
    static let amzDate = Self(constant: "X-Amz-Date")
    static let amzSecurityToken = Self(constant: "X-Amz-Security-Token")
    static let amzContentSHA256 = Self(constant: "X-Amz-Content-SHA256")
}

extension AWSPayload: CustomStringConvertible, DescribedValue {
    /// A short name of the treatment.
    package var words: String {
        switch self {
        case .signed: "signed"
        case .unsigned: "not signed"
        }
    }
}
