import Foundation
import HTTPChainCore
import HTTPTypes

/// Checks over HTTP/2.
///
/// The path of a request determines what the server does; see `Tests/InteroperabilityTests/frames.py`.
extension ConformanceRun {
    /// Checks refused streams (RFC 9113 §8.7) and streams above the last one of a GOAWAY (§6.8).
    func unprocessedIsUnsent() async throws {
        try await withFrames { frames in
            for fault in ["/reset/REFUSED_STREAM?", "/reset/REFUSED_STREAM?at=head&", "/goaway/before?"] {
                for (method, times) in [(HTTPRequest.Method.get, 1), (.post, 1), (.post, 100)] {
                    let path = "\(fault)times=\(times)"
                    let (result, processed) = try await frames.send(frames.call(method, path))
                    switch result {
                    case .success:
                        try expect(processed, is: 1, "times that \(method) \(path) was processed")
                    case .failure(let error):
                        try expect(error.kind, is: .connectionLost, "kind of the error for \(method) \(path)")
                        try expect(error.sent, is: .nothing, "sent for \(method) \(path)")
                        try expect(processed, is: 0, "times that \(method) \(path) was processed")
                    }
                }
            }
        }
    }

    /// Checks that a GOAWAY whose last stream is the call's doesn't affect the call's response (RFC 9113 §6.8).
    func callsAfterGoAwayMoveOn() async throws {
        try await withFrames { frames in
            for _ in 1...3 {
                let (result, processed) = try await frames.send(frames.call(.post, "/goaway/after"))
                try expect((try? result.get()) == "7", "the response of the last stream", seen: "\(result)")
                try expect(processed, is: 1, "times that the request was processed")
            }
        }
    }

    /// Checks that a request that may have been processed isn't sent again (RFC 9110 §9.2.2).
    func lostStreamsAreNotResent() async throws {
        let codes = ["CANCEL", "INTERNAL_ERROR", "ENHANCE_YOUR_CALM", "NO_ERROR", "CANCEL?at=head"]
        try await withFrames { frames in
            for fault in codes.map({ "/reset/\($0)" }) + ["/goaway/lost", "/close", "/close?clean=1"] {
                let (result, processed) = try await frames.send(frames.call(.post, fault))
                guard case .failure(let error) = result else {
                    throw failure(expected: "TransportError for \(fault)", seen: "\(result)")
                }
                try expect(error.kind, is: .connectionLost, "kind of the error for \(fault)")
                try expect(error.sent, is: .maybe, "sent for \(fault)")
                try expect(processed, is: 1, "times that \(fault) was processed")
            }
            for method in [HTTPRequest.Method.get, .post] {
                let (result, processed) = try await frames.send(frames.call(method, "/reset/INTERNAL_ERROR?at=body"))
                guard case .failure(let error) = result, error.sent == .answered,
                    error.kind == .connectionLost || error.kind == .truncatedBody
                else {
                    throw failure(expected: "TransportError from the body of a stream that is reset", seen: "\(result)")
                }
                try expect(processed, is: 1, "times that \(method) was processed")
            }
        }
    }

    /// Checks that a complete response is delivered, regardless of the code that ends its stream (RFC 9113 §8.1).
    func earlyAnswerCounts() async throws {
        let body = Pattern.body(2_000_000, declared: true, once: false)
        try await withFrames { frames in
            for code in ["", "&code=NO_ERROR", "&code=CANCEL"] {
                for status in [200, 413] {
                    let path = "/early?status=\(status)\(code)"
                    let call = frames.call(.post, path, body: body)
                    let response = try await frames.transport.send(call.request)
                    try expect(response.status.code, is: status, "status of \(path)")
                    try expect(try await response.body.text(), is: "0", "body of \(path)")
                    try expect(try await frames.processed(call.name), is: 1, "times that \(path) was processed")
                }
            }
        }
    }

    private func withFrames(_ body: (FrameCalls) async throws -> Void) async throws {
        guard case .loopback(let make) = suite.wiring, let origin = suite.http2 else {
            throw failure(expected: "a server of HTTP/2", seen: "none")
        }
        let transport = try await make()
        let result = await Result.of { try await body(FrameCalls(transport: transport, origin: origin)) }
        let end = await Result.of { try await suite.shutDown(transport) }
        try result.get()
        try end.get()
    }
}

/// Calls of `frames.py`, which counts each of them by its name.
private struct FrameCalls {
    struct Call {
        let name: String
        let request: Request
    }

    let transport: any Transport
    let origin: String

    /// Returns a call with a new name; a GET has no body.
    func call(_ method: HTTPRequest.Method, _ path: String, body: HTTPBody = "hunter2") -> Call {
        let name = UUID().uuidString
        let headers = HTTPFields(["X-Id": name])
        let body = method == .get ? .empty : body
        return Call(name: name, request: Request(method, origin + path, headers: headers, body: body))
    }

    /// Sends a call, and returns its content or error, and how often the server may have processed it.
    func send(_ call: Call) async throws -> (Result<String, TransportError>, processed: Int) {
        let result: Result<String, TransportError>
        do {
            result = .success(try await transport.send(call.request).body.text())
        } catch let error as TransportError {
            result = .failure(error)
        }
        return (result, try await processed(call.name))
    }

    /// Returns how often the server may have processed a call, by the server's own count.
    func processed(_ name: String) async throws -> Int {
        let counts = try await transport.send(.get("\(origin)/counts/\(name)")).body.collect(upTo: .mebibytes(1))
        return try JSONDecoder().decode([String: [Int]].self, from: counts)[name]?.last ?? 0
    }
}
