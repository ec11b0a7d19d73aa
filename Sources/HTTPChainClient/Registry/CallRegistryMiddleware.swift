import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// Keeps a chain's running calls in a ``CallRegistry``, where they can be found and cancelled.
///
/// ```swift
/// let request = Request.get("search", query: ["q": text]).callKey("search").callDuplicates(false)
/// let hits = try await chain.send(request, as: [Hit].self)
/// // elsewhere
/// registry.cancel(key: "search")
/// ```
///
/// A call runs until its response arrives or, if the body is still arriving then, until the body is read or dropped. A
/// call cancelled in the registry throws `CancellationError`, and its response is ignored. If its body is still
/// arriving, the next read throws the same error.
///
/// Set ``HTTPChainCore/Request/callKey(_:)``, ``HTTPChainCore/Request/callTags(_:)`` and
/// ``HTTPChainCore/Request/callDuplicates(_:)`` for each call. The stage throws ``DuplicateCallError`` for a
/// refused call, and ``CallIdentityError`` for one that excludes duplicates without a key or a `Hashable` value. A
/// typed call of a ``Client`` is in the client's registry without this stage.
public struct CallRegistryMiddleware: BuiltInStage {
    private let registry: CallRegistry

    /// Creates the stage.
    ///
    /// - Parameter registry: The registry of the calls; several chains may share one.
    public init(_ registry: CallRegistry) {
        self.registry = registry
    }

    /// Runs once for each call.
    package var stagePhase: Phase { .call }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [CallRegistrationOption.self] }

    /// The stage's name and purpose.
    package var stageSummary: StageSummary {
        StageSummary("CallRegistryMiddleware", purpose: "tracks running calls, to find and cancel them")
    }

    /// Keeps a call in the registry while it runs.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let value = request.value
        let registration = request.options[CallRegistrationOption.self]
        let request = request
        return try await registry.perform(value: value, registration: registration) { _ in
            try await next(request)
        } keeping: { response, place in
            response.keeping(place)
        }
    }
}

extension Response {
    /// Returns the response; if its body is still arriving, the body holds the call's place.
    func keeping(_ place: CallPlace) -> Response {
        guard body.hasTransfer else { return self }
        var response = self
        // The reader takes the place along, so that dropping the reader is enough to leave it.
        let held = Locked<CallPlace?>(place)
        response.body = body.transformed(length: body.length) { inner in
            PlaceKeepingReader(inner: inner, place: held.withLock { $0.take() })
        }
        return response
    }
}

/// Reads a body while the call is in its registry.
private struct PlaceKeepingReader: BodyReader {
    var inner: (any BodyReader)?
    let place: CallPlace?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        guard place?.isHeld ?? true else {
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
        // Releases the place, because the owner of the body may keep the body long after its end.
        place?.leave()
    }
}
