public import HTTPChainCore

/// Names an object that mocks share, and says how it is made.
///
/// All mocks of one ``MockTransport`` that name the same identifier get the same helper. It is made when the first of
/// them is used, once, also when several are used at the same time; when making it fails, the call fails and the next
/// one tries again.
public struct HelperKey<Helper: Sendable>: Sendable {
    /// The name by which the mocks know the helper.
    public let identifier: String

    let make: @Sendable () async throws -> Helper

    /// Names a helper.
    ///
    /// - Parameters:
    ///   - identifier: What the mocks call it.
    ///   - make: Makes it; of several keys with the same identifier, that of the mock used first is asked. It must not
    ///     send a request to a mock that needs the same helper.
    public init(_ identifier: String, make: @escaping @Sendable () async throws -> Helper) {
        self.identifier = identifier
        self.make = make
    }
}

/// Two mocks give one identifier to helpers of different types.
public struct HelperTypeError: HTTPChainError, Hashable {
    /// The identifier.
    public let identifier: String
    /// The type of the helper that was made.
    public let actual: String
    /// The type that the mock wants.
    public let expected: String

    /// Always "MockTransport".
    public var stage: String { "MockTransport" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        Explanation(
            "the helper \"\(identifier)\" is of type \(actual), but a mock wants one of type \(expected) under that name",
            "give helpers of different types different identifiers"
        )
    }
}

/// The helpers of one mock transport.
package final class HelperTable: Sendable {
    private enum Entry: Sendable {
        case making
        case made(any Sendable)
    }

    private enum Turn: Sendable {
        case make
        case use(any Sendable)
    }

    private let entries = Watched<[String: Entry]>([:])

    package init() {}

    package func helper<Helper: Sendable>(_ key: HelperKey<Helper>) async throws -> Helper {
        let identifier = key.identifier
        let turn = try await entries.wait { entries -> Turn? in
            switch entries[identifier] {
            case .made(let helper): return .use(helper)
            case .making: return nil
            case nil:
                entries[identifier] = .making
                return .make
            }
        }
        switch turn {
        case .use(let made):
            guard let helper = made as? Helper else {
                throw HelperTypeError(
                    identifier: identifier,
                    actual: String(describing: type(of: made)),
                    expected: String(describing: Helper.self)
                )
            }
            return helper
        case .make:
            do {
                let helper = try await key.make()
                entries.update { $0[identifier] = .made(helper) }
                return helper
            } catch {
                entries.update { $0[identifier] = nil }
                throw error
            }
        }
    }
}
