import HTTPChainCore
import HTTPTypes

/// An operation that doesn't depend on the request.
enum FixedOperation: Sendable {
    case set(HTTPField)
    /// Sets several values of a field.
    ///
    /// `isOverride` means that they replace existing ones.
    case several(isOverride: Bool, [HTTPField])
    case append(HTTPField)
    case setIfAbsent(HTTPField)
    case remove(HTTPField.Name)

    init?(_ operation: HeaderOperation) {
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
            fields.remove(field.name, from: index + 1)
        case .several(let isOverride, let values):
            guard let name = values.first?.name, isOverride || !fields.contains(name) else { return }
            fields.remove(name)
            for value in values { try Self.append(value, to: &fields) }
        case .append(let field):
            try Self.append(field, to: &fields)
        case .setIfAbsent(let field):
            if !fields.contains(field.name) { try Self.append(field, to: &fields) }
        case .remove(let name):
            fields.remove(name)
        }
    }

    /// `HTTPFields` crashes if there is one field too many.
    private static func append(_ field: HTTPField, to fields: inout HTTPFields) throws(HeadersError) {
        guard fields.count < HTTPFields.capacity else { throw HeadersError(.tooManyFields(fields.count + 1)) }
        fields.append(field)
    }
}

/// Operations that don't depend on the request, in order.
struct FixedOperations: Sendable {
    private let operations: [FixedOperation]
    /// The resulting fields of a request that had none, shared by all such requests; `nil` if the operations fail.
    private let fieldsAlone: HTTPFields?

    init(_ operations: [FixedOperation]) {
        self.operations = operations
        var fields = HTTPFields()
        do {
            for operation in operations { try operation.apply(to: &fields) }
            fieldsAlone = fields
        } catch {
            fieldsAlone = nil
        }
    }

    func apply(to fields: inout HTTPFields) throws(HeadersError) {
        if fields.isEmpty, let fieldsAlone {
            fields = fieldsAlone
        } else {
            for operation in operations { try operation.apply(to: &fields) }
        }
    }
}

extension HTTPFields {
    /// Removes the fields with a name, from `start` on.
    fileprivate mutating func remove(_ name: HTTPField.Name, from start: Int = 0) {
        guard let first = self[start...].firstIndex(where: { $0.name == name }) else { return }
        replaceSubrange(first..., with: self[first...].filter { $0.name != name })
    }
}
