import Foundation
import HTTPChainCore
import HTTPChainOAuth
import HTTPTypes

extension AuthorizationServer {
    func token(_ form: [String: String], now: Date) -> Response {
        guard form["client_id"] == clientID else { return Self.refusal("invalid_client", .unauthorized) }
        switch form["grant_type"] {
        case "authorization_code": return exchange(form)
        case "refresh_token": return refresh(form["refresh_token"] ?? "")
        case "urn:ietf:params:oauth:grant-type:device_code": return poll(form["device_code"] ?? "", now: now)
        default: return Self.refusal("unsupported_grant_type")
        }
    }

    func device(_ form: [String: String], now: Date) -> Response {
        guard form["client_id"] == clientID else { return Self.refusal("invalid_client", .unauthorized) }
        let code = UUID().uuidString
        state.withLock { $0.devices[code] = Device(expiration: now.addingTimeInterval(300)) }
        return Self.json([
            "device_code": code, "user_code": "WDJB-MJHT", "verification_uri": "\(issuer)/device",
            "verification_uri_complete": "\(issuer)/device?user_code=WDJB-MJHT", "expires_in": 300, "interval": 5,
        ])
    }

    private func exchange(_ form: [String: String]) -> Response {
        state.withLock { state in
            guard let id = form["code"], let code = state.codes[id] else { return Self.refusal("invalid_grant") }
            guard !code.isUsed else {
                // RFC 6749 §4.1.2: a code that is used twice was stolen, so the tokens issued for it are revoked.
                state.tokens = state.tokens.filter { !code.tokens.contains($0.value) }
                return Self.refusal("invalid_grant")
            }
            state.codes[id]?.isUsed = true
            // RFC 7636 §4.6, RFC 6749 §4.1.3.
            guard let verifier = form["code_verifier"],
                ProofKey(verifier: Secret(verifier))?.challenge == code.challenge,
                form["redirect_uri"] == code.redirectURI
            else { return Self.refusal("invalid_grant") }
            let (token, response) = Self.issue(&state)
            state.codes[id]?.tokens.append(token)
            return response
        }
    }

    /// Handles a refresh token, which can be used only once, RFC 9700 §4.14.
    private func refresh(_ refreshToken: String) -> Response {
        state.withLock { state in
            guard state.tokens.removeValue(forKey: refreshToken) != nil else { return Self.refusal("invalid_grant") }
            return Self.issue(&state).response
        }
    }

    /// Handles a request of the device flow for a token, RFC 8628 §3.5.
    private func poll(_ code: String, now: Date) -> Response {
        state.withLock { state in
            guard let device = state.devices[code] else { return Self.refusal("invalid_grant") }
            guard now < device.expiration else { return Self.refusal("expired_token") }
            state.devices[code]?.lastPoll = now
            if let last = device.lastPoll, now.timeIntervalSince(last) < 5 { return Self.refusal("slow_down") }
            switch device.decision {
            case nil: return Self.refusal("authorization_pending")
            case .deny: return Self.refusal("access_denied")
            case .allow:
                state.devices[code] = nil
                return Self.issue(&state).response
            }
        }
    }

    private static func issue(_ state: inout State) -> (token: String, response: Response) {
        state.count += 1
        let (token, refreshToken) = ("access-\(state.count)", "refresh-\(state.count)")
        state.tokens[refreshToken] = token
        let response = json([
            "access_token": token, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refreshToken,
        ])
        return (token, response)
    }
}
