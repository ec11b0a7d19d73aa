#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPTypes

/// The real transport with a defect that shows on the wire only.
struct BrokenOverNetwork: Transport {
    enum Defect: CaseIterable {
        case endsTruncatedBodiesSilently
        case collectsResponsesFirst
        case readsAheadWithoutBound
        case keepsUnreadResponses
        case claimsNothingWasSent
        case collectsUploadsFirst
        case takesNoLengthOnTrust
        case wrapsCancellationOfBodies
        case drainsInsteadOfEnding
        case hidesRefusals
        case passesRawErrors
        case saysDecodedButIsNot
    }

    let defect: Defect
    let inner = AsyncHTTPClientTransport()
    private let kept = Locked<[Response]>([])

    var capabilities: TransportCapabilities {
        defect == .saysDecodedButIsNot ? inner.capabilities.union(.decodesContent) : inner.capabilities
    }

    init(_ defect: Defect) {
        self.defect = defect
    }

    func send(_ request: consuming Request) async throws -> Response {
        if defect == .collectsUploadsFirst, request.body.value == nil {
            request.body = HTTPBody(try await request.body.collect(upTo: .unlimited))
        }
        if defect == .takesNoLengthOnTrust, !request.body.isEmpty, request.body.value == nil {
            request.body = request.body.transformed { $0 }
        }
        do {
            var response = try await inner.send(request)
            try await breakResponse(&response)
            return response
        } catch let error as TransportError {
            switch defect {
            case .claimsNothingWasSent: throw TransportError(error.kind, sent: .nothing, stage: name)
            case .passesRawErrors: throw error.underlyingError ?? error
            case .hidesRefusals: return Response(.serviceUnavailable)
            default: throw error
            }
        }
    }

    private func breakResponse(_ response: inout Response) async throws {
        let body = response.body
        switch defect {
        case .endsTruncatedBodiesSilently:
            response.body = body.transformed { ForgivingReader(inner: $0) }
        case .wrapsCancellationOfBodies:
            response.body = body.transformed { WrappingReader(inner: $0) }
        case .collectsResponsesFirst:
            response.body = HTTPBody(try await body.collect(upTo: .unlimited))
        case .keepsUnreadResponses:
            let copy = response
            kept.withLock { $0.append(copy) }
        case .takesNoLengthOnTrust:
            response.body = body.transformed { $0 }
        case .readsAheadWithoutBound, .drainsInsteadOfEnding:
            // Nobody ends this task: that is the defect.
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            Task {
                do {
                    for try await chunk in body { continuation.yield(chunk) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            response.body = .once(length: body.length, chunks: stream)
        default:
            break
        }
    }
}

/// Takes a failure for the end.
private struct ForgivingReader: BodyReader {
    var inner: any BodyReader

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        do { return try await inner.read() } catch { return nil }
    }
}

/// Takes cancellation for a failure of the connection.
private struct WrappingReader: BodyReader {
    var inner: any BodyReader

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        do {
            return try await inner.read()
        } catch {
            throw TransportError(.connectionLost, sent: .answered, stage: "broken", underlyingError: error)
        }
    }
}
#endif
