#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

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

    /// A request to `scheme://host/path`, from a page (nil: the same site), to replace it or for a part of it.
    struct Visit {
        var scheme, host, path, method: String
        var page: String?
        var replacesPage = false
        var trusted: Bool { scheme == "https" || host == "localhost" }
        /// Of an origin, the scheme and what one owner can register.
        static func site(_ origin: String) -> String {
            let parts = origin.components(separatedBy: "://")
            let labels = parts[1].prefix { $0 != ":" }.split(separator: ".")
            return parts[0] + "://" + labels.suffix(labels.suffix(2) == ["co", "uk"] ? 3 : 2).joined(separator: ".")
        }
        var context: String { Self.site(page ?? "\(scheme)://\(host)") }
        var isForeign: Bool { context != Self.site("\(scheme)://\(host)") }
        var opensPage: Bool { replacesPage && (method == "GET" || method == "HEAD") }
    }

    static func covers(_ host: String, _ domain: String) -> Bool { host == domain || host.hasSuffix("." + domain) }

    static func within(_ path: String, _ top: String) -> Bool {
        path == top || (path.hasPrefix(top) && (top.hasSuffix("/") || path.dropFirst(top.count).hasPrefix("/")))
    }

    /// - Returns: Whether the field is stored, or removed the cookie that it names.
    mutating func receive(_ field: String, _ visit: Visit, _ now: Double) -> Bool {
        if field.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) { return false }
        let trim = { (text: Substring) in text.trimmingCharacters(in: [" ", "\t"]) }
        let pieces = field.split(separator: ";", omittingEmptySubsequences: false)
        let pair = pieces[0]
        let hasName = pair.contains("=")
        let name = hasName ? trim(pair.prefix { $0 != "=" }) : ""
        let value = hasName ? trim(pair.drop { $0 != "=" }.dropFirst()) : trim(pair)
        if name.isEmpty && value.isEmpty { return false }
        var last: [String: String] = [:]
        for piece in pieces.dropFirst() {
            let key = trim(piece.prefix { $0 != "=" }).lowercased()
            let text = piece.contains("=") ? trim(piece.drop { $0 != "=" }.dropFirst()) : ""
            if key == "max-age" {
                let digits = text.hasPrefix("-") ? String(text.dropFirst()) : text
                if digits.isEmpty || !digits.allSatisfy({ $0.isASCII && $0.isNumber }) { continue }
            }
            if key == "expires", PlainDate.seconds(of: text) == nil { continue }
            last[key] = text
        }
        var domain = last["domain"].map { ($0.hasPrefix(".") ? String($0.dropFirst()) : $0).lowercased() } ?? ""
        if ["com", "co.uk", "localhost"].contains(domain) {
            if domain != visit.host { return false }
            domain = ""
        }
        if !domain.isEmpty && !Self.covers(visit.host, domain) { return false }
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
        if secure && !visit.trusted { return false }
        if last["partitioned"] != nil && !secure { return false }
        let sameSite = last["samesite"]?.lowercased() ?? ""
        if sameSite != "none" && visit.isForeign && !visit.replacesPage { return false }
        if sameSite == "none" && !secure { return false }
        let lower = name.lowercased()
        let hosts = domain.isEmpty && last["path"] == "/" && secure
        let http = last["httponly"] != nil
        if lower.hasPrefix("__host-http-") {
            if !(hosts && http) { return false }
        } else if lower.hasPrefix("__host-") {
            if !hosts { return false }
        } else if lower.hasPrefix("__http-") {
            if !(secure && http) { return false }
        } else if lower.hasPrefix("__secure-") {
            if !secure { return false }
        }
        if name.isEmpty && value.lowercased().hasPrefix("__") && value.contains("-") { return false }
        let home = domain.isEmpty ? visit.host : domain
        if !secure && !visit.trusted {
            for other in list
            where other.secure && other.name == name
                && (Self.covers(other.domain, home) || Self.covers(home, other.domain)) && Self.within(path, other.path)
            { return false }
        }
        var end = Double.infinity
        if let age = last["max-age"] {
            end = age.hasPrefix("-") ? 0 : now + min(Double(age) ?? 0, 400 * 86_400)
            if age == "0" { end = 0 }
        } else if let date = last["expires"].flatMap(PlainDate.seconds) {
            end = min(date, now + 400 * 86_400)
        }
        let partition = last["partitioned"] == nil ? nil : visit.context
        let isSame = { (other: Kept) in
            other.name == name && other.domain == home && other.hostOnly == domain.isEmpty && other.path == path
                && other.partition == partition
        }
        let birth = list.first(where: isSame)?.birth ?? births
        list.removeAll(where: isSame)
        if end <= now { return true }
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
        return true
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
                && (one.partition == nil || one.partition == visit.context)
                && (one.sameSite == "none" || !visit.isForeign || one.sameSite != "strict" && visit.opensPage)
        }
        let ordered = chosen.sorted {
            (-list[$0].path.utf8.count, list[$0].birth) < (-list[$1].path.utf8.count, list[$1].birth)
        }
        for index in ordered { list[index].used = now }
        return ordered.map { list[$0].line }.joined(separator: "; ")
    }
}

