import Foundation
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@testable import HTTPChainCookies

/// The storage model of RFC 6265bis read a second time: one flat list that every rule walks from its beginning, on text
/// and not on parsed values.
private struct PlainModel {
    struct Kept: Equatable {
        var name, value, domain, path: String
        var hostOnly, secure: Bool
        var sameSite: String
        var partition: String?
        var end: Double
        var birth: Int
        var used: Double
        var line: String { name.isEmpty ? value : name + "=" + value }
    }

    var list: [Kept] = []
    var births = 0

    /// A request to `scheme://host/path`, from a page of `page` (nil: the same site).
    struct Visit {
        var scheme, host, path: String
        var page: String?
        var trusted: Bool { scheme == "https" || host == "localhost" }
        func site(_ scheme: String, _ host: String) -> String {
            let labels = host.split(separator: ".")
            return scheme + "://" + labels.suffix(2).joined(separator: ".")
        }
        var own: String { site(scheme, host) }
        var isForeign: Bool { page.map { $0 != own } ?? false }
    }

    static func covers(_ host: String, _ domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    static func within(_ path: String, _ top: String) -> Bool {
        path == top || (path.hasPrefix(top) && (top.hasSuffix("/") || path.dropFirst(top.count).hasPrefix("/")))
    }

    mutating func receive(_ field: String, _ visit: Visit, _ now: Double) {
        if field.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) { return }
        let trim = { (text: Substring) in text.trimmingCharacters(in: [" ", "\t"]) }
        let pieces = field.split(separator: ";", omittingEmptySubsequences: false)
        let pair = pieces[0]
        let hasName = pair.contains("=")
        let name = hasName ? trim(pair.prefix { $0 != "=" }) : ""
        let value = hasName ? trim(pair.drop { $0 != "=" }.dropFirst()) : trim(pair)
        if name.isEmpty && value.isEmpty { return }
        var last: [String: String] = [:]
        for piece in pieces.dropFirst() {
            let key = trim(piece.prefix { $0 != "=" }).lowercased()
            let text = piece.contains("=") ? trim(piece.drop { $0 != "=" }.dropFirst()) : ""
            if key == "max-age" {
                let digits = text.hasPrefix("-") ? String(text.dropFirst()) : text
                if digits.isEmpty || !digits.allSatisfy({ $0.isASCII && $0.isNumber }) { continue }
            }
            if key == "expires", !["Mon, 01 Jan 2018 00:00:00 GMT", "Thu, 03 Jan 2019 00:00:00 GMT"].contains(text) {
                continue
            }
            last[key] = text
        }
        var domain = last["domain"].map { ($0.hasPrefix(".") ? String($0.dropFirst()) : $0).lowercased() } ?? ""
        if domain == "com" || domain == "localhost" {
            if domain != visit.host { return }
            domain = ""
        }
        if !domain.isEmpty && !Self.covers(visit.host, domain) { return }
        let path: String
        if let given = last["path"], given.hasPrefix("/") {
            path = given
        } else {
            let cut = visit.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/"
            )
            path = cut.isEmpty ? "/" : cut
        }
        let secure = last["secure"] != nil
        if secure && !visit.trusted { return }
        if last["partitioned"] != nil && !secure { return }
        let sameSite = last["samesite"]?.lowercased() ?? ""
        if sameSite != "none" && visit.isForeign { return }
        if sameSite == "none" && !secure { return }
        let lower = name.lowercased()
        let hosts = domain.isEmpty && last["path"] == "/" && secure
        let http = last["httponly"] != nil
        if lower.hasPrefix("__host-http-") {
            if !(hosts && http) { return }
        } else if lower.hasPrefix("__host-") {
            if !hosts { return }
        } else if lower.hasPrefix("__http-") {
            if !(secure && http) { return }
        } else if lower.hasPrefix("__secure-") {
            if !secure { return }
        }
        if name.isEmpty && value.lowercased().hasPrefix("__") && value.contains("-") { return }
        let home = domain.isEmpty ? visit.host : domain
        if !secure && !visit.trusted {
            for other in list
            where other.secure && other.name == name
                && (Self.covers(other.domain, home) || Self.covers(home, other.domain)) && Self.within(path, other.path)
            { return }
        }
        var end = Double.infinity
        if let age = last["max-age"] {
            end = age.hasPrefix("-") ? 0 : now + min(Double(age) ?? 0, 400 * 86_400)
            if age == "0" { end = 0 }
        } else if let date = last["expires"] {
            end = min(date.contains("2018") ? 1_514_764_800 : 1_546_473_600, now + 400 * 86_400)
        }
        let partition = last["partitioned"] == nil ? nil : visit.page ?? visit.own
        let isSame = { (other: Kept) in
            other.name == name && other.domain == home && other.hostOnly == domain.isEmpty && other.path == path
                && other.partition == partition
        }
        let birth = list.first(where: isSame)?.birth ?? births
        list.removeAll(where: isSame)
        if end <= now { return }
        births += 1
        list.append(
            Kept(
                name: name,
                value: value,
                domain: home,
                path: path,
                hostOnly: domain.isEmpty,
                secure: secure,
                sameSite: sameSite,
                partition: partition,
                end: end,
                birth: birth,
                used: now
            )
        )
        makeRoom(home, now)
    }

    private mutating func makeRoom(_ domain: String, _ now: Double) {
        if list.count(where: { $0.domain == domain }) > 6 || list.count > 20 { list.removeAll { $0.end <= now } }
        func evict(among isCandidate: (Kept) -> Bool) {
            guard let victim = list.filter(isCandidate).min(by: { ($0.used, $0.birth) < ($1.used, $1.birth) }) else {
                return
            }
            list.removeAll { $0 == victim }
        }
        while list.count(where: { $0.domain == domain }) > 6 {
            let hasPlain = list.contains { $0.domain == domain && !$0.secure }
            evict { $0.domain == domain && (!hasPlain || !$0.secure) }
        }
        while list.count > 20 { evict { _ in true } }
    }

    mutating func send(_ visit: Visit, _ now: Double) -> String {
        let chosen = list.indices.filter { index in
            let one = list[index]
            return (one.hostOnly ? one.domain == visit.host : Self.covers(visit.host, one.domain))
                && Self.within(visit.path, one.path) && one.end > now && (!one.secure || visit.trusted)
                && (one.partition == nil || one.partition == (visit.page ?? visit.own))
                && (one.sameSite == "none" || !visit.isForeign)
        }
        let ordered = chosen.sorted {
            (-list[$0].path.utf8.count, list[$0].birth) < (-list[$1].path.utf8.count, list[$1].birth)
        }
        for index in ordered { list[index].used = now }
        return ordered.map { list[$0].line }.joined(separator: "; ")
    }
}

