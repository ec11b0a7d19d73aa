import HTTPChainCore
import HTTPTypes

extension HeadersMiddleware {
    /// Applies operations that depend on the request.
    func edit(_ request: inout Request, isForOneCall: Bool) async throws {
        let own = isForOneCall ? request.options[HeadersOption.self] : []
        guard !own.isEmpty, request.options[HeadersDoneNote.self] else {
            for operation in operations { try await apply(operation, to: &request) }
            for operation in own { try await apply(operation, to: &request) }
            if !own.isEmpty { request.options[HeadersDoneNote.self] = true }
            return
        }
        let taken = Set(own.map { $0.name.lowercased() })
        for operation in operations where !taken.contains(operation.name.lowercased()) {
            try await apply(operation, to: &request)
        }
    }

    private func apply(_ operation: HeaderOperation, to request: inout Request) async throws {
        if let problem = operation.problem { throw HeadersError(problem, exchange: snapshot(request)) }
        if let origin = operation.origin {
            guard let target = request.origin else {
                throw HeadersError(
                    .unknownOrigin(name: operation.name, origin: origin, url: request.redaction.url(request.url)),
                    exchange: snapshot(request)
                )
            }
            guard target == origin else { return }
        }
        guard let change = try await change(operation, for: request) else { return }
        try change.apply(to: &request.head.headerFields)
        if let origin = operation.origin, operation.action != .remove, let name = HTTPField.Name(operation.name) {
            request.bindFields(CollectionOfOne(name), to: origin)
        }
    }

    private func change(_ operation: HeaderOperation, for request: Request) async throws -> FixedOperation? {
        guard case .computed(let name, let value) = operation.source else { return FixedOperation(operation) }
        if operation.action == .setIfAbsent, request.head.headerFields.contains(name) { return nil }
        do {
            guard let text = try await request.withinDeadline({ try await value(request) }) else { return nil }
            return FixedOperation(operation.action, try FieldValue.field(name, text))
        } catch let error as CancellationError {
            throw error
        } catch let error as HeadersError {
            throw HeadersError(error.problem, exchange: snapshot(request))
        } catch {
            // A closure that is cancelled while it waits may throw its own error instead of `CancellationError`.
            try Task.checkCancellation()
            throw HeadersError(
                .valueFailed(name: name.rawName),
                exchange: snapshot(request),
                underlyingError: error
            )
        }
    }

    private func snapshot(_ request: Request) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, redaction: request.redaction)
    }
}
