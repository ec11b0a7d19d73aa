import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Adds digests of the content to a request.
struct RequestDigester {
    let fields: [DigestField]
    let oneShotBodies: OneShotDigestPolicy
    let redaction: Redaction
    /// The executor for hashing long chunks.
    var executor = FileExecutor.shared

    /// The chunk size from which hashing runs on a separate thread.
    private static let longChunk = 32_768

    func addDigests(to request: inout Request) async throws {
        let missing = missingFields(in: request)
        guard !missing.isEmpty else { return }
        if !request.body.isReplayable {
            switch oneShotBodies {
            case .refused:
                throw ContentDigestError(
                    problem: .bodyReadableOnce,
                    failedExchange: ExchangeSnapshot(request.head, redaction: redaction)
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
                // Reading a body in memory never suspends, so hashing a large chunk here would block a thread of
                // Swift's pool.
                hashes = try await executor.run { [hashes] in
                    var hashes = hashes
                    hashes.update(chunk)
                    return hashes
                }
            }
        }
        try write(missing, hashes, to: &request.head.headerFields)
    }

    /// Returns the fields to add.
    ///
    /// The caller's own fields are kept. `Repr-Digest` can't be computed from a part of a representation (RFC 9110
    /// §14.5).
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
        // Adding too many fields to `HTTPFields` ends the process.
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
