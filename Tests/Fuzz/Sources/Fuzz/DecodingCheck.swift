import Dispatch
import Foundation
import HTTPChainCore
import HTTPChainGzip

/// Compressed content.
///
/// It decodes to the same however the bytes are divided, never to more than the limit; what fails, fails with a typed
/// error either way.
func checkGunzip(_ input: Input) -> Int32 {
    // No limit of the ratio: that one does depend on how much has arrived.
    let limits = DecodingLimits(maximumSize: 65_536, maximumRatio: .max)
    for coding in [ContentCoding.gzip, .deflate] {
        let whole = decoded([input.bytes], coding, limits)
        let divided = decoded(input.pieces, coding, limits)
        // How much is handed on before a failure is not part of the promise.
        require(whole.failed == divided.failed, "divided, \(whole) became \(divided)")
        require(whole.failed || whole.bytes == divided.bytes, "divided, \(whole) became \(divided)")
        for outcome in [whole, divided] {
            require(outcome.bytes.count <= Int(limits.maximumSize.bytes), "\(outcome.bytes.count) bytes")
        }
    }
    return 0
}

private struct Outcome: Sendable {
    var bytes = Data()
    var failed = false
}

/// The fuzzer calls from a thread that is no task's, so it may wait for one.
private func decoded(_ pieces: [Data], _ coding: ContentCoding, _ limits: DecodingLimits) -> Outcome {
    let body = HTTPBody.replayable { PieceReader(rest: pieces.filter { !$0.isEmpty }[...]) }
        .decoded(from: [coding], limits: limits)
    let outcome = Locked(Outcome())
    let done = DispatchSemaphore(value: 0)
    Task {
        var read = Outcome()
        do {
            for try await chunk in body { read.bytes += chunk }
        } catch {
            require(error is ContentCodingError, "an error of another kind: \(error)")
            read.failed = true
        }
        outcome.withLock { [read] in $0 = read }
        done.signal()
    }
    done.wait()
    return outcome.withLock { $0 }
}

private struct PieceReader: BodyReader {
    var rest: ArraySlice<Data>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        rest.popFirst()
    }
}
