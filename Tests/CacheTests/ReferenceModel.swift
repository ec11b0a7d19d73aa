#if AllTests
import Foundation

/// RFC 9111 for a simple world, plain and slow: written from the RFC alone, with text in place of parsed values, one
/// list of stored responses, and every rule looked up anew for each request.
///
/// The random test compares the cache with it. It shares no code with the cache.
struct ReferenceModel {
    struct Message {
        var status = 200
        /// Names in lower case, in order.
        var fields: [(name: String, value: String)] = []

        func lines(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        func has(_ name: String) -> Bool { !lines(name).isEmpty }
    }

    struct Stored {
        var url: String
        var response: Message
        var request: Message
        var sentAt: Double
        var receivedAt: Double
        /// The bytes that are held, as text.
        var body: String
        /// Which bytes of the whole these are, and how long the whole is where that is known; nil for all of it.
        var part: (range: Range<Int>, total: Int?)?
        var classification: String?
        /// The lines of `Vary` that select it; a 304 changes those of the response that its request selects alone.
        var vary: [String]
        var isInvalidated = false
    }

    /// What the call wants beside what its fields say.
    struct Wish {
        var use = ""
        var ignoresQuery = false
        var classification: String?
    }

    enum Verdict: Equatable {
        /// How the answer is, and its bytes.
        case serve(String)
        case serveStaleAndValidate(String)
        /// The tags and dates that are sent.
        case validate(tags: [String], since: String?)
        /// The rest is asked for, from this byte.
        case complete(Int)
        case forward
        case gatewayTimeout
    }

    /// What a 304 comes to.
    enum Freshened: Equatable {
        case served(String)
        /// It is about what the caller has.
        case passedOn
        /// It is about nothing that is stored.
        case sentAgain
    }

    var isShared: Bool
    var stored: [Stored] = []

    // MARK: Directives

    /// All directives of a message, §5.2, names in lower case and `nil` for one without an argument.
    ///
    /// This world has no quoted commas.
    static func directives(_ message: Message, _ field: String = "cache-control") -> [(name: String, value: String?)] {
        message.lines(field).joined(separator: ",").components(separatedBy: ",").compactMap { piece in
            let text = piece.trimmingCharacters(in: .whitespaces)
            guard !text.isEmpty else { return nil }
            guard let equals = text.firstIndex(of: "=") else { return (text.lowercased(), nil) }
            var value = String(text[text.index(after: equals)...])
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = String(value.dropFirst().dropLast())
            }
            return (text[..<equals].lowercased(), value)
        }
    }

    static func has(_ name: String, _ message: Message) -> Bool { directives(message).contains { $0.name == name } }

    /// The first directive of a name: `nil` when there is none, `.some(nil)` when its value is no number of seconds.
    static func seconds(_ name: String, _ message: Message) -> Double?? {
        guard let first = directives(message).first(where: { $0.name == name }) else { return nil }
        guard let value = first.value, !value.isEmpty, value.allSatisfy({ "0123456789".contains($0) }) else {
            return .some(nil)
        }
        return .some(min(Double(value) ?? 0, 2_147_483_648))
    }

