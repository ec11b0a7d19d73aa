import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
import RawStructuredFieldValues

/// Signs requests by HTTP Message Signatures (RFC 9421): `Signature-Input` and `Signature`.
///
/// ```swift
/// SigningMiddleware(
///     .messageSignature(key, covering: [.method, .targetURI, .contentDigest]),
///     for: "https://api.example.com"
/// )
/// ```
///
/// Each signature has the time at which it was made. `Date`, where it is covered and missing, is set; `Host` and
/// `Content-Length` are signed as the transport will write them. A `Content-Digest` that is covered must be there,
/// unless the request has no content.
public struct MessageSigner: RequestSigner {
    /// The signatures that a server may ask for with `Accept-Signature` (RFC 9421 §5).
    public enum Requests: Sendable, Hashable {
        /// Nothing: its field is not looked at.
        case ignored
        /// Components and parameters beyond those of the signer: in the requests that follow, and in one that the
        /// server has answered with 401.
        case followed
    }

    private let key: MessageSigningKey
    private let label: String
    private let components: [SignatureComponent]
    private let optional: [SignatureComponent]
    private let lifetime: Duration?
    private let hasNonce: Bool
    private let namesAlgorithm: Bool
    private let tag: String?
    private let types: [String: StructuredFieldType]
    private let requests: Requests
    private let asked = AskedSignatures()
    private let fault: SigningError?

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - components: What each signature covers; a request that lacks one of these fails.
    ///   - optional: What it covers where the request has it; nothing by default.
    ///   - label: The name of the signature among others of the message; "sig" by default.
    ///   - lifetime: How long it is valid (`expires`); it does not say by default.
    ///   - hasNonce: Whether each has a `nonce`, so that the server can tell a request that is sent again by somebody
    ///     else; `false` by default.
    ///   - namesAlgorithm: Whether it declares its algorithm (`alg`), which the key tells anyway; `false` by default.
    ///   - tag: The application that it is for; none by default.
    ///   - types: The types of structured fields that are not registered, for components that are `structured`.
    ///   - requests: Whether the server may ask for more; it may not by default.
    public init(
        _ key: MessageSigningKey,
        covering components: [SignatureComponent],
        whenPresent optional: [SignatureComponent] = [],
        label: String = "sig",
        expiresAfter lifetime: Duration? = nil,
        hasNonce: Bool = false,
        namesAlgorithm: Bool = false,
        tag: String? = nil,
        structuredFields types: [HTTPField.Name: StructuredFieldType] = [:],
        acceptSignature requests: Requests = .ignored
    ) {
        self.key = key
        self.label = label
        self.components = components
        self.optional = optional
        self.lifetime = lifetime
        self.hasNonce = hasNonce
        self.namesAlgorithm = namesAlgorithm
        self.tag = tag
        self.types = Dictionary(types.map { ($0.key.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first })
        self.requests = requests
        fault = Self.fault(in: components + optional, label: label, keyID: key.id, tag: tag)
    }

    /// "HTTP message signatures".
    public var summary: String { "HTTP message signatures" }

    /// The key's name, and what is covered.
    public var settings: [StageSummary.Setting] {
        var settings = [
            StageSummary.Setting(name: "by", value: "\(key)"),
            StageSummary.Setting(name: "covers", value: components.map(\.description).joined(separator: " ")),
        ]
        if requests == .followed { settings.append(StageSummary.Setting(name: "Accept-Signature", value: "followed")) }
        return settings
    }

    /// It does: a key that is kept elsewhere is asked within the deadline.
    public var keepsDeadlines: Bool { true }

    /// Adds a signature.
    ///
    /// - Throws: ``SigningError``.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
        let asked = requests == .followed ? asked.signature(for: origin) : nil
        let label = asked?.label ?? label
        guard try !SignatureFields.labels(in: request.headers).contains(label) else {
            throw SigningError(.labelInUse(label))
        }
        let now = request.environment.time.date
        setDate(of: &request, now: now, asked?.components ?? [])
        let message = SignedMessage(request.head, contentLength: try await contentLength(of: request))
        let value = ComponentValue(message: message, types: types)
        var parameters = SignatureParameters(try covered(by: asked, in: request, value))
        parameters.created = now
        parameters.expires = lifetime.map { now.addingTimeInterval($0 / .seconds(1)) }
        parameters.keyID = key.id
        if namesAlgorithm || asked?.namesAlgorithm == true { parameters.algorithm = key.algorithm }
        if hasNonce || asked?.hasNonce == true {
            parameters.nonce = asked?.nonce ?? Base64URL.encode(request.environment.random.bytes(16))
        }
        parameters.tag = asked?.tag ?? tag
        if asked?.expires == true, parameters.expires == nil { parameters.expires = now.addingTimeInterval(300) }
        let text = try parameters.innerList().text()
        let base = try SignatureBase.text(of: parameters.components, parameters: text, value)
        let signature = try await signature(of: Data(base.utf8), request)
        append("\(label)=\(text)", to: .signatureInput, of: &request)
        append("\(label)=:\(signature.base64EncodedString()):", to: .signature, of: &request)
        request.bindFields([.signatureInput, .signature], to: origin)
    }