@Suite("The jar against a plain model of RFC 6265bis", .seeded, .heavy)
struct ModelTests {
    private var steps: Int {
        ProcessInfo.processInfo.environment["HTTPCHAIN_COOKIE_STEPS"].flatMap(Int.init) ?? 20_000
    }

    @Test("agrees on what every request carries, whatever the fields and clocks")
    func agreement() throws {
        var numbers = Numbers(Seed.numbers())
        func one<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &numbers)] }
        var limits = CookieLimits()
        limits.perDomain = 6
        limits.total = 20
        var model = PlainModel()
        var storage = CookieStorage(limits: limits)
        var time = 1_546_300_800.0
        var carried = 0
        for step in 0..<steps {
            time += one([0, 0, 0, 1, 30, 4_000])
            let visit = PlainModel.Visit(
                scheme: one(["https", "http"]),
                host: one(["example.com", "a.example.com", "b.a.example.com", "other.com", "localhost"]),
                path: one(["/", "/x", "/x/", "/x/y", "/xy"]),
                page: one([nil, nil, nil, "https://example.com", "http://example.com", "https://other.com"])
            )
            let site = visit.page.map { SiteContext.page($0) } ?? .sameSite
            let target = try #require(CookieTarget("\(visit.scheme)://\(visit.host)\(visit.path)", site: site))
            let now = Date(timeIntervalSince1970: time)
            if Bool.random(using: &numbers) {
                let attributes = [
                    "Secure", "secure ", "HttpOnly", "Path=/", "Path=/x", "path=/x/", "Path=x", "Path=",
                    "Domain=example.com",
                    "Domain=.a.Example.com", "Domain=com", "Domain=", "Domain=localhost", "Max-Age=60", "Max-Age=0",
                    "Max-Age=-1",
                    "Max-Age=x", "Max-Age=999999999999", "Expires=Mon, 01 Jan 2018 00:00:00 GMT",
                    "Expires=Thu, 03 Jan 2019 00:00:00 GMT", "Expires=never", "SameSite=None", "samesite=LAX",
                    "SameSite=Strict",
                    "Partitioned", "odd", "", "=", " x = y ",
                ]
                let names = ["a", "b", "c", "d", "", "__Host-a", "__Secure-a", "__http-a", "__Host-Http-a"]
                let value = one(["1", "2", " q ", "\"3\"", "a=b", "", "\u{1}", "\t", "__Host-x"])
                let pair = one(["\(one(names))=\(value)", "\(one(names))=\(value)", " \(one(names)) = \(value)", value])
                let count = Int.random(in: 0...4, using: &numbers)
                let field = ([pair] + (0..<count).map { _ in one(attributes) }).joined(separator: one([";", "; "]))
                _ = storage.store([field], from: target, at: now)
                model.receive(field, visit, time)
            }
            let expected = model.send(visit, time)
            let field = storage.field(for: target, at: now) ?? ""
            #expect(field == expected, "step \(step)")
            if field != expected { return }
            carried += expected.isEmpty ? 0 : 1
        }
        #expect(carried > steps / 10, "cookies were sent")
    }

    @Test("Nothing that a server sends ends the process, and every outcome has its field")
    func noise() throws {
        var numbers = Numbers(Seed.numbers(1))
        var storage = CookieStorage()
        let target = try #require(CookieTarget("https://www.example.com/a/b"))
        let alphabet = Array("ab=;,\" \t\u{0}\u{7f}é食/.-_:%0123456789ExpiresMax-AgeDomainPathSecureJanGMT")
        for _ in 0..<5_000 {
            let field = String(
                (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &numbers)]
                }
            )
            #expect(storage.store([field], from: target, at: now).outcomes.count == 1)
            _ = storage.field(for: target, at: now)
        }
        #expect(storage.count <= 50)
    }
}
