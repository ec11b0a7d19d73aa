import Foundation
package import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
import RawStructuredFieldValues

/// Signs requests with HTTP Message Signatures, RFC 9421.
package struct MessageSigner: SignatureScheme {
    fileprivate let key: MessageSigningKey
    fileprivate let label: String
    fileprivate let components: [SignatureComponent]
    fileprivate let optional: [SignatureComponent]
    fileprivate let lifetime: Duration?
    fileprivate let hasNonce: Bool
    fileprivate let namesAlgorithm: Bool
    fileprivate let tag: String?
    fileprivate let types: [String: StructuredFieldType]
    fileprivate let followsRequests: Bool
    private let asked = AskedSignatures()
    fileprivate let fault: SigningError?

    /// Always "HTTP message signatures".
    package var schemeSummary: String { "HTTP message signatures" }

    /// The key's name, and the covered components.
    package var settings: [StageSummary.Setting] {
        var settings = [
            StageSummary.Setting(name: "by", value: key.description),
            StageSummary.Setting(name: "covers", value: components.map(\.description).joined(separator: " ")),
        ]
        if followsRequests { settings.append(StageSummary.Setting(name: "Accept-Signature", value: "followed")) }
        return settings
    }

    /// Always `true`: external keys are used within the deadline.
    package var keepsDeadlines: Bool { true }

    /// Adds a signature.
    ///
    /// - Throws: ``SigningError``.
    package func addSignature(to request: inout Request, for origin: Origin) async throws {
        let asked = followsRequests ? asked.signature(for: origin) : nil
        let label = asked?.label ?? label
        guard try !SignatureFields.labels(in: request.headers).contains(label) else {
            throw SigningError(.labelInUse(label))
        }
        let now = request.environment.time.date
        setDate(of: &request, now: now, asked?.components ?? [])
        let length = try await contentLength(of: request, asked?.components ?? [])
        let message = SignedMessage(request.head, contentLength: length)
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

    /// Sets `Date` if it is covered: a client that signs it must send it, RFC 9421 §2.1.
    private func setDate(of request: inout Request, now: Date, _ asked: [SignatureComponent]) {
        guard !request.headers.contains(.date),
            (components + asked).contains(where: { $0.name == "date" && !$0.isFromRequest })
        else { return }
        request.headers[.date] = HTTPDate(now).description
    }

    private func contentLength(of request: Request, _ asked: [SignatureComponent]) async throws -> Int64? {
        guard !request.headers.contains(.contentLength), !request.body.isEmpty,
            (components + optional + asked).contains(where: { $0.name == "content-length" && !$0.isFromRequest })
        else { return nil }
        return try await request.body.measuredLength()
    }

    /// Returns the components for a request: the required ones, and the optional ones that are present.
    private func covered(
        by asked: AskedSignature?,
        in request: Request,
        _ value: ComponentValue
    ) throws -> [SignatureComponent] {
        var covered: [SignatureComponent] = []
        for component in components where !covered.contains(component) {
            // RFC 9530 §2: if there is no content, no digest is needed.
            if component.name == "content-digest", request.body.isEmpty, !request.headers.contains(.contentDigest) {
                continue
            }
            covered.append(component)
        }
        // Requested components that the request lacks are skipped, so that a server can't make calls fail.
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
            // A closure that waits may report cancellation with its own error.
            try Task.checkCancellation()
            throw SigningError(.keyFailed, cause: error)
        }
    }

    /// Whether the signer follows `Accept-Signature`.
    package var looksAtResponses: Bool { followsRequests }

    /// Stores the signature that the server requests.
    ///
    /// Returns `true` if a request that was rejected with 401 should be signed again.
    package func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool {
        guard let head = response.receivedHead, head.headerFields.contains(.acceptSignature) else { return false }
        let isNew = asked.note(head.headerFields, from: origin, for: key, tag: tag)
        return isNew && head.status == .unauthorized
    }

    /// Returns problems with the signer's own settings.
    package func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
        guard let fault else { return [] }
        return [
            ChainProblem(
                stage: stage,
                problem: fault.reason,
                fix: "change the components or parameters of the signature"
            )
        ]
    }

    fileprivate static func fault(
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
                            reason: "it belongs to a response, but requests are signed"
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
                return SigningError(.unsupportedComponent(label, reason: "it is not a label"))
            }
            return nil
        } catch {
            return error
        }
    }
}

extension RequestSigner where Self == BuiltInSigner {
    /// Signs requests with HTTP Message Signatures (RFC 9421): `Signature-Input` and `Signature`.
    ///
    /// ```swift
    /// SigningMiddleware(
    ///     .messageSignature(key, covering: [.method, .targetURI, .contentDigest]),
    ///     for: "https://api.example.com"
    /// )
    /// ```
    ///
    /// Each signature contains its creation time. If `Date` is covered but missing, it is set. `Host` and
    /// `Content-Length` are signed with the values that the transport will send. A covered `Content-Digest` must be
    /// present, unless the request has no content.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - components: The components that each signature covers. A request that lacks one of them fails.
    ///   - optional: The components that are covered if the request has them. Defaults to none.
    ///   - label: The signature's label, which distinguishes it from others of the message. Defaults to "sig".
    ///   - lifetime: The time for which the signature is valid (`expires`). Defaults to none.
    ///   - hasNonce: Whether each signature has a `nonce`, so that the server can detect replayed requests. Defaults to
    ///     `false`.
    ///   - namesAlgorithm: Whether the signature declares its algorithm (`alg`), although the key already implies it.
    ///     Defaults to `false`.
    ///   - tag: The application that the signature is for. Defaults to none.
    ///   - types: The types of unregistered structured fields, for `structured` components.
    ///   - followsRequests: Whether the signer follows a server's `Accept-Signature` (RFC 9421 §5). If so, the
    ///     requested components and parameters are added to the signer's own, in later requests and in a retry after a
    ///     401 response. Defaults to `false`.
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
        acceptSignature followsRequests: Bool = false
    ) -> BuiltInSigner {
        let scheme = MessageSigner(
            key: key,
            label: label,
            components: components,
            optional: optional,
            lifetime: lifetime,
            hasNonce: hasNonce,
            namesAlgorithm: namesAlgorithm,
            tag: tag,
            types: Dictionary(types.map { ($0.key.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first }),
            followsRequests: followsRequests,
            fault: MessageSigner.fault(in: components + optional, label: label, keyID: key.id, tag: tag)
        )
        return BuiltInSigner(scheme: scheme)
    }
}
