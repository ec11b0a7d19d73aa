#if canImport(Security)
import Foundation
public import HTTPChainCore
import HTTPChainSupport
import Security

/// Keeps a token in the keychain, on Apple platforms.
///
/// It can be read after the device was unlocked once, and does not leave the device.
///
/// On macOS it is in the data protection keychain, as everywhere else, which a program may use only if it is signed with an
/// entitlement: that of an application identifier, which a sandbox brings along, or `keychain-access-groups`. Take
/// ``FileTokenStore`` for a command-line tool.
public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?

    /// Takes an entry of the keychain, which need not exist.
    ///
    /// - Parameters:
    ///   - service: The service's name, such as the bundle identifier of the application.
    ///   - account: The name of one of several users or servers; empty by default.
    ///   - accessGroup: The group of `keychain-access-groups` or of app groups whose members share the entry, such as an
    ///     application and its extensions; nil, the default, is the first group of the application.
    public init(service: String, account: String = "", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    /// The token that is kept.
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

    /// Keeps a token.
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

    /// Forgets the token.
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
            // Without it macOS takes the keychain of files, which has no kSecAttrAccessible.
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { entry[kSecAttrAccessGroup as String] = accessGroup }
        return entry
    }
}

/// The keychain refused an operation, or holds something else under the name.
public struct KeychainError: HTTPChainError, Hashable {
    /// The system's code; 0 when there is an entry that is no token.
    public let code: Int32
    /// The service's name.
    public let service: String

    /// Always "KeychainTokenStore".
    public var stage: String { "KeychainTokenStore" }

    /// The message of the system.
    public var reason: String {
        guard code != 0 else {
            return "the entry of \(service) in the keychain is no token of this store; remove it, or take another name"
        }
        let message = SecCopyErrorMessageString(code, nil).map { $0 as String } ?? "code \(code)"
        return "the keychain refused the entry of \(service): \(message)"
    }

    /// The entitlement that is missing; nil for any other error.
    public var recoverySuggestion: String? {
        guard code == errSecMissingEntitlement else { return nil }
        return "add the capability Keychain Sharing, with the access group if there is one, or take FileTokenStore"
    }
}
#endif
