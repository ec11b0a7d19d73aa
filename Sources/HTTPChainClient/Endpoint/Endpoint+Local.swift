/// A request type whose output comes from a source of values in the application instead of a network.
///
/// ```swift
/// actor Notebook { var notes: [Int: String] = [7: "Water the roses"] }
///
/// struct ReadNote: LocalRequest {
///     typealias Output = String?
///     let id: Int
///     func output(from notebook: Notebook) async throws -> String? { await notebook.notes[id] }
/// }
///
/// let client = Client(endpoints: [
///     Endpoint("notebook", source: Notebook()),
///     Endpoint("api", over: chain),
/// ])
/// let note = try await client.call(ReadNote(id: 7))
/// ```
///
/// All types with the same source form a group, which one endpoint serves (``Endpoint/init(_:source:)``). Such a call
/// has the same features as any other: a key, tags, events, and a stored reply if the type is a ``StoredRequest``.
public protocol LocalRequest: TypedRequest {
    /// The type of the source, such as a database, a sensor or a model.
    associatedtype Source: Sendable

    /// Returns the output from the source, or throws the call's error.
    func output(from source: Source) async throws -> Output
}

extension LocalRequest {
    /// Empty by default, because nothing is sent.
    public var path: String { "" }

    /// A kind that always fails, because a response of another endpoint doesn't contain the output.
    public var result: ResultKind<Output> {
        .custom { _ in throw UnsupportedRequestError(requestType: "\(Self.self)", endpoints: []) }
    }

    fileprivate static func hasSource(_ type: Any.Type) -> Bool { Source.self == type }

    fileprivate func answer(from source: any Sendable) async throws -> (any Sendable)? {
        guard let source = source as? Source else { return nil }
        return MockOutput(value: try await output(from: source))
    }
}

extension Endpoint {
    /// Makes an endpoint without a network, which serves all types of ``LocalRequest`` with this type of source.
    ///
    /// - Parameters:
    ///   - name: The name in errors and events.
    ///   - source: The source.
    public init<Source: Sendable>(_ name: String, source: Source) {
        self.init(
            name,
            handler: .mock { request, _ in
                guard let answer = try await (request as? any LocalRequest)?.answer(from: source) else {
                    throw UnsupportedRequestError(requestType: "\(type(of: request))", endpoints: [name])
                }
                return answer
            }
        ) { request in
            (request as? any LocalRequest).map { type(of: $0).hasSource(Source.self) } ?? false
        }
    }
}
