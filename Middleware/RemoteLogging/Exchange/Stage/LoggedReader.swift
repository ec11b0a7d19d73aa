import Foundation
import HTTPChainCore

/// Reports when a response's body has ended or broken.
struct LoggedReader: BodyReader {
    /// `nil` after the body has ended or broken.
    var inner: (any BodyReader)?
    let recorder: ExchangeRecorder
    let interest: BodyInterest?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        do {
            if let chunk = try await inner?.read() { return chunk }
            inner = nil
            recorder.end(.complete)
            return nil
        } catch {
            recorder.end(.broken, error: error)
            throw error
        }
    }
}

/// An object that exists as long as the body can still be read to its end.
///
/// Its release reports that this is no longer possible.
final class BodyInterest: Sendable {
    private let recorder: ExchangeRecorder

    init(_ recorder: ExchangeRecorder) {
        self.recorder = recorder
    }

    deinit {
        recorder.end(.dropped)
    }
}
