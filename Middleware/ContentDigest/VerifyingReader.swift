import Foundation
import HTTPChainCore

/// Returns the data of another reader, and compares its digests at the end.
struct VerifyingReader: BodyReader {
    private var inner: (any BodyReader)?
    private var hashes: ContentHashes
    private let expected: [DigestField: Data]
    private let exchange: @Sendable () -> ExchangeSnapshot
    private var failure: (any Error)?

    init(
        _ inner: sending any BodyReader,
        _ expected: [DigestField: Data],
        exchange: @escaping @Sendable () -> ExchangeSnapshot
    ) {
        self.inner = inner
        self.expected = expected
        self.exchange = exchange
        hashes = ContentHashes(expected.keys.map(\.hash))
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        do {
            if let chunk = try await inner?.read() {
                hashes.update(chunk)
                return chunk
            }
            if inner != nil { try verify() }
            inner = nil
            return nil
        } catch {
            failure = error
            inner = nil
            throw error
        }
    }

    private func verify() throws(ContentDigestError) {
        for (field, digest) in expected.sorted(by: { $0.key.description < $1.key.description }) {
            let actual = hashes.digest(field.hash)
            guard actual == digest else {
                let problem = ContentDigestError.Problem.mismatch(
                    field: field,
                    expected: digest.base64EncodedString(),
                    actual: actual.base64EncodedString()
                )
                throw ContentDigestError(problem: problem, failedExchange: exchange())
            }
        }
    }
}
