import HTTPChainCore

/// A result whose type only the creator of the operation has.
///
/// The task and the frames in between aren't generic, so the runtime doesn't need to resolve their types for each call.
typealias ErasedResult = any AnyObject & Sendable

/// The properties by which a registry finds a running call.
protocol CallSubject: AnyObject, Sendable {
    /// The value that the call is made from.
    var value: (any Sendable)? { get }

    /// The call's key, tags, and whether duplicates are excluded.
    var registration: CallRegistration { get }
}

/// An operation that a registry performs as a call.
protocol CallOperation: CallSubject {
    /// Whether duplicates are refused; read for each call, unlike the rest of the registration.
    var excludesDuplicates: Bool { get }

    /// Whether the call continues after it has a result, such as a body that is still arriving, which then holds the
    /// call's place in the registry.
    ///
    /// If not, the result ends the call.
    var keepsPlace: Bool { get }

    /// Performs the call.
    ///
    /// - Returns: An object whose type is the same each time.
    func perform(as id: CallID) async throws -> ErasedResult

    /// Returns the result, which holds the call's place from now on.
    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult
}

/// The subject of a call that continues with its result, so that the operation can be deallocated.
final class KeptCallSubject: CallSubject {
    let value: (any Sendable)?
    let registration: CallRegistration

    init(_ subject: any CallSubject) {
        value = subject.value
        registration = subject.registration
    }
}

/// The boxed result of a ``ClosureOperation``.
final class ResultBox<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// An operation that calls closures.
final class ClosureOperation<Result: Sendable>: CallOperation {
    let value: (any Sendable)?
    let registration: CallRegistration
    private let operation: @Sendable (CallID) async throws -> Result
    private let keep: (@Sendable (Result, CallPlace) -> Result)?

    init(
        _ value: (any Sendable)?,
        _ registration: CallRegistration,
        _ operation: @escaping @Sendable (CallID) async throws -> Result,
        _ keep: (@Sendable (Result, CallPlace) -> Result)?
    ) {
        self.value = value
        self.registration = registration
        self.operation = operation
        self.keep = keep
    }

    var excludesDuplicates: Bool { registration.excludesDuplicates }

    var keepsPlace: Bool { keep != nil }

    func perform(as id: CallID) async throws -> ErasedResult {
        ResultBox(try await operation(id))
    }

    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult {
        guard let keep else { return result }
        return ResultBox(keep(unsafeDowncast(result, to: ResultBox<Result>.self).value, place))
    }
}
