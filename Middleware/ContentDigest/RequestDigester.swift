import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Adds digests of its content to a request.
struct RequestDigester {
    let fields: [DigestField]
    let oneShotBodies: OneShotDigestPolicy
    let redaction: Redaction
    /// Where long chunks are hashed.
    var executor = FileExecutor.shared

    /// From so many bytes on, hashing is left to a thread that may take its time.
    private static let longChunk = 32_768

    func addDigests(to request: inout Request) async throws {
        let missing = missingFields(in: request)
        guard !missing.isEmpty else { return }
        if !request.body.isReplayable {
            switch oneShotBodies {
            case .refused:
                throw ContentDigestError(
                    .bodyReadableOnce,
                    exchange: ExchangeSnapshot(request.head, redaction: redaction)
                )
            case .skipped: return
            case .buffered(let limit): request.body = try await request.body.buffered(upTo: limit)
            }
        }
        var hashes = ContentHashes(missing.map(\.hash))
        var reader = try await request.body.makeReader()
        while let chunk = try await reader.read() {
            try Task.checkCancellation()
            if chunk.count < Self.longChunk {
                hashes.update(chunk)
            } else {
                // A body in memory is never waited for: hashed here, a large one would keep a thread of Swift's busy.
                hashes = try await executor.run { [hashes] in
                    var hashes = hashes
                    hashes.update(chunk)
                    return hashes
                }
            }
        }
        try write(missing, hashes, to: &request.head.headerFields)
    }

    /// What the caller gave stays; and a part of a representation (RFC 9110 §14.5) does not tell the digest of it all.
    private func missingFields(in request: Request) -> [DigestField] {
        let method = request.head.method
        guard !request.body.isEmpty || [.post, .put, .patch].contains(method) else { return [] }
        let given = request.head.headerFields
        let isPart = given.contains(.contentRange)
        return fields.filter { field in
            if given.contains(field.name) { return false }
            if case .reprDigest = field { return !isPart }
            return true
        }
    }

    private func write(_ fields: [DigestField], _ hashes: ContentHashes, to head: inout HTTPFields) throws {
        // `HTTPFields` ends the process when it has one field too many.
        guard head.count < HTTPFields.capacity - 3 else { return }
        var content: [(ContentDigestAlgorithm, Data)] = []
        var representation: [(ContentDigestAlgorithm, Data)] = []
        for field in fields {
            let digest = hashes.digest(field.hash)
            switch field {
            case .contentDigest(let algorithm): content.append((algorithm, digest))
            case .reprDigest(let algorithm): representation.append((algorithm, digest))
            case .contentMD5: head[.contentMD5] = digest.base64EncodedString()
            }
        }
        if !content.isEmpty { head[.contentDigest] = try DigestFieldValue.dictionary(content) }
        if !representation.isEmpty { head[.reprDigest] = try DigestFieldValue.dictionary(representation) }
    }
}