/// The date algorithm of RFC 6265bis §5.1.1 read a second time: on characters, with every production tried in its
/// order, and days counted one year after the other.
private enum PlainDate {
    static func seconds(of text: String) -> Double? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        var clock: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        for word in text.unicodeScalars.split(whereSeparator: isDelimiter).map(String.init) {
            if clock == nil, let found = hms(word) {
                clock = found
            } else if day == nil, let found = leadingNumber(word, 1...2) {
                day = found
            } else if month == nil, let found = months.firstIndex(of: word.prefix(3).lowercased()) {
                month = found
            } else if year == nil, let found = leadingNumber(word, 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year else { return nil }
        if year >= 70 && year <= 99 { year += 1900 } else if year >= 0 && year <= 69 { year += 2000 }
        if year < 1601 || clock[0] > 23 || clock[1] > 59 || clock[2] > 59 { return nil }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        if day < 1 || day > lengths[month] { return nil }
        let years = year >= 1970 ? (1970..<year).map(days).reduce(0, +) : -(year..<1970).map(days).reduce(0, +)
        let whole = years + lengths[..<month].reduce(0, +) + day - 1
        return Double(((whole * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2])
    }

    private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || (" "..."/").contains(scalar) || (";"..."@").contains(scalar)
            || ("["..."`").contains(scalar) || ("{"..."~").contains(scalar)
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private static func leadingNumber(_ word: some StringProtocol, _ length: ClosedRange<Int>) -> Int? {
        let digits = word.prefix(while: isDigit)
        return length.contains(digits.count) ? Int(digits) : nil
    }

    private static func hms(_ word: String) -> [Int]? {
        let fields = word.components(separatedBy: ":")
        guard fields.count >= 3, fields[..<2].allSatisfy({ $0.allSatisfy(isDigit) }) else { return nil }
        let numbers = fields[..<3].compactMap { leadingNumber($0, 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    private static func isLeap(_ year: Int) -> Bool { year % 400 == 0 || year % 100 != 0 && year % 4 == 0 }

    private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }
}

/// Dates as servers write them, and as none does.
private struct RandomDates {
    /// - Parameter years: The years of most dates.
    static func next(years: ClosedRange<Int>, _ numbers: inout Numbers) -> String {
        func one<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &numbers)] }
        func number(_ range: ClosedRange<Int>, _ widths: [Int]) -> String {
            let digits = String(Int.random(in: range, using: &numbers))
            return String(repeating: "0", count: max(0, one(widths) - digits.count)) + digits
        }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let name = one(names)
        let month = one([name, name, name, name.uppercased(), name.lowercased(), name + "uary", name + "3", "Ja", "07"])
        let year = number(years, [0])
        let day = Int.random(in: 0..<12, using: &numbers) == 0 ? number(0...40, [1, 2, 3]) : number(1...28, [1, 2])
        let time = [number(0...23, [1, 2]), number(0...59, [1, 2]), number(0...59, [2])].joined(separator: ":")
        let hms = one([
            time, time, time, time, time + "x", time + ":9", number(0...30, [2]) + ":30:30", "1:" + time, "12:30",
            number(0...9, [3]) + ":00:00", "10:" + number(0...70, [2]) + ":" + number(0...70, [2]),
        ])
        let written = one([
            year, year, year, year, String(year.suffix(2)), year + "x", year + "0", String(year.suffix(3)), "1601",
            "1600", "70", "69", "9999",
        ])
        let weekday = one(["Mon", "Thu", "Wednesday", "", "", "x", "3"])
        let zone = one(["GMT", "GMT", "UTC", "+0100", "GMT-0500 (EST)", "", "é", "1"])
        let gap = one([" ", " ", "-", "/", "\t", "  "])
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: return "\(weekday) \(month) \(day) \(hms) \(written) \(zone)"
        case 1: return ["\(weekday),", day, month, written, hms, zone].shuffled(using: &numbers).joined(separator: gap)
        case 2: return [hms, day, month, written].joined(separator: one([gap, ".", "_", ":", ""]))
        default: return "\(weekday), \(day)\(gap)\(month)\(gap)\(written) \(hms) \(zone)"
        }
    }
}

@Suite("The jar against a plain model of RFC 6265bis", .seeded, .heavy)
struct ModelTests {
    private var steps: Int {
        ProcessInfo.processInfo.environment["HTTPCHAIN_COOKIE_STEPS"].flatMap(Int.init) ?? 20_000
    }