    static func time(_ text: String?) -> Double? {
        guard let text else { return nil }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.components(separatedBy: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let month = months.firstIndex(of: words[2]),
            let year = Int(words[3])
        else { return nil }
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let days = (1970..<year).map { isLeap($0) ? 366 : 365 }.reduce(0, +) + lengths[..<month].reduce(0, +) + day - 1
        let clock = words[4].components(separatedBy: ":").compactMap { Int($0) }
        return Double(days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }

    // MARK: RFC 9213

    /// Whether a targeted field takes the place of `Cache-Control` and `Expires`: one that is empty or malformed does not.
    private func isTargeted(_ response: Message) -> Bool {
        let text = response.lines("cdn-cache-control").joined(separator: ",")
        return isShared && !text.isEmpty && !text.contains("&")
    }

    private func says(_ name: String, _ response: Message) -> Bool {
        let field = isTargeted(response) ? "cdn-cache-control" : "cache-control"
        return Self.directives(response, field).contains { $0.name == name }
    }

    private func number(_ name: String, _ response: Message) -> Double?? {
        var message = response
        if isTargeted(response) {
            message.fields = response.lines("cdn-cache-control").map { ("cache-control", $0) }
        }
        return Self.seconds(name, message)
    }

    // MARK: §3

    func isStorable(_ response: Message, to request: Message, method: String, receivedAt: Double) -> Bool {
        guard method == "GET", !Self.has("no-store", request), ![304, 412, 416].contains(response.status) else {
            return false
        }
        if response.status == 206, !response.has("content-range") { return false }
        let understood = response.status != 599
        if says("must-understand", response) {
            if !understood { return false }
        } else if says("no-store", response) {
            return false
        }
        if isShared {
            if says("private", response) { return false }
            if request.has("authorization"),
                !["public", "must-revalidate", "s-maxage"].contains(where: { says($0, response) })
            {
                return false
            }
        }
        if response.lines("vary").joined().contains("*") { return false }
        let isAllowed =
            says("public", response) || response.has("expires") && !isTargeted(response) || says("max-age", response)
            || isShared && says("s-maxage", response) || !isShared && says("private", response)
            || [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(response.status)
        guard isAllowed else { return false }
        // The cache does not keep what it could never use.
        let hasValidator = response.has("etag") || Self.time(response.lines("last-modified").first) != nil
        if says("no-cache", response), !hasValidator { return false }
        if says("must-revalidate", response), !hasValidator, lifetime(response, receivedAt: receivedAt) <= 0 {
            return false
        }
        return true
    }

    // MARK: §4.2

    func lifetime(_ response: Message, receivedAt: Double) -> Double {
        if isShared, let shared = number("s-maxage", response) { return shared ?? 0 }
        if let age = number("max-age", response) { return age ?? 0 }
        let date = Self.time(response.lines("date").first) ?? receivedAt.rounded(.down)
        if !isTargeted(response), let expires = response.lines("expires").first {
            return max(0, (Self.time(expires) ?? 0) - date)
        }
        let mayGuess =
            [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(response.status)
            || says("public", response)
        guard mayGuess, let modified = Self.time(response.lines("last-modified").first), modified < date else {
            return 0
        }
        return min(86_400, ((date - modified) / 10).rounded(.down))
    }

    func age(_ stored: Stored, at now: Double) -> Double {
        let date = Self.time(stored.response.lines("date").first) ?? stored.receivedAt.rounded(.down)
        let field = stored.response.lines("age").first ?? "0"
        let ageValue = field.allSatisfy { "0123456789".contains($0) } ? Double(field) ?? 0 : 0
        let apparent = max(0, stored.receivedAt.rounded(.down) - date)
        let corrected = ageValue + (stored.receivedAt - stored.sentAt)
        return max(apparent, corrected) + (now - stored.receivedAt)
    }

    // MARK: §4.1

    static func selects(_ stored: Stored, _ request: Message) -> Bool {
        for line in stored.vary {
            for name in line.lowercased().components(separatedBy: ",") {
                let name = name.trimmingCharacters(in: .whitespaces)
                guard !name.isEmpty else { continue }
                let then = stored.request.lines(name)
                let now = request.lines(name)
                if then.isEmpty != now.isEmpty || then.joined(separator: ",") != now.joined(separator: ",") {
                    return false
                }
            }
        }
        return true
    }

    // MARK: §4

    private static func date(_ stored: Stored) -> Double {
        time(stored.response.lines("date").first) ?? stored.receivedAt.rounded(.down)
    }

    /// The one that is used of those that a request selects: one that has what is asked for before all others, and then
    /// the most recent.
    private func selected(_ request: Message, _ method: String, _ url: String) -> Int? {
        var best: Int?
        for index in stored.indices where stored[index].url == url && Self.selects(stored[index], request) {
            guard let other = best else {
                best = index
                continue
            }
            let has = form(of: stored[index], to: request, method) != nil
            let otherHas = form(of: stored[other], to: request, method) != nil
            let (date, otherDate) = (Self.date(stored[index]), Self.date(stored[other]))
            let isOlder =
                date != otherDate ? date < otherDate : stored[index].receivedAt < stored[other].receivedAt
            if has == otherHas ? !isOlder : has { best = index }
        }
        return best
    }

    // MARK: RFC 9110 §13, §14

    private static func tags(_ lines: [String]) -> [String] {
        lines.joined(separator: ",").components(separatedBy: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    private static func opaque(_ tag: String) -> String { tag.replacingOccurrences(of: "W/", with: "") }

    /// Strong by itself: so long before `Date` that it tells two changes apart.
    private static func strongDate(_ response: Message, receivedAt: Double) -> Double? {
        let date = time(response.lines("date").first) ?? receivedAt.rounded(.down)
        guard let modified = time(response.lines("last-modified").first), date - modified >= 60 else { return nil }
        return modified
    }

    /// The first and the last byte that a request asks for; nil where it asks for all, and `[]` for several ranges.
    static func range(_ request: Message) -> [Int?]? {
        guard let text = request.lines("range").first, text.hasPrefix("bytes=") else { return nil }
        let spec = text.dropFirst("bytes=".count)
        if spec.contains(",") { return [] }
        let ends = spec.components(separatedBy: "-").map { Int($0) }
        if let first = ends[0], let last = ends[1], last < first { return nil }
        return ends
    }

    /// The bytes that are meant of so many; nil when there are none of them.
    static func bytes(_ ends: [Int?], of length: Int) -> Range<Int>? {
        if let first = ends[0] { return first < length ? first..<min((ends[1] ?? length) + 1, length) : nil }
        guard let count = ends[1], count > 0 else { return nil }
        return max(0, length - count)..<length
    }

    /// How a stored response answers: its status and bytes; nil when it cannot.
    func form(of entry: Stored, to request: Message, _ method: String) -> String? {
        let response = entry.response
        let date = Self.time(response.lines("date").first) ?? entry.receivedAt.rounded(.down)
        if response.status == 200 {
            let own = request.lines("if-none-match")
            if !own.isEmpty {
                let tag = response.lines("etag").first.map(Self.opaque)
                let isKnown = Self.tags(own).contains { $0 == "*" || tag != nil && Self.opaque($0) == tag }
                if isKnown { return "304 of \(entry.body)" }
            } else if let since = Self.time(request.lines("if-modified-since").first),
                Self.time(response.lines("last-modified").first) ?? date <= since
            {
                return "304 of \(entry.body)"
            }
        }
        var asked: [Int?]?
        if method == "GET", response.status == 200 { asked = Self.range(request) }
        if asked != nil, let condition = request.lines("if-range").first {
            if let date = Self.time(condition) {
                if date != Self.strongDate(response, receivedAt: entry.receivedAt) { asked = nil }
            } else if condition.hasPrefix("W/") || response.lines("etag").first != condition {
                asked = nil
            }
        }
        if let asked, asked.isEmpty { return nil }
        guard let part = entry.part else {
            guard let asked else { return entry.body }
            let length = entry.body.count
            guard let bytes = Self.bytes(asked, of: length) else { return "416 \(length)" }
            return "206 \(bytes) of \(length): \(Self.slice(entry.body, bytes))"
        }
        guard let asked else { return nil }
        let bytes: Range<Int>
        if let total = part.total {
            guard let known = Self.bytes(asked, of: total) else { return "416 \(total)" }
            bytes = known
        } else {
            guard let first = asked[0], let last = asked[1] else { return nil }
            bytes = first..<(last + 1)
        }
        guard part.range.lowerBound <= bytes.lowerBound, bytes.upperBound <= part.range.upperBound else { return nil }
        let held = bytes.lowerBound - part.range.lowerBound..<bytes.upperBound - part.range.lowerBound
        return "206 \(bytes) of \(part.total.map { "\($0)" } ?? "*"): \(Self.slice(entry.body, held))"
    }

    static func slice(_ text: String, _ range: Range<Int>) -> String {
        String(text.dropFirst(range.lowerBound).prefix(range.count))
    }

    // MARK: The verdict

    /// Why a stored response may not be used without asking.
    private func obstacle(_ entry: Stored, _ request: Message, _ wish: Wish, at now: Double) -> String? {
        let response = entry.response
        let age = age(entry, at: now)
        let lifetime = lifetime(response, receivedAt: entry.receivedAt)
        if entry.isInvalidated { return "invalidated" }
        if says("no-cache", response) { return "response" }
        if Self.has("no-cache", request) || wish.use == "refresh" { return "request" }
        if !request.has("cache-control"), request.lines("pragma") == ["no-cache"] { return "request" }
        if case .some(let value) = Self.seconds("max-age", request) {
            let limit = value ?? 0
            let isReload = limit == 0 && says("immutable", response) && lifetime > age
            if !isReload, limit == 0 || age > limit { return "max-age" }
        }
        if case .some(.some(let margin)) = Self.seconds("min-fresh", request), lifetime - age < margin {
            return "min-fresh"
        }
        if lifetime > age { return nil }
        if !forbidsStale(response), Self.has("max-stale", request) {
            let argument = Self.directives(request).first { $0.name == "max-stale" }?.value
            let limit = argument == nil ? Double.infinity : Double(argument ?? "") ?? -1
            if age - lifetime <= limit { return nil }
        }
        return "stale"
    }

    private func forbidsStale(_ response: Message) -> Bool {
        says("no-cache", response) || says("must-revalidate", response)
            || isShared && (says("proxy-revalidate", response) || says("s-maxage", response))
    }

    private static func limitsFreshness(_ request: Message) -> Bool {
        if has("no-cache", request) || seconds("max-age", request) != nil { return true }
        if !request.has("cache-control"), request.lines("pragma") == ["no-cache"] { return true }
        if case .some(.some) = seconds("min-fresh", request) { return true }
        return false
    }

    func verdict(_ request: Message, method: String, url: String, _ wish: Wish, at now: Double) -> Verdict {
        if wish.use == "off" { return .forward }
        guard ["GET", "HEAD"].contains(method) else { return wish.use == "onlyStored" ? .gatewayTimeout : .forward }
        let onlyCached = Self.has("only-if-cached", request) || wish.use == "onlyStored"
        if request.has("if-match") { return onlyCached ? .gatewayTimeout : .forward }
        guard let index = selected(request, method, url) else {
            if onlyCached { return .gatewayTimeout }
            return method == "HEAD" ? .forward : question(request, url, selected: nil)
        }
        let entry = stored[index]
        let response = entry.response
        guard let answer = form(of: entry, to: request, method) else {
            if onlyCached { return .gatewayTimeout }
            let isPlain =
                method == "GET" && !request.has("range") && !request.has("if-none-match")
                && !request.has("if-modified-since")
            if let part = entry.part, part.range.lowerBound == 0, part.total != nil, isPlain, !entry.isInvalidated,
                wish.use != "refresh", isStrong(entry)
            {
                return .complete(part.range.upperBound)
            }
            return .forward
        }
        let age = age(entry, at: now)
        let lifetime = lifetime(response, receivedAt: entry.receivedAt)
        let mayBeStale = !forbidsStale(response) && !entry.isInvalidated
        let isFirst = wish.use == "storedFirst" && method == "GET" && !Self.has("only-if-cached", request)
        guard let obstacle = obstacle(entry, request, wish, at: now) else {
            return isFirst ? .serveStaleAndValidate(answer) : .serve(answer)
        }
        if wish.use == "onlyStored" {
            let mayBeUsed = !["response", "invalidated"].contains(obstacle) && lifetime > age
            return mayBeStale || mayBeUsed ? .serve(answer) : .gatewayTimeout
        }
        if onlyCached { return .gatewayTimeout }
        // A HEAD is no request that validates what GET has stored.
        if method == "HEAD" { return .forward }
        if obstacle == "stale", mayBeStale, !Self.limitsFreshness(request) {
            if isFirst { return .serveStaleAndValidate(answer) }
            if case .some(.some(let window)) = number("stale-while-revalidate", response), window > 0,
                age - lifetime <= window
            {
                return .serveStaleAndValidate(answer)
            }
        }
        return question(request, url, selected: index)
    }

    /// Whether what is stored has a strong validator.
    private func isStrong(_ entry: Stored) -> Bool {
        if let tag = entry.response.lines("etag").first { return !tag.hasPrefix("W/") }
        return Self.strongDate(entry.response, receivedAt: entry.receivedAt) != nil
    }

    /// Those that a question is about: the selected one first, the most recent of the others next; and whether it is
    /// about the date of one.
    private func asked(_ request: Message, _ url: String, selected: Int?) -> (indices: [Int], isDated: Bool) {
        let own = Self.tags(request.lines("if-none-match"))
        if own.contains("*") { return ([], false) }
        if let selected, own.isEmpty, !stored[selected].response.has("etag"),
            Self.time(stored[selected].response.lines("last-modified").first) != nil
        {
            return ([selected], true)
        }
        var indices = tagged(url).filter { $0 != selected && stored[$0].part == nil }
        if let selected, stored[selected].response.has("etag") { indices.insert(selected, at: 0) }
        return (indices, false)
    }

    /// §4.3.1.
    private func question(_ request: Message, _ url: String, selected: Int?) -> Verdict {
        let (indices, isDated) = asked(request, url, selected: selected)
        guard let first = indices.first else { return .forward }
        if isDated { return .validate(tags: [], since: stored[first].response.lines("last-modified").first) }
        let tags = Set(indices.compactMap { stored[$0].response.lines("etag").first })
        let all = tags.union(Self.tags(request.lines("if-none-match"))).sorted()
        guard let selected, stored[selected].response.has("etag"),
            let modified = stored[selected].response.lines("last-modified").first, Self.time(modified) != nil
        else { return .validate(tags: all, since: nil) }
        return .validate(tags: all, since: modified)
    }

    /// RFC 5861 §4: what answers when the server fails.
    func emergency(_ request: Message, method: String, url: String, _ wish: Wish, at now: Double) -> String? {
        guard let index = selected(request, method, url), let answer = form(of: stored[index], to: request, method),
            let obstacle = obstacle(stored[index], request, wish, at: now), !stored[index].isInvalidated,
            !forbidsStale(stored[index].response)
        else { return nil }
        let staleness =
            age(stored[index], at: now) - lifetime(stored[index].response, receivedAt: stored[index].receivedAt)
        var windows: [Double] = []
        if case .some(.some(let window)) = Self.seconds("stale-if-error", request) { windows.append(window) }
        if obstacle != "request", case .some(let window) = number("stale-if-error", stored[index].response) {
            windows.append(window ?? 0)
        }
        let isAllowed = wish.use == "storedOnFailure" || windows.contains { $0 > 0 ? staleness <= $0 : staleness < 0 }
        return isAllowed ? answer : nil
    }

    // MARK: What changes

    mutating func store(
        _ response: Message,
        to request: Message,
        url: String,
        _ wish: Wish,
        sentAt: Double,
        receivedAt: Double,
        body: String,
        part: (range: Range<Int>, total: Int?)? = nil
    ) {
        var new = Stored(
            url: url,
            response: response,
            request: request,
            sentAt: sentAt,
            receivedAt: receivedAt,
            body: body,
            part: part,
            classification: wish.classification,
            vary: response.lines("vary")
        )
        let before = stored.firstIndex { Self.isSameVariant($0, new) }
        if part != nil {
            new.response.status = 200
            new.response.fields.removeAll { $0.name == "content-range" }
            guard combine(&new, with: before) else { return }
        }
        stored.removeAll { Self.isSameVariant($0, new) }
        stored.append(new)
    }

    private static func isSameVariant(_ old: Stored, _ new: Stored) -> Bool {
        old.url == new.url && names(old.vary) == names(new.vary)
            && names(new.vary).allSatisfy { old.request.lines($0) == new.request.lines($0) }
    }

    /// §3.4, for a part that came.
    ///
    /// - Returns: Whether it is stored in place of what is there.
    private mutating func combine(_ new: inout Stored, with index: Int?) -> Bool {
        guard let part = new.part else { return true }
        defer { if let part = new.part, part.total == part.range.count { new.part = nil } }
        guard let index else { return true }
        let old = stored[index]
        let tags = (new.response.lines("etag").first, old.response.lines("etag").first)
        let isSame: Bool
        switch tags {
        case (.some(let one), .some(let other)): isSame = one == other && !one.hasPrefix("W/")
        case (nil, nil):
            let date = Self.strongDate(new.response, receivedAt: new.receivedAt)
            isSame = date != nil && date == Self.strongDate(old.response, receivedAt: old.receivedAt)
        default: isSame = false
        }
        // What answers no GET of the content is no part of it.
        guard old.response.status == 200 else { return tags.0 != nil && tags.1 != nil }
        guard let held = old.part else {
            if !isSame { return tags.0 != nil && tags.1 != nil }
            // All of it is there.
            new.part = nil
            new.body = old.body
            new.response.fields = Self.merged(old.response, new.response)
            new.vary = new.response.lines("vary")
            stored[index] = new
            return false
        }
        guard isSame, held.range.lowerBound <= part.range.upperBound, part.range.lowerBound <= held.range.upperBound
        else { return true }
        let union =
            min(held.range.lowerBound, part.range.lowerBound)..<max(held.range.upperBound, part.range.upperBound)
        var bytes = ""
        for place in union {
            let own = place - part.range.lowerBound
            let (text, at) =
                part.range.contains(place) ? (new.body, own) : (old.body, place - held.range.lowerBound)
            bytes += Self.slice(text, at..<(at + 1))
        }
        new.body = bytes
        new.part = (union, part.total ?? held.total)
        new.response.fields = Self.merged(old.response, new.response)
        return true
    }

    /// §3.2: the fields of the answer in place of those with the same name.
    private static func merged(_ old: Message, _ answer: Message) -> [(name: String, value: String)] {
        let names = Set(answer.fields.map(\.name)).union(["age", "date"])
        return old.fields.filter { !names.contains($0.name) } + answer.fields
    }

    /// Whether a partial answer is the rest of what is stored.
    func isContinued(_ url: String, _ request: Message, by answer: Message, receivedAt: Double) -> Bool {
        guard let index = selected(request, "GET", url) else { return false }
        let old = stored[index]
        switch (answer.lines("etag").first, old.response.lines("etag").first) {
        case (.some(let one), .some(let other)): return one == other && !one.hasPrefix("W/")
        case (nil, nil):
            let date = Self.strongDate(answer, receivedAt: receivedAt)
            return date != nil && date == Self.strongDate(old.response, receivedAt: old.receivedAt)
        default: return false
        }
    }

    private static func names(_ vary: [String]) -> [String] {
        let all = vary.joined(separator: ",").lowercased().components(separatedBy: ",")
        return Set(all.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }).sorted()
    }

    // MARK: §4.3.4, §4.3.5

    /// What a 304 does; the body that answers, and nil where it is about nothing that is stored.
    mutating func freshen(
        _ answer: Message,
        to request: Message,
        url: String,
        sentAt: Double,
        receivedAt: Double
    ) -> Freshened {
        let selected = selected(request, "GET", url)
        let (asked, _) = asked(request, url, selected: selected)
        let own = Self.tags(request.lines("if-none-match"))
        var matching: [Int]
        if let tag = answer.lines("etag").first {
            matching = asked.filter { stored[$0].response.lines("etag").first.map(Self.opaque) == Self.opaque(tag) }
            if matching.isEmpty {
                return own.contains { Self.opaque($0) == Self.opaque(tag) } ? .passedOn : .sentAgain
            }
            if tag.hasPrefix("W/") { matching = Array(matching.prefix(1)) }
        } else {
            matching = asked
            if let modified = Self.time(answer.lines("last-modified").first) {
                matching = asked.filter { Self.time(stored[$0].response.lines("last-modified").first) == modified }
            }
            if asked.count != 1 || request.has("if-none-match") { matching = [] }
        }
        guard let first = matching.first(where: { $0 == selected }) ?? matching.first else { return .sentAgain }
        let updated = self.updated(stored[first], with: answer, to: request, sentAt: sentAt, receivedAt: receivedAt)
        guard let answerToCaller = form(of: updated, to: request, "GET") else { return .sentAgain }
        guard !Self.has("no-store", request) else { return .served(answerToCaller) }
        update(matching, with: answer, to: request, sentAt: sentAt, receivedAt: receivedAt)
        return .served(answerToCaller)
    }

    /// Those with a tag, the most recent first.
    private func tagged(_ url: String) -> [Int] {
        var rest = stored.indices.filter { stored[$0].url == url && stored[$0].response.has("etag") }
        var result: [Int] = []
        while !rest.isEmpty {
            var best = 0
            for index in rest.indices {
                let (own, other) = (stored[rest[index]], stored[rest[best]])
                if (Self.date(own), own.receivedAt) > (Self.date(other), other.receivedAt) { best = index }
            }
            result.append(rest.remove(at: best))
        }
        return result
    }

    /// What an answer to HEAD does to the responses to GET.
    mutating func head(_ answer: Message, to request: Message, url: String, sentAt: Double, receivedAt: Double) {
        guard !Self.has("no-store", request), [200, 404, 410].contains(answer.status) else { return }
        let here = stored.indices.filter {
            stored[$0].url == url && Self.selects(stored[$0], request) && stored[$0].response.status == 200
        }
        var same: [Int] = []
        for index in here {
            let response = stored[index].response
            let tag = answer.lines("etag").first
            let modified = Self.time(answer.lines("last-modified").first)
            let isSame =
                answer.status == 200 && (tag == nil || tag == response.lines("etag").first)
                && (modified == nil || modified == Self.time(response.lines("last-modified").first))
            if isSame { same.append(index) } else { stored[index].isInvalidated = true }
        }
        update(same, with: answer, to: request, sentAt: sentAt, receivedAt: receivedAt)
    }

    /// §3.2; what may not be stored with what the answer says goes.
    private mutating func update(
        _ indices: [Int],
        with answer: Message,
        to request: Message,
        sentAt: Double,
        receivedAt: Double
    ) {
        var forbidden: [Int] = []
        for index in indices {
            stored[index] = updated(stored[index], with: answer, to: request, sentAt: sentAt, receivedAt: receivedAt)
            if !isStorable(stored[index].response, to: request, method: "GET", receivedAt: receivedAt) {
                forbidden.append(index)
            }
        }
        for index in forbidden.sorted(by: >) { stored.remove(at: index) }
    }

    private func updated(
        _ old: Stored,
        with answer: Message,
        to request: Message,
        sentAt: Double,
        receivedAt: Double
    ) -> Stored {
        var entry = old
        let isSelected = Self.selects(entry, request)
        entry.response.fields = Self.merged(entry.response, answer)
        entry.sentAt = sentAt
        entry.receivedAt = receivedAt
        entry.isInvalidated = false
        if isSelected {
            entry.request = request
            entry.vary = entry.response.lines("vary")
        }
        return entry
    }

    /// The URL by which a call stores and looks up.
    static func key(_ url: String, _ wish: Wish) -> String {
        wish.ignoresQuery ? url.components(separatedBy: "?")[0] : url
    }

    /// What an unsafe request does, §4.4: to its target, and to what the answer names in the same origin; with the query
    /// and without what the call ignores of it.
    mutating func invalidate(_ url: String, method: String, _ wish: Wish, answer: Message) {
        guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method), (200..<400).contains(answer.status) else { return }
        var urls = [url]
        for name in ["location", "content-location"] {
            guard let reference = answer.lines(name).first else { continue }
            if reference.hasPrefix("/") {
                urls.append("https://example.com" + reference)
            } else if !reference.contains("://") {
                urls.append("https://example.com/" + reference)
            } else {
                urls.append(reference)
            }
        }
        if wish.ignoresQuery { urls += urls.map { Self.key($0, wish) } }
        stored.removeAll { urls.contains($0.url) }
    }
}
#endif
