import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A request as received by a simulated server.
struct ReceivedRequest: Sendable {
    var method: HTTPRequest.Method
    var origin: String
    var path: String
    var headers: HTTPFields
    var content: Data
    /// The call that the request belongs to.
    var call: SimulatedCall
}

/// A response of a simulated server.
struct SimulatedAnswer: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    var content = Data()
}

/// The servers of a simulation, with their resources, their users, and the effects of requests.
///
/// The results of a chain are checked against this state. It therefore keeps all versions of each thing, and counts
/// every effect.
struct SimulatedServer: Sendable {
    /// A text that is part of every secret, for detecting secrets in the wrong place.
    static let secretMark = "simulated-secret"

    /// The time by which the servers' clock is ahead of the client's.
    let skew: Duration
    /// All versions of each thing, oldest first.
    private var versions: [Int: [String]] = [:]
    /// The number of times that each call's order was taken.
    private(set) var orders: [Int: Int] = [:]
    /// The uploads in parts, by number.
    private var uploads: [SimulatedUpload] = []
    /// The number of the valid token of each user.
    private var tokens: [String: Int] = [:]
    private var passwords = SimulatedPasswords()
    /// For each session cookie, the call that it was sent to.
    private var sessions: [SimulatedCall] = []
    /// For each session cookie, the first call that may not send it anymore.
    private var signedOut: [Int: Int] = [:]
    private(set) var violations: [SimulationReport.Violation] = []

    init(skew: Duration) {
        self.skew = skew
    }

    /// Records that a user has signed out; calls from `next` on may not send cookies that `calls` have received.
    mutating func signOut(_ calls: Set<Int>, of user: String, before next: Int) {
        for (session, call) in sessions.enumerated()
        where signedOut[session] == nil && call.user == user && calls.contains(call.number) {
            signedOut[session] = next
        }
    }

    private mutating func sessionCookie(for call: SimulatedCall) -> String {
        sessions.append(call)
        return "session=\(Self.secretMark)-\(call.user)-session-\(sessions.count - 1); Path=/; Secure; HttpOnly"
    }

    /// Returns all versions of a thing at the own origin, oldest first.
    func versions(of thing: Int) -> [String] { ["0"] + versions[thing, default: []] }

    /// Issues a new token for a user, which makes the previous one invalid.
    mutating func issueToken(for user: String) -> String {
        tokens[user, default: 0] += 1
        return token(of: user)
    }

    /// Makes a user's token invalid.
    mutating func revokeToken(of user: String) {
        tokens[user, default: 0] += 1
        passwords.revokeNonces()
    }

    static func password(of user: String) -> String { "\(secretMark)-\(user)-password" }

    private func token(of user: String) -> String { "\(Self.secretMark)-\(user)-\(tokens[user, default: 0])" }

    /// Returns the content expected in an order.
    static func order(of call: Int) -> Data {
        Data(String(repeating: "order of call \(call)\n", count: 1 + call % 50 * 20).utf8)
    }

    /// Processes a request.
    mutating func answer(_ request: ReceivedRequest, at date: Date) -> SimulatedAnswer {
        lookForLeaks(in: request)
        guard request.headers[.contentEncoding] == nil else {
            return SimulatedAnswer(
                status: .unsupportedMediaType,
                headers: [.acceptEncoding: "identity"],
                content: Data("no content coding is supported".utf8)
            )
        }
        let parts = request.path.pieces(at: "/").map(String.init)
        var answer =
            switch (parts.first, parts.count) {
            case ("things", 2) where request.createsUpload, ("orders", 1) where request.createsUpload:
                create(parts, request)
            case ("uploads", 2): upload(parts[1], request)
            case ("things", 2): thing(parts[1], request)
            case ("orders", 1): order(request)
            case ("go", 4): redirect(parts)
            case ("sign-out", 1): SimulatedAnswer(status: .noContent, headers: [.setCookie: Self.expiredCookie])
            default: SimulatedAnswer(status: .notFound)
            }
        answer.headers[.date] = HTTPDate(date + skew.inSeconds).description
        if request.method == .head {
            answer.headers[.contentLength] = "\(answer.content.count)"
            answer.content = Data()
        }
        return answer
    }

