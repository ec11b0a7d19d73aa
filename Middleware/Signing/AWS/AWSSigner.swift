import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The treatment of content in an AWS signature.
public enum AWSPayload: Sendable, Hashable, CustomStringConvertible {
    /// Covered by its hash: the content is read once before it is sent.
    case signed
    /// Not covered (`UNSIGNED-PAYLOAD`), for content that can be read only once; S3 accepts it over TLS.
    case unsigned

    /// The treatment, in a word.
    public var description: String {
        switch self {
        case .signed: "signed"
        case .unsigned: "not signed"
        }
    }
}

/// Signs requests by AWS Signature Version 4, for AWS and services that work alike.
///
/// ```swift
/// SigningMiddleware(
///     .aws(region: "eu-central-1", service: "s3", credentials: .asking { try await vault.credentials() }),
///     for: "https://garden.s3.eu-central-1.amazonaws.com"
/// )
/// ```
///
/// All fields of the request are covered, but for those that intermediaries change (`User-Agent`, `Accept-Encoding`,
/// `Connection`, trace context and the like). `Authorization` is replaced: a bearer stage for the same origin makes no
/// sense.
///
/// The query, and for S3 the path, are sent with every character percent-encoded that is encoded where they are signed:
/// `?a=b+c` goes out as `?a=b%2Bc`, because some servers would read the plus sign as a space.
public struct AWSSigner: RequestSigner {
    /// The place of the signature in a request.
    public enum Placement: Sendable, Hashable {
        /// The field `Authorization`.
        case field
        /// The query, as in a presigned URL, valid so long.
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
    ///   - service: The service by its name in signatures, such as `s3` or `execute-api`. For `s3` paths are not
    ///     normalized and not encoded twice, and the hash of the content is sent.
    ///   - credentials: The credentials, or where they come from.
    ///   - payload: Whether the content is covered; it is by default.
    ///   - placement: Where the signature stands; in `Authorization` by default.
    ///   - leeway: How long before their end credentials are replaced; a minute by default.
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

    /// "AWS Signature Version 4".
    public var summary: String { "AWS Signature Version 4" }

    /// Region, service, and what becomes of content.
    public var settings: [StageSummary.Setting] {
        [
            StageSummary.Setting(name: "region", value: region), StageSummary.Setting(name: "service", value: service),
            StageSummary.Setting(name: "payload", value: "\(payload)"),
        ]
    }

    /// It does: credentials are asked for within the deadline.
    public var keepsDeadlines: Bool { true }

    /// Adds the time, the hash of the content where it is sent, the session's token and the signature.
    ///
    /// - Throws: ``SigningError``; what reading the content throws.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
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
        let signature = AWSSignature(region: region, service: service, date: request.environment.time.date)
        let payload = service == "s3" ? AWSSignature.unsignedPayload : try await payloadHash(of: request)
        var head = request.head
        let fields = Self.signable(head.headerFields)
        let unsigned = try AWSCanonicalRequest(head, path: path, fields: fields, payload: payload)
        let encode = { (text: String) in AWSCanonicalRequest.encode(Array(text.utf8)) }
        var query = [
            "X-Amz-Algorithm=\(AWSSignature.algorithm)",
            "X-Amz-Credential=\(encode("\(credentials.accessKeyID)/\(signature.scope)"))",
            "X-Amz-Date=\(signature.timestamp)", "X-Amz-Expires=\(Self.seconds(lifetime))",
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
        switch request.options[AWSPayloadChoice.self] ?? payload {
        case .unsigned: return AWSSignature.unsignedPayload
        case .signed:
            if request.body.isEmpty { return AWSSignature.emptyPayload }
            let hash = try await ContentPass.read(request.body, into: SHA256())
            return AWSSignature.text(hash.finalize().hexadecimal)
        }
    }

    /// From a second to a week, which is all that AWS accepts.
    private static func seconds(_ lifetime: Duration) -> Int64 {
        min(max(lifetime.components.seconds, 1), 604_800)
    }

    /// The fields that nobody on the way is expected to change.
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
    /// The URL of a request with its signature in the query, for somebody who has no credentials (a presigned URL).
    ///
    /// ```swift
    /// let plan = Request.get("https://garden.s3.amazonaws.com/plan.pdf")
    /// let link = try await signer.presignedURL(for: plan, validFor: .seconds(3600))
    /// ```
    ///
    /// Whoever uses it sends the same method, and the fields of the request with the same values.
    ///
    /// - Parameters:
    ///   - request: The request; its target is absolute.
    ///   - lifetime: How long it is valid: a second at least, a week at most.
    /// - Returns: The URL, which is as good as a password while it is valid.
    /// - Throws: ``SigningError``; what reading the content throws.
    public func presignedURL(for request: Request, validFor lifetime: Duration) async throws -> Secret {
        let credentials = try await credentials.credentials(for: request)
        return Secret(Request(head: try await signQuery(of: request, credentials, lifetime)).url)
    }
}

/// The treatment of content in an AWS signature for one request; see ``HTTPChainCore/Request/signingPayload(_:)``.
public enum AWSPayloadChoice: RequestOption {
    /// As the signer is set.
    public static var defaultValue: AWSPayload? { nil }
}

extension Request {
    /// The request with its content in the AWS signature, or not.
    ///
    /// ```swift
    /// try await chain.send(.put(url, body: upload).signingPayload(.unsigned))
    /// ```
    public consuming func signingPayload(_ payload: AWSPayload) -> Request {
        options[AWSPayloadChoice.self] = payload
        return self
    }
}

extension RequestSigner where Self == AWSSigner {
    /// AWS Signature Version 4; see ``AWSSigner/init(region:service:credentials:payload:placement:leeway:)``.
    public static func aws(
        region: String,
        service: String,
        credentials: any AWSCredentialProvider,
        payload: AWSPayload = .signed,
        placement: AWSSigner.Placement = .field,
        leeway: Duration = .seconds(60)
    ) -> AWSSigner {
        AWSSigner(
            region: region,
            service: service,
            credentials: credentials,
            payload: payload,
            placement: placement,
            leeway: leeway
        )
    }
}

extension HTTPField.Name {
    static let amzDate = Self(constant: "X-Amz-Date")
    static let amzSecurityToken = Self(constant: "X-Amz-Security-Token")
    static let amzContentSHA256 = Self(constant: "X-Amz-Content-SHA256")
}