    private func append(_ member: String, to name: HTTPField.Name, of request: inout Request) {
        request.headers[name] = request.headers[name].map { "\($0), \(member)" } ?? member
    }

    /// RFC 9421 §2.1: a client that covers `Date` sends it.
    private func setDate(of request: inout Request, now: Date, _ asked: [SignatureComponent]) {
        guard !request.headers.contains(.date),
            (components + asked).contains(where: { $0.name == "date" && !$0.isFromRequest })
        else { return }
        request.headers[.date] = HTTPDate(now).description
    }

    private func contentLength(of request: Request) async throws -> Int64? {
        guard !request.headers.contains(.contentLength), !request.body.isEmpty,
            (components + optional).contains(where: { $0.name == "content-length" })
        else { return nil }
        return try await request.body.measuredLength()
    }

    /// The components of one request: those that must be there, and the others that are.
    private func covered(
        by asked: AskedSignature?,
        in request: Request,
        _ value: ComponentValue
    ) throws -> [SignatureComponent] {
        var covered: [SignatureComponent] = []
        for component in components where !covered.contains(component) {
            // RFC 9530 §2: content that is not there needs no digest.
            if component.name == "content-digest", request.body.isEmpty, !request.headers.contains(.contentDigest) {
                continue
            }
            covered.append(component)
        }
        // What a server asks for and the request lacks is left out: nobody can make calls fail by asking.
        for component in (asked?.components ?? []) + optional {
            if !covered.contains(component), (try? value(component)) != nil { covered.append(component) }
        }
        return covered
    }

    private func signature(of base: Data, _ request: Request) async throws -> Data {
        do {
            switch key.operation {
            case .immediate(let sign): return try sign(base)
            case .waiting(let sign): return try await request.withinDeadline { try await sign(base) }
            }
        } catch let error as CancellationError {
            throw error
        } catch let error as TimeoutError {
            throw error
        } catch {
            throw SigningError(.keyFailed, cause: error)
        }
    }

    /// The origins that may ask for more.
    public var looksAtResponses: Bool { requests == .followed }

    /// Remembers what the server asks for, and has a request that it rejected signed anew.
    public func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool {
        guard response.headers.contains(.acceptSignature) else { return false }
        let isNew = asked.note(response.headers, from: origin, for: key, tag: tag)
        return isNew && response.status == .unauthorized
    }

    /// The problems of the signer's own settings.
    public func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
        guard let fault else { return [] }
        return [ChainProblem(stage: stage, problem: fault.reason, fix: "change what the signature covers or says")]
    }

    private static func fault(
        in components: [SignatureComponent],
        label: String,
        keyID: String?,
        tag: String?
    ) -> SigningError? {
        do {
            for component in components {
                try component.check()
                guard component.name != "@status", !component.isFromRequest else {
                    return SigningError(
                        .unsupportedComponent(
                            component.description,
                            reason: "it is of a response, and requests are signed"
                        )
                    )
                }
            }
            var parameters = SignatureParameters(components)
            parameters.keyID = keyID
            parameters.tag = tag
            let list = parameters.innerList()
            _ = try list.text()
            var serializer = StructuredFieldValueSerializer()
            guard !label.isEmpty, (try? serializer.writeDictionaryFieldValue([label: .innerList(list)])) != nil else {
                return SigningError(.unsupportedComponent(label, reason: "it is no label"))
            }
            return nil
        } catch {
            return error
        }
    }
}

extension RequestSigner where Self == MessageSigner {
    /// HTTP Message Signatures (RFC 9421), by a ``MessageSigner`` with these settings.
    public static func messageSignature(
        _ key: MessageSigningKey,
        covering components: [SignatureComponent],
        whenPresent optional: [SignatureComponent] = [],
        label: String = "sig",
        expiresAfter lifetime: Duration? = nil,
        hasNonce: Bool = false,
        namesAlgorithm: Bool = false,
        tag: String? = nil,
        structuredFields types: [HTTPField.Name: StructuredFieldType] = [:],
        acceptSignature requests: MessageSigner.Requests = .ignored
    ) -> MessageSigner {
        MessageSigner(
            key,
            covering: components,
            whenPresent: optional,
            label: label,
            expiresAfter: lifetime,
            hasNonce: hasNonce,
            namesAlgorithm: namesAlgorithm,
            tag: tag,
            structuredFields: types,
            acceptSignature: requests
        )
    }
}
