import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Observes the body of one response.
final class BodyProbe: Sendable {
    private struct State {
        var isReleased = false
        var isEnded = false
    }
    private let state = Locked(State())

    /// Whether the body was released or read to its end.
    var isSettled: Bool { state.withLock { $0.isReleased || $0.isEnded } }

    /// Returns a one-shot body that returns these bytes in several chunks, and then throws the error if there is one.
    func body(_ bytes: Data, error: (any Error)? = nil) -> HTTPBody {
        let lifeline = Lifeline { [state] in state.withLock { $0.isReleased = true } }
        return .once(length: Int64(bytes.count)) { [state] in
            ProbedReader(bytes: bytes, error: error, lifeline: lifeline) { state.withLock { $0.isEnded = true } }
        }
    }
}

private struct ProbedReader: BodyReader {
    var bytes: Data
    let error: (any Error)?
    let lifeline: Lifeline
    let onEnd: @Sendable () -> Void

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if bytes.isEmpty || (error != nil && bytes.count == 1) {
            onEnd()
            if let error { throw error }
            return nil
        }
        // If an error follows, the last byte isn't returned, so that the body ends before its declared length.
        let chunk = bytes.prefix(max(1, (bytes.count - (error == nil ? 0 : 1) + 1) / 2))
        bytes = bytes.dropFirst(chunk.count)
        return chunk
    }
}

/// The rest of the chain in conformance checks; it answers calls according to a script, and observes its responses.
final class ConformanceNext: Transport {
    /// The behaviour for calls.
    enum Behaviour: Sendable {
        /// Returns the answers in order, and repeats the last one.
        ///
        /// If there is an error, the bodies break with it before their end.
        case answer([StageHarness.Answer], breaking: (any Error)? = nil)
        /// Throws immediately.
        case fail(any Error)
        /// Waits until the call is cancelled.
        case suspend
    }

    struct State: Sendable {
        var callCount = 0
        var suspendedCount = 0
        var bodyWasReadTwice = false
        /// Whether `next` was called while an earlier call's response was open.
        var overlaps = false
        var probes: [BodyProbe] = []
        var bodies: [Data] = []
        var isClosed = false
    }

    /// The number of calls of `next` in one call after which a stage is considered endless.
    static let callLimit = 1000

    let capabilities: TransportCapabilities = [.streamsUploads, .keepsRepeatedFields]
    let state = Watched(State())
    private let behaviour: Behaviour
    /// The time for which a call waits until earlier responses are closed, as under a concurrency limit of one; nil if
    /// it doesn't wait.
    private let patience: Patience?

    init(_ behaviour: Behaviour, limitedToOne patience: Patience? = nil) {
        self.behaviour = behaviour
        self.patience = patience
    }

    /// Ends every suspended call, for a stage that does not end by itself.
    func close() {
        state.update { $0.isClosed = true }
    }

    func send(_ request: consuming Request) async throws -> Response {
        let index = state.update { state in
            state.callCount += 1
            return state.callCount - 1
        }
        try Task.checkCancellation()
        guard index < Self.callLimit else { throw CancellationError() }
        if let patience {
            let isFree = try await patience.settle { state.value.probes.allSatisfy(\.isSettled) }
            if !isFree { state.update { $0.overlaps = true } }
        }
        try await read(request.body)
        switch behaviour {
        case .suspend:
            state.update { $0.suspendedCount += 1 }
            try await state.wait { $0.isClosed ? () : nil }
            throw CancellationError()
        case .fail(let error):
            throw error
        case .answer(let answers, let error):
            return try await respond(to: request, with: answers[min(index, answers.count - 1)], error: error)
        }
    }

    /// Reads the body as a transport does.
    ///
    /// A typed value is skipped, because there is no serializer to encode it.
    private func read(_ body: HTTPBody) async throws {
        guard body.value == nil else { return }
        do {
            for try await _ in body {}
        } catch let error as BodyError where error.problem == .alreadyRead {
            state.update { $0.bodyWasReadTwice = true }
            throw error
        }
    }

    private func respond(
        to request: borrowing Request,
        with answer: StageHarness.Answer,
        error: (any Error)?
    ) async throws -> Response {
        var response = try await answer.response(to: copy request)
        response.headers[.conformanceCall] = request.head.headerFields[.conformanceCall]
        let bytes = try await response.body.collect()
        guard !bytes.isEmpty else { return response }
        let probe = BodyProbe()
        response.body = probe.body(bytes, error: error)
        state.update { state in
            state.probes.append(probe)
            state.bodies.append(bytes)
        }
        return response
    }
}

extension HTTPField.Name {
    /// The field that distinguishes the calls of one check.
    static let conformanceCall = Self(constant: "x-conformance-call")
}
