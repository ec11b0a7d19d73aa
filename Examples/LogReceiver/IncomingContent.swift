import FlyingFox
import Foundation
import HTTPChain

/// Reads the content of requests, within limits.
struct IncomingContent {
    /// The maximum size of content as sent.
    static let sizeLimit = ByteCount.mebibytes(4)
    /// The maximum size of decompressed content.
    static let decodedLimit = ByteCount.mebibytes(8)
    /// The number of excess bytes that are read and discarded if content is too large, so that its sender gets the
    /// response.
    static let patience = ByteCount.mebibytes(32)
    /// The time limit for sending content.
    static let timeout = Duration.seconds(10)

    /// Returns the whole content without decoding it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size.
    static func read(_ request: HTTPRequest, upTo limit: ByteCount = sizeLimit) async throws -> Data {
        if request.bodySequence.count == 0 { return Data() }
        let bytes = request.bodySequence
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await collect(bytes, limit) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw Refusal(status: .requestTimeout, reason: "The content took longer than \(timeout).", closes: true)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }

    private static func collect(_ bytes: HTTPBodySequence, _ limit: ByteCount) async throws -> Data {
        var content = Data()
        var count = 0
        for try await chunk in bytes {
            count += chunk.count
            if count <= limit.bytes {
                content.append(chunk)
            } else if count > limit.bytes + patience.bytes {
                throw tooLarge(limit, closes: true)
            } else {
                content = Data()
            }
        }
        guard count <= limit.bytes else { throw tooLarge(limit, closes: false) }
        return content
    }

    private static func tooLarge(_ limit: ByteCount, closes: Bool) -> Refusal {
        Refusal(
            status: .payloadTooLarge,
            reason: "The content is larger than \(limit): send less at a time.",
            closes: closes
        )
    }

    /// Decodes content according to its `Content-Encoding`.
    static func decode(_ content: Data, _ contentEncoding: String?) async throws -> Data {
        var codings: [ContentCoding] = []
        for part in (contentEncoding ?? "").split(separator: ",").reversed() {
            let name = part.trimmingCharacters(in: .whitespaces)
            if name.isEmpty || name.lowercased() == "identity" { continue }
            guard let coding = [ContentCoding.gzip, .deflate].first(where: { $0.isNamed(name) }), codings.count < 2
            else {
                throw Refusal(
                    status: .unsupportedMediaType,
                    reason: "Content-Encoding: \(contentEncoding ?? "") is not supported: use gzip, deflate or none."
                )
            }
            codings.append(coding)
        }
        guard !codings.isEmpty else { return content }
        let limits = DecodingLimits(maximumSize: decodedLimit)
        do {
            return try await HTTPBody(content).decoded(from: codings, limits: limits).collect(upTo: decodedLimit)
        } catch let error as ContentCodingError {
            switch error.problem {
            case .tooLarge, .ratioTooHigh:
                throw Refusal(
                    status: .payloadTooLarge,
                    reason: "The content is too large once decompressed: \(decodedLimit) at most, "
                        + "and \(limits.maximumRatio) bytes for each that is sent."
                )
            default: throw Refusal.malformed("The content cannot be decompressed: \(error.reason).")
            }
        }
    }
}
