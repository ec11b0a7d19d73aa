import Foundation
public import HTTPChainCore

/// Keeps the calls of a chain in a ``CallRegistry`` while they are running, so that they can be found and cancelled.
///
/// ```swift
/// let request = Request.get("search", query: ["q": text]).callKey("search").excludingDuplicateCalls()
/// let hits = try await chain.send(request, as: [Hit].self)
/// // elsewhere
/// registry.cancel(key: "search")
/// ```
///
/// A call runs until its response is there and, where the response has a body that is still arriving, until that was
/// read or dropped. A call that is cancelled in the registry ends with `CancellationError`, and its result is ignored if
/// it comes nevertheless; the next read of a body that is still arriving fails so too.
///
/// A call sets ``CallRegistration``. The stage throws ``DuplicateCallError`` for a call that is refused. A typed call of
/// a ``Client`` is in the client's registry without this stage.
public struct CallRegistryMiddleware: DeadlineKeepingMiddleware {
    private let registry: CallRegistry

    /// Makes the stage.
    ///
    /// - Parameter registry: Where the calls are kept; several chains may share one.
    public init(_ registry: CallRegistry) {
        self.registry = registry
    }

    /// Once for each call, whatever happens inside.
    public var phase: Phase { .call }

    /// The stage and how many calls are running.
    public var summary: StageSummary {
        StageSummary("CallRegistryMiddleware", purpose: "keeps running calls, to find and cancel them")
    }

    /// Keeps one call while it runs.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let value = request.value
        let registration = request.options[CallRegistration.self]
        let request = request
        return try await registry.perform(value: value, registration: registration) { _ in
            try await next(request)
        } keeping: { response, place in
            response.keeping(place)
        }
    }
}

extension Response {
    /// The response, whose body is the call from now on if it is still arriving.
    func keeping(_ place: CallPlace) -> Response {
        guard body.hasTransfer else { return self }
        var response = self
        response.body = body.transformed(length: body.length) { PlaceKeepingReader(inner: $0, place: place) }
        return response
    }
}

/// Reads on while the call is in its registry.
private struct PlaceKeepingReader: BodyReader {
    var inner: (any BodyReader)?
    let place: CallPlace

    init(inner: sending any BodyReader, place: CallPlace) {
        self.inner = inner
        self.place = place
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        guard place.isHeld else {
            inner = nil
            throw CancellationError()
        }
        do {
            if let chunk = try await inner?.read() { return chunk }
        } catch {
            end()
            throw error
        }
        end()
        return nil
    }

    private mutating func end() {
        inner = nil
        // Whoever has the body may keep it for long after its end.
        place.leave()
    }
}