    private mutating func lookForLeaks(in request: ReceivedRequest) {
        let isForeign = request.origin != SimulatedOrigins.own
        if request.headers.contains(.proxyAuthorization) {
            found(.credentialLeak, request, "a proxy that nobody has configured was sent credentials")
        }
        if let value = request.headers[.authorization], !value.begins(with: "Bearer ") {
            if isForeign {
                found(.credentialLeak, request, "\(request.origin) was sent Authorization")
            } else if SimulatedPasswords.user(in: value) != request.call.user {
                found(.otherUser, request, "Authorization belongs to somebody other than \(request.call.user)")
            }
        }
        for field in request.headers where field.value.includes(Self.secretMark) {
            if isForeign {
                found(.credentialLeak, request, "\(request.origin) was sent \(field.name)")
            } else if !field.value.includes("\(Self.secretMark)-\(request.call.user)") {
                found(.otherUser, request, "\(field.name) is a secret of somebody other than \(request.call.user)")
            }
        }
        if let session = request.headers[.cookie].flatMap(Self.session), let first = signedOut[session],
            request.call.number >= first
        {
            found(.signOut, request, "the cookie of session \(session) was sent")
        }
        if request.path.includes(Self.secretMark) {
            found(.credentialLeak, request, "a secret is in the path of a request to \(request.origin)")
        }
    }

    private static let expiredCookie = "session=; Path=/; Max-Age=0; Secure; HttpOnly"

    /// Returns the number of the session in a `Cookie` field.
    private static func session(in cookie: String) -> Int? {
        let pair = cookie.pieces(at: ";").first { $0.includes("-session-") }
        return pair?.pieces(at: "-").last.flatMap { Int($0) }
    }

    private mutating func found(_ invariant: SimulationReport.Invariant, _ request: ReceivedRequest, _ detail: String) {
        violations.append(.init(invariant: invariant, call: request.call.number, detail: detail))
    }

    private mutating func isAuthorized(_ request: ReceivedRequest) -> Bool {
        request.headers[.authorization] == "Bearer \(token(of: request.call.user))"
            || passwords.isRight(request, Self.password(of: request.call.user))
    }

    /// Returns the challenge for an unauthorized request: for a token, or for a password in one of two ways.
    private mutating func challenge(_ request: ReceivedRequest) -> SimulatedAnswer {
        var answer = SimulatedAnswer(
            status: .unauthorized,
            headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#]
        )
        for text in passwords.challenges(for: request) {
            answer.headers.append(HTTPField(name: .wwwAuthenticate, value: text))
        }
        return answer
    }
}

extension SimulatedServer {
    private mutating func thing(_ name: String, _ request: ReceivedRequest) -> SimulatedAnswer {
        guard let number = Int(name), (0..<SimulatedThing.count).contains(number) else {
            return SimulatedAnswer(status: .notFound)
        }
        let thing = SimulatedThing(number: number)
        let isOwn = request.origin == SimulatedOrigins.own
        if thing.isPrivate, !isOwn { return SimulatedAnswer(status: .forbidden) }
        if thing.isPrivate, !isAuthorized(request) { return challenge(request) }
        switch request.method {
        case .get, .head: return representation(of: thing, for: request)
        case .put where isOwn:
            write(number, request.content, request)
            return SimulatedAnswer(status: .noContent)
        default: return SimulatedAnswer(status: .methodNotAllowed, headers: [.allow: "GET, HEAD, PUT"])
        }
    }

    /// Returns the language for an `Accept-Language` without weights, which is the first one.
    static func language(in field: String) -> String { field.pieces(at: ",").first.map(String.init) ?? field }

    private mutating func representation(of thing: SimulatedThing, for request: ReceivedRequest) -> SimulatedAnswer {
        let language = thing.hasLanguages ? Self.language(in: request.headers[.acceptLanguage] ?? "en") : "any"
        let user = thing.isPrivate ? request.call.user : "all"
        let version = request.origin == SimulatedOrigins.own ? versions(of: thing.number).last ?? "0" : "0"
        let isCoded = thing.isCoded && (request.headers[.acceptEncoding] ?? "").includes("gzip")
        let tag = "\"\(version)-\(language)-\(user)\(isCoded ? "-gzip" : "")\""
        var answer = SimulatedAnswer(status: .ok, headers: [.eTag: tag, .contentType: "text/plain"])
        answer.headers[.cacheControl] = thing.cacheControl
        var varying: [String] = []
        if thing.hasLanguages { varying.append("Accept-Language") }
        if thing.isCoded { varying.append("Accept-Encoding") }
        if !varying.isEmpty { answer.headers[.vary] = varying.joined(separator: ", ") }
        if thing.isPrivate {
            answer.headers[.setCookie] = sessionCookie(for: request.call)
        }
        if request.headers[.ifNoneMatch] == tag {
            answer.status = .notModified
            return answer
        }
        answer.content = thing.content(version: version, language: language, user: user, origin: request.origin)
        if isCoded {
            answer.content = StoredGzip.encode(answer.content)
            answer.headers[.contentEncoding] = "gzip"
        }
        answer.headers[.acceptRanges] = "bytes"
        return range(request.headers, of: answer, tag)
    }

