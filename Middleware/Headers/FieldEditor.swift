import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// An operation that doesn't depend on the request.
enum FixedOperation: Sendable {
    case set(HTTPField)
    /// Sets several values of a field: whether they replace existing ones, and the values.
    case several(isOverride: Bool, [HTTPField])
    case append(HTTPField)
    case setIfAbsent(HTTPField)
    case remove(HTTPField.Name)

    init?(_ operation: HeaderOperation) {
        guard operation.origin == nil else { return nil }
        switch operation.source {
        case .fixed(let field): self.init(operation.action, field, operation.others)
        case .removal(let name): self = .remove(name)
        case .computed, .invalid: return nil
        }
    }

    init(_ action: HeaderOperation.Action, _ field: HTTPField, _ others: [HTTPField] = []) {
        guard others.isEmpty else {
            self = .several(isOverride: action == .set, [field] + others)
            return
        }
        switch action {
        case .set: self = .set(field)
        case .append: self = .append(field)
        case .setIfAbsent: self = .setIfAbsent(field)
        case .remove: self = .remove(field.name)
        }
    }

    func apply(to fields: inout HTTPFields) throws(HeadersError) {
        switch self {
        case .set(let field):
            guard let index = fields.firstIndex(where: { $0.name == field.name }) else {
                return try Self.append(field, to: &fields)
            }
            fields[index] = field
            if let other = fields[(index + 1)...].firstIndex(where: { $0.name == field.name }) {
                fields.removeSubrange(other, matching: field.name)
            }
        case .several(let isOverride, let values):
            guard let name = values.first?.name, isOverride || !fields.contains(name) else { return }
            if let index = fields.firstIndex(where: { $0.name == name }) {
                fields.removeSubrange(index, matching: name)
            }
            for value in values { try Self.append(value, to: &fields) }
        case .append(let field):
            try Self.append(field, to: &fields)
        case .setIfAbsent(let field):
            if !fields.contains(field.name) { try Self.append(field, to: &fields) }
        case .remove(let name):
            if let index = fields.firstIndex(where: { $0.name == name }) {
                fields.removeSubrange(index, matching: name)
            }
        }
    }

    /// `HTTPFields` ends the process if there is one field too many.
    private static func append(_ field: HTTPField, to fields: inout HTTPFields) throws(HeadersError) {
        guard fields.count < HTTPFields.capacity else { throw HeadersError(.tooManyFields(fields.count + 1)) }
        fields.append(field)
    }
}

extension [FixedOperation] {
    func apply(to fields: inout HTTPFields) throws(HeadersError) {
        // One allocation for these and a few fields of inner stages.
        if fields.isEmpty { fields.reserveCapacity(Swift.max(count, 8)) }
        for operation in self { try operation.apply(to: &fields) }
    }
}

extension HTTPFields {
    /// Removes the fields with a name, from `start` on.
    fileprivate mutating func removeSubrange(_ start: Int, matching name: HTTPField.Name) {
        let rest = self[start...].filter { $0.name != name }
        replaceSubrange(start..., with: rest)
    }
}

/// Applies operations that depend on the request.
struct FieldEditor {
    private let shared: [HeaderOperation]

    init(_ shared: [HeaderOperation]) {
        self.shared = shared
    }

    func edit(_ request: inout Request, isForOneCall: Bool) async throws {
        let own = isForOneCall ? request.options[CallHeaders.self] : []
        guard !own.isEmpty, request.options[CallHeadersAreDone.self] else {
            for operation in shared { try await apply(operation, to: &request) }
            for operation in own { try await apply(operation, to: &request) }
            if !own.isEmpty { request.options[CallHeadersAreDone.self] = true }
            return
        }
        let taken = Set(own.map { $0.name.lowercased() })
        for operation in shared where !taken.contains(operation.name.lowercased()) {
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
        if let origin = operation.origin, let name = change.addedName {
            request.bindFields(CollectionOfOne(name), to: origin)
        }
    }

    private func change(_ operation: HeaderOperation, for request: Request) async throws -> FixedOperation? {
        switch operation.source {
        case .fixed(let field): return FixedOperation(operation.action, field, operation.others)
        case .removal(let name): return .remove(name)
        case .invalid: return nil
        case .computed(let name, let value):
            if operation.action == .setIfAbsent, request.head.headerFields.contains(name) { return nil }
            do {
                guard let text = try await request.withinDeadline({ try await value(request) }) else { return nil }
                return FixedOperation(operation.action, try FieldValue.field(name, text))
            } catch let error as CancellationError {
                throw error
            } catch let error as HeadersError {
                throw HeadersError(error.problem, exchange: snapshot(request))
            } catch {
                // A closure that waits may report cancellation with its own error.
                try Task.checkCancellation()
                throw HeadersError(
                    .valueFailed(name: name.rawName),
                    exchange: snapshot(request),
                    underlyingError: error
                )
            }
        }
    }

    private func snapshot(_ request: Request) -> ExchangeSnapshot {
        ExchangeSnapshot(request.head, redaction: request.redaction)
    }
}

extension FixedOperation {
    /// The field that may have received a value from the operation.
    fileprivate var addedName: HTTPField.Name? {
        switch self {
        case .set(let field), .append(let field), .setIfAbsent(let field): field.name
        case .several(_, let values): values.first?.name
        case .remove: nil
        }
    }
}
