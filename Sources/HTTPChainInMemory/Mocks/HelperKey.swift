package import HTTPChainCore

/// The name of an object shared by mocks, with the closure that creates it.
///
/// All mocks of a ``MockTransport`` that use the same identifier share one helper. It is created once, on first use,
/// even if several mocks are used concurrently. If creating it fails, the call fails, and the next call tries again.
public struct HelperKey<Helper: Sendable>: Sendable {
    /// The name of the helper.
    package let identifier: String

    let make: @Sendable () async throws -> Helper

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - identifier: The name of the helper.
    ///   - make: A closure that creates the helper. If several keys have the same identifier, the closure of the key
    ///     that is used first is called. It must not send a request to a mock that needs the same helper.
    public init(_ identifier: String, make: @escaping @Sendable () async throws -> Helper) {
        self.identifier = identifier
        self.make = make
    }
}

/// An error for an identifier that is used for helpers of different types.
package struct HelperTypeError: ExplainedError, Hashable {
    /// The identifier.
    package let identifier: String
    /// The type of the existing helper.
    package let actual: String
    /// The type that the mock requires.
    package let expected: String

    package var failedStage: String { "MockTransport" }

    package var explanation: Explanation {
        Explanation(
            "the helper \"\(identifier)\" is of type \(actual), but a mock expects type \(expected) with that name",
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

    private let entries = Watched<[String: Entry]>([:])

    package init() {}

    package func helper<Helper: Sendable>(_ key: HelperKey<Helper>) async throws -> Helper {
        let identifier = key.identifier
        let entry = try await entries.wait { entries -> Entry? in
            switch entries[identifier] {
            case .making: return nil
            case let made?: return made
            case nil:
                entries[identifier] = .making
                return .making
            }
        }
        switch entry {
        case .made(let made):
            guard let helper = made as? Helper else {
                throw HelperTypeError(
                    identifier: identifier,
                    actual: String(describing: type(of: made)),
                    expected: String(describing: Helper.self)
                )
            }
            return helper
        case .making:
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