    /// Returns the rest of the content, if the request asks for it and its client has the beginning of the same version
    /// (RFC 9110 §14.2).
    private func range(_ headers: HTTPFields, of whole: SimulatedAnswer, _ tag: String) -> SimulatedAnswer {
        guard let range = headers[.range]?.without(prefix: "bytes=")?.without(suffix: "-"),
            let first = Int(range), headers[.ifRange].map({ $0 == tag }) ?? true
        else { return whole }
        let length = whole.content.count
        guard first < length else {
            return SimulatedAnswer(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(length)"])
        }
        var part = whole
        part.status = .partialContent
        part.headers[.contentRange] = "bytes \(first)-\(length - 1)/\(length)"
        part.content = Data(whole.content.dropFirst(first))
        return part
    }

    private mutating func order(_ request: ReceivedRequest) -> SimulatedAnswer {
        // After a redirect that changes the method, the client fetches the list of orders.
        guard request.method == .post else { return SimulatedAnswer(status: .ok, content: Data("orders".utf8)) }
        guard isAuthorized(request) else { return challenge(request) }
        take(request.content, request)
        return SimulatedAnswer(status: .created, content: Data("taken".utf8))
    }

    /// Writes a version of a thing.
    private mutating func write(_ thing: Int, _ content: Data, _ request: ReceivedRequest) {
        if content != Self.order(of: request.call.number) {
            found(.uploads, request, "\(content.count) bytes were put that are not what the call sent")
        }
        versions[thing, default: []].append("\(request.call.number)")
    }

    /// Records an order.
    private mutating func take(_ content: Data, _ request: ReceivedRequest) {
        if content != Self.order(of: request.call.number) {
            found(.uploads, request, "an order of \(content.count) bytes is not what the call sent")
        }
        orders[request.call.number, default: 0] += 1
    }

    /// `/go/307/foreign/3` redirects to thing 3 at the foreign origin, `/go/303/own/orders` to the orders here.
    private func redirect(_ parts: [String]) -> SimulatedAnswer {
        guard let code = Int(parts[1]), (300..<400).contains(code) else { return SimulatedAnswer(status: .notFound) }
        let origin = parts[2] == "own" ? SimulatedOrigins.own : SimulatedOrigins.foreign
        let path =
            switch parts[3] {
            case "orders": "/orders"
            case "loop": "/go/\(code)/own/loop"
            case let thing: "/things/\(thing)"
            }
        return SimulatedAnswer(
            status: .init(code: code),
            headers: [.location: origin + path, .cacheControl: "no-store"],
            content: Data("elsewhere".utf8)
        )
    }
}

/// Support for uploads in parts: tus 1.0.0, https://tus.io/protocols/resumable-upload.
extension SimulatedServer {
    /// Creates an upload for a thing or an order; it takes effect when its last byte has arrived.
    private mutating func create(_ parts: [String], _ request: ReceivedRequest) -> SimulatedAnswer {
        guard let length = request.headers[.uploadLength].flatMap(Int.init), request.origin == SimulatedOrigins.own
        else {
            return SimulatedAnswer(status: .badRequest)
        }
        let thing = parts.count == 2 ? Int(parts[1]) : nil
        let upload = SimulatedUpload(call: request.call, thing: thing, length: length)
        guard !upload.isProtected || isAuthorized(request) else { return challenge(request) }
        uploads.append(upload)
        var answer = append(request.content, to: uploads.count - 1, request)
        answer.status = .created
        answer.headers[.location] = "/uploads/\(uploads.count - 1)"
        return answer
    }

    private mutating func upload(_ name: String, _ request: ReceivedRequest) -> SimulatedAnswer {
        guard let number = Int(name), uploads.indices.contains(number), request.origin == SimulatedOrigins.own else {
            return SimulatedAnswer(status: .notFound)
        }
        let upload = uploads[number]
        guard !upload.isProtected || isAuthorized(request) else { return challenge(request) }
        if upload.call != request.call {
            let isForeign = upload.call.user != request.call.user
            found(isForeign ? .otherUser : .uploads, request, "the upload is that of call \(upload.call.number)")
        }
        switch request.method {
        case .head: return SimulatedAnswer(status: .ok, headers: upload.fields)
        case .patch where request.headers[.uploadOffset] == "\(upload.content.count)":
            return append(request.content, to: number, request)
        case .patch: return SimulatedAnswer(status: .conflict)
        default: return SimulatedAnswer(status: .methodNotAllowed, headers: [.allow: "HEAD, PATCH"])
        }
    }

    private mutating func append(_ content: Data, to number: Int, _ request: ReceivedRequest) -> SimulatedAnswer {
        let wasComplete = uploads[number].isComplete
        uploads[number].content += content
        let upload = uploads[number]
        if upload.isComplete, !wasComplete {
            if let thing = upload.thing {
                write(thing, upload.content, request)
            } else {
                take(upload.content, request)
            }
        }
        return SimulatedAnswer(status: .noContent, headers: upload.fields)
    }
}
