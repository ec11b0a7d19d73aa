import Foundation
import HTTPChainCore
import HTTPChainGzip

/// Encoded content.
///
/// It decodes to the same however the bytes are divided, never to more than the limit; what fails, fails with a typed
/// error either way. What the coding itself makes of the input decodes to the input.
func checkDecoding(_ input: Input, _ codings: [ContentCoding], encoding encoder: ContentCoding) -> Int32 {
    // No limit of the ratio: that one does depend on how much has arrived.
    let size = 65_536
    let limits = DecodingLimits(maximumSize: ByteCount(Int64(size)), maximumRatio: .max)
    for coding in codings {
        let whole = decoded([input.bytes], coding, limits)
        let divided = decoded(input.pieces, coding, limits)
        // How much is handed on before a failure is not part of the promise.
        require(whole.failed == divided.failed, "divided, \(whole) became \(divided)")
        require(whole.failed || whole.bytes == divided.bytes, "divided, \(whole) became \(divided)")
        for outcome in [whole, divided] {
            require(outcome.bytes.count <= size, "\(outcome.bytes.count) bytes")
        }
    }
    let again = decoded(encoded(input.pieces, encoder), encoder, limits)
    require(
        !again.failed && again.bytes == input.bytes,
        "encoded and decoded, \(input.bytes.count) bytes became \(again)"
    )
    return 0
}

private struct Outcome: Sendable {
    var bytes = Data()
    var failed = false
}

private func decoded(_ pieces: [Data], _ coding: ContentCoding, _ limits: DecodingLimits) -> Outcome {
    read(HTTPBody.pieces(pieces).decoded(from: [coding], limits: limits)).outcome
}

private func encoded(_ pieces: [Data], _ coding: ContentCoding) -> [Data] {
    let (outcome, chunks) = read(HTTPBody.pieces(pieces).encoded(with: coding))
    require(!outcome.failed, "encoding failed")
    return chunks
}

private func read(_ body: HTTPBody) -> (outcome: Outcome, chunks: [Data]) {
    finish {
        var outcome = Outcome()
        var chunks: [Data] = []
        do {
            for try await chunk in body {
                outcome.bytes += chunk
                chunks.append(chunk)
            }
        } catch {
            require(error is ContentCodingError, "an error of another kind: \(error)")
            outcome.failed = true
        }
        return (outcome, chunks)
    }
}
