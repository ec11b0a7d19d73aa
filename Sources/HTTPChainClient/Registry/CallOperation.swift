import HTTPChainCore

/// A result in a ``ResultBox``.
typealias ErasedResult = any AnyObject & Sendable

/// An operation that a registry performs as a call.
///
/// The type of its result is known to whoever made it and to nobody in between: the task and the frames on the way are
/// not generic, so that the runtime need not work out their types for each call.
protocol CallOperation: AnyObject, Sendable {
    /// The value that the call is made from.
    var value: (any Sendable)? { get }

    /// Key, tags, and whether duplicates are excluded.
    var registration: CallRegistration { get }

    /// Whether the call goes on with its result, which is then given its place; otherwise it is over with its result.
    var keepsPlace: Bool { get }

    /// Does what the call is for.
    func perform(as id: CallID) async throws -> ErasedResult

    /// The result, which has the place of the call from now on.
    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult
}

/// A result whose type only those know who put it there and take it out.
final class ResultBox<Value: Sendable>: Sendable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    /// The value in a box.
    ///
    /// The type of the box is not checked in a release build. Whoever asks has made the operation that gives the box, and
    /// an operation gives boxes of one type.
    static func value(in box: ErasedResult) -> Value {
        unsafeDowncast(box, to: ResultBox.self).value
    }
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

    var keepsPlace: Bool { keep != nil }

    func perform(as id: CallID) async throws -> ErasedResult {
        ResultBox(try await operation(id))
    }

    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult {
        guard let keep else { return result }
        return ResultBox(keep(ResultBox<Result>.value(in: result), place))
    }
}
