import HTTPChainCore

/// A result whose type is known to whoever made the operation that gives it, and to nobody in between: the task and the
/// frames on the way are not generic, so that the runtime need not work out their types for each call.
typealias ErasedResult = any AnyObject & Sendable

/// What a running call is found by.
protocol CallSubject: AnyObject, Sendable {
    /// The value that the call is made from.
    var value: (any Sendable)? { get }

    /// Key, tags, and whether duplicates are excluded.
    var registration: CallRegistration { get }
}

/// An operation that a registry performs as a call.
protocol CallOperation: CallSubject {
    /// Whether the call is refused while the same is running; asked of each call, unlike the rest of the registration.
    var excludesDuplicates: Bool { get }

    /// Whether the call goes on with its result, which is then given its place; otherwise it is over with its result.
    var keepsPlace: Bool { get }

    /// Does what the call is for.
    ///
    /// - Returns: Always an object of the same type.
    func perform(as id: CallID) async throws -> ErasedResult

    /// The result, which has the place of the call from now on.
    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult
}

/// What a call is found by that goes on with its result: it does not keep its operation in memory.
final class KeptCallSubject: CallSubject {
    let value: (any Sendable)?
    let registration: CallRegistration

    init(_ subject: any CallSubject) {
        value = subject.value
        registration = subject.registration
    }
}

/// The result of an operation made of closures.
final class ResultBox<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// An operation made of closures.
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