    @Test("The jar agrees on what is stored and what every request carries, whatever the fields and clocks")
    func agreement() throws {
        var numbers = Numbers(Seed.numbers())
        func one<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &numbers)] }
        var limits = CookieLimits()
        limits.perDomain = 6
        limits.total = 20
        var model = PlainModel()
        var storage = CookieStorage(limits: limits)
        var time = 1_546_300_800.0
        var (received, stored, dated, carried) = (0, 0, 0, 0)
        for step in 0..<steps {
            time += one([0, 0, 0, 1, 30, 4_000])
            let visit = PlainModel.Visit(
                scheme: one(["https", "https", "https", "http"]),
                host: one([
                    "example.com", "a.example.com", "b.a.example.com", "other.com", "shop.co.uk", "www.shop.co.uk",
                    "localhost",
                ]),
                path: one(["/", "/x", "/x/", "/x/y", "/xy"]),
                method: one(["GET", "GET", "HEAD", "POST", "PUT"]),
                page: one([
                    nil, nil, nil, nil, nil, nil, nil, nil, "https://example.com", "https://a.example.com:8443",
                    "http://b.example.com",
                    "https://other.com", "https://www.shop.co.uk", "https://other.co.uk", "http://localhost:8080",
                ]),
                replacesPage: one([false, false, true])
            )
            let site = visit.page.map { SiteContext.page($0, isNavigation: visit.replacesPage) } ?? .sameSite
            let authority = visit.host + one(["", "", ":8443"])
            let url = "\(visit.scheme)://\(authority)\(visit.path)"
            let method = try #require(HTTPRequest.Method(visit.method))
            let target = try #require(CookieTarget(url, method: method, site: site))
            let now = Date(timeIntervalSince1970: time)
            if Bool.random(using: &numbers) {
                let attributes = [
                    "Secure", "secure ", "Secure", "HttpOnly", "Path=/", "Path=/x", "path=/x/", "Path=x", "Path=",
                    "Domain=" + visit.host, "Domain=." + visit.host, "Domain=example.com", "Domain=.a.Example.com",
                    "Domain=shop.co.uk",
                    "Domain=com", "Domain=co.uk", "Domain=", "Domain=localhost", "Max-Age=60", "Max-Age=90000",
                    "Max-Age=0", "Max-Age=-1", "Max-Age=x", "Max-Age=999999999999",
                    "Secure; SameSite=None", "SameSite=None", "samesite=LAX", "SameSite=Strict", "SameSite=odd",
                    "Secure; Partitioned", "Partitioned", "Secure; Path=/; HttpOnly", "odd", "", "=", " x = y ",
                ]
                let plain = ["a", "b", "c", "d", ""]
                let name = one(plain + plain + plain + plain + ["__Host-a", "__Secure-a", "__http-a", "__Host-Http-a"])
                let value = one([
                    "1", "2", "3", "4", "5", "6", "7", "8", " q ", "\"3\"", "a=b", "", "\u{1}", "\t", "__Host-x", "é",
                ])
                let pair = one(["\(name)=\(value)", "\(name)=\(value)", " \(name) = \(value)", value])
                let count = Int.random(in: 0...3, using: &numbers)
                var parts = [pair] + (0..<count).map { _ in one(attributes) }
                if one([false, false, true]) {
                    dated += 1
                    parts.append("Expires=" + RandomDates.next(years: 2018...2030, &numbers))
                    parts.append("Expires=" + one(["never", "", RandomDates.next(years: 2018...2030, &numbers)]))
                }
                let field = parts.joined(separator: one([";", "; "]))
                let outcome = storage.store([field], from: target, at: now).outcomes[0]
                let isStored = model.receive(field, visit, time)
                // An expectation in each step would take longer than all the rest.
                if (outcome.reason == nil) != isStored { Issue.record("step \(step): \(field) from \(url)") }
                received += 1
                stored += isStored ? 1 : 0
            }
            let expected = model.send(visit, time)
            let field = storage.field(for: target, at: now) ?? ""
            if field != expected {
                #expect(field == expected, "step \(step)")
                return
            }
            carried += expected.isEmpty ? 0 : 1
            let near = model.list.contains { PlainModel.covers(visit.host, $0.domain) }
            if storage.mayHaveCookies(forAuthority: authority) != near { Issue.record("step \(step): \(authority)") }
        }
        print("cookies: \(received) Set-Cookie fields, \(dated) with dates, \(stored) stored; sent \(carried) times")
        #expect(received >= steps * 10 / 21)
        #expect(stored > received / 4)
        #expect(dated > received / 4)
        #expect(carried > steps / 5)
    }

    @Test("The jar agrees on what dates in any form mean")
    func dates() {
        var numbers = Numbers(Seed.numbers(2))
        var moments = 0
        for _ in 0..<steps {
            let text = RandomDates.next(years: 1590...2110, &numbers)
            let expected = PlainDate.seconds(of: text)
            if CookieDate.parse(text)?.timeIntervalSince1970 != expected { Issue.record("\(text)") }
            moments += expected == nil ? 0 : 1
        }
        print("cookies: \(steps) dates, \(moments) of them moments")
        #expect(moments > steps / 3)
        #expect(steps - moments > steps / 10)
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
#endif
