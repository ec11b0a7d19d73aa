import Foundation
import HTTPChainCore
import HTTPTypes

/// The password authentication of a simulated server: Basic (RFC 7617), and Digest (RFC 7616) with nonces that expire.
struct SimulatedPasswords: Sendable {
    private static let realm = "simulation"
    /// The number of nonces that are valid in addition to the newest.
    private static let grace = 6

    private var nonce = 1
    /// The counts with which each nonce was used.
    ///
    /// A count is valid only once.
    private var used: [Int: Set<String>] = [:]

    /// Makes every nonce stale.
    mutating func revokeNonces() { nonce += Self.grace + 1 }

    /// Returns the challenges; the client chooses one of them.
    mutating func challenges(for request: ReceivedRequest) -> [String] {
        nonce += 1
        // Marked as stale, so that a client that used a stale nonce doesn't prompt for a password again.
        let isStale = Self.digest(request.headers[.authorization]).map { self.isStale($0) } ?? false
        let digest =
            #"Digest realm="\#(Self.realm)", nonce="\#(nonce)", algorithm=SHA-256, qop="auth", charset=UTF-8"#
            + (isStale ? ", stale=true" : "")
        return [digest, #"Basic realm="\#(Self.realm)""#]
    }

    private func isStale(_ answer: [String: String]) -> Bool {
        guard let number = answer["nonce"].flatMap({ Int($0) }), let count = answer["nc"] else { return false }
        return number > nonce || number < nonce - Self.grace || used[number]?.contains(count) == true
    }

    /// Whether a request proves the password of its user.
    mutating func isRight(_ request: ReceivedRequest, _ password: String) -> Bool {
        guard let value = request.headers[.authorization] else { return false }
        let user = request.call.user
        if value.begins(with: "Basic ") { return Self.basic(value) == "\(user):\(password)" }
        guard let answer = Self.digest(value), !isStale(answer),
            let number = answer["nonce"].flatMap({ Int($0) }), let count = answer["nc"],
            answer["username"] == user, answer["realm"] == Self.realm, answer["uri"] == request.path,
            answer["qop"] == "auth", let own = answer["cnonce"]
        else { return false }
        let secret = SHA256Digest.hex(of: "\(user):\(Self.realm):\(password)")
        let what = SHA256Digest.hex(of: "\(request.method):\(request.path)")
        let expected = SHA256Digest.hex(of: "\(secret):\(number):\(count):\(own):auth:\(what)")
        guard answer["response"] == expected else { return false }
        used[number, default: []].insert(count)
        return true
    }

    /// Returns the user to whom credentials belong.
    static func user(in value: String) -> String? {
        if value.begins(with: "Basic ") {
            return basic(value).map { String($0.unicodeScalars.prefix { $0 != ":" }) }
        }
        return digest(value)?["username"]
    }

    private static func basic(_ value: String) -> String? {
        value.without(prefix: "Basic ").flatMap { Data(base64Encoded: String($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Parses the parameters of Digest credentials; values in a simulation have no commas and quotes.
    private static func digest(_ value: String?) -> [String: String]? {
        guard let value = value?.without(prefix: "Digest ") else { return nil }
        var parameters: [String: String] = [:]
        for part in value.pieces(at: ",") {
            let pair = part.pieces(at: "=", maxSplits: 1).map { $0.trimming() }
            guard pair.count == 2 else { return nil }
            parameters[pair[0].lowercased()] = pair[1].trimming { $0 == "\"" }
        }
        return parameters
    }
}
