#if canImport(Security)
import Foundation
public import HTTPChainCore
import HTTPChainSupport
import Security

/// Stores a token in the keychain, on Apple platforms.
///
/// The token is readable once the device has been unlocked after a restart, and doesn't leave the device.
///
/// On macOS too, the token is in the data protection keychain. A program can use that only if it is signed with an
/// entitlement: an application identifier, which a sandbox includes, or `keychain-access-groups`. For a command-line
/// tool, use ``FileTokenStore``.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// Uses a keychain entry, which may not exist yet.
    ///
    /// - Parameters:
    ///   - service: The service's name, such as the bundle identifier of the application.
    ///   - account: The name of one of several users or servers. Defaults to empty.
    ///   - accessGroup: The group in `keychain-access-groups`, or the app group, that shares the entry, for example
    ///     between an application and its extensions. Defaults to `nil`: the application's first group.
    public init(service: String, account: String = "", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    /// Returns the stored token.
    ///
    /// - Throws: ``KeychainError``.
    public func token() throws -> AccessToken? {
        var query = entry
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let bytes = found as? Data,
            let token = try? JSONDecoder().decode(AccessToken.self, received: bytes)
        else { throw KeychainError(code: status, service: service) }
        return token
    }

    /// Stores a token.
    ///
    /// - Throws: ``KeychainError``.
    public func save(_ token: AccessToken) throws {
        let values: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(token),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(entry as CFDictionary, values as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(entry.merging(values) { _, new in new } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw KeychainError(code: status, service: service) }
    }

    /// Removes the token.
    ///
    /// - Throws: ``KeychainError``.
    public func removeToken() throws {
        let status = SecItemDelete(entry as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw KeychainError(code: status, service: service)
        }
    }

    private var entry: [String: Any] {
        var entry: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            // Without it, macOS uses the file-based keychain, which has no kSecAttrAccessible.
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { entry[kSecAttrAccessGroup as String] = accessGroup }
        return entry
    }
}

/// Thrown if the keychain refuses an operation, or the entry isn't a token.
public struct KeychainError: ExplainedError, Hashable {
    /// The system's code, or 0 if the entry isn't a token.
    public let code: Int32
    /// The service's name.
    package let service: String

    package var failedStage: String { "KeychainTokenStore" }

    package var explanation: Explanation {
        guard code != 0 else {
            return Explanation(
                "the entry of \(service) in the keychain is not a token of this store; remove it, or use another name"
            )
        }
        let message = SecCopyErrorMessageString(code, nil).map { $0 as String } ?? "code \(code)"
        return Explanation(
            "the keychain refused the entry of \(service): \(message)",
            code == errSecMissingEntitlement
                ? "add the capability Keychain Sharing, with the access group if there is one, or use FileTokenStore"
                : nil
        )
    }
}
#endif
