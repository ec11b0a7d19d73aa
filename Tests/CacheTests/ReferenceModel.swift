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
        var body: String
        /// The lines of `Vary` that select it; a 304 changes those of the response that its request selects alone.
        var vary: [String]
        var isInvalidated = false
    }

    enum Verdict: Equatable {
        /// The body that is served.
        case serve(String)
        case serveStaleAndValidate(String)
        /// The tags and dates that are sent.
        case validate(tags: [String], since: String?)
        case forward
        case gatewayTimeout
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

    // MARK: §3

    func isStorable(_ response: Message, to request: Message, method: String, receivedAt: Double) -> Bool {
        guard method == "GET", !Self.has("no-store", request), ![304, 412, 416, 206].contains(response.status) else {
            return false
        }
        let understood = response.status != 599
        if Self.has("must-understand", response) {
            if !understood { return false }
        } else if Self.has("no-store", response) {
            return false
        }
        if isShared {
            if Self.has("private", response) { return false }
            if request.has("authorization"),
                !["public", "must-revalidate", "s-maxage"].contains(where: { Self.has($0, response) })
            {
                return false
            }
        }
        if response.lines("vary").joined().contains("*") { return false }
        let isAllowed =
            Self.has("public", response) || response.has("expires") || Self.has("max-age", response)
            || isShared && Self.has("s-maxage", response) || !isShared && Self.has("private", response)
            || [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(response.status)
        guard isAllowed else { return false }
        // The cache does not keep what it could never use.
        let hasValidator = response.has("etag") || Self.time(response.lines("last-modified").first) != nil
        if Self.has("no-cache", response), !hasValidator { return false }
        if Self.has("must-revalidate", response), !hasValidator, lifetime(response, receivedAt: receivedAt) <= 0 {
            return false
        }
        return true
    }

    // MARK: §4.2

    func lifetime(_ response: Message, receivedAt: Double) -> Double {
        if isShared, let shared = Self.seconds("s-maxage", response) { return shared ?? 0 }
        if let age = Self.seconds("max-age", response) { return age ?? 0 }
        let date = Self.time(response.lines("date").first) ?? receivedAt.rounded(.down)
        if let expires = response.lines("expires").first {
            return max(0, (Self.time(expires) ?? 0) - date)
        }
        let mayGuess =
            [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(response.status)
            || Self.has("public", response)
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

    /// The most recent of those that a request selects.
    private func selected(_ request: Message, _ url: String) -> Int? {
        stored.indices.filter { stored[$0].url == url && Self.selects(stored[$0], request) }.max { left, right in
            let (leftDate, rightDate) = (Self.date(stored[left]), Self.date(stored[right]))
            return leftDate != rightDate
                ? leftDate < rightDate : stored[left].receivedAt <= stored[right].receivedAt
        }
    }

    func verdict(_ request: Message, method: String, url: String, at now: Double) -> Verdict {
        let onlyCached = Self.has("only-if-cached", request)
        guard ["GET", "HEAD"].contains(method) else { return .forward }
        let here = stored.filter { $0.url == url }
        guard let selected = selected(request, url).map({ stored[$0] }) else {
            if onlyCached { return .gatewayTimeout }
            let tags = here.compactMap { $0.response.lines("etag").first }
            return tags.isEmpty || method == "HEAD" ? .forward : .validate(tags: Set(tags).sorted(), since: nil)
        }
        let age = age(selected, at: now)
        let lifetime = lifetime(selected.response, receivedAt: selected.receivedAt)
        let isFresh = lifetime > age
        let response = selected.response
        let forbidsStale =
            Self.has("no-cache", response) || Self.has("must-revalidate", response)
            || isShared && (Self.has("proxy-revalidate", response) || Self.has("s-maxage", response))
        var mayServe = isFresh && !Self.has("no-cache", response) && !selected.isInvalidated
        var wantsNewer = false
        if Self.has("no-cache", request) || !request.has("cache-control") && request.lines("pragma") == ["no-cache"] {
            mayServe = false
            wantsNewer = true
        }
        if case .some(let value) = Self.seconds("max-age", request) {
            wantsNewer = true
            let limit = value ?? 0
            let isReload = limit == 0 && Self.has("immutable", response) && isFresh
            if !isReload, limit == 0 || age > limit { mayServe = false }
        }
        if case .some(.some(let margin)) = Self.seconds("min-fresh", request) {
            wantsNewer = true
            if lifetime - age < margin { mayServe = false }
        }
        if !isFresh, !forbidsStale, !selected.isInvalidated, Self.has("max-stale", request) {
            let isOtherwiseFine =
                !Self.has("no-cache", request)
                && !{
                    guard case .some(let value) = Self.seconds("max-age", request) else { return false }
                    return (value ?? 0) == 0 || age > (value ?? 0)
                }()
                && !{
                    guard case .some(.some(let margin)) = Self.seconds("min-fresh", request) else { return false }
                    return lifetime - age < margin
                }()
            let argument = Self.directives(request).first { $0.name == "max-stale" }?.value
            let limit = argument == nil ? Double.infinity : Double(argument ?? "") ?? -1
            if isOtherwiseFine, age - lifetime <= limit { mayServe = true }
        }
        if mayServe { return .serve(selected.body) }
        if onlyCached { return .gatewayTimeout }
        // A HEAD is no request that validates what GET has stored.
        if method == "HEAD" { return .forward }
        if !isFresh, !forbidsStale, !wantsNewer, !selected.isInvalidated,
            case .some(.some(let window)) = Self.seconds("stale-while-revalidate", response), age - lifetime <= window
        {
            return .serveStaleAndValidate(selected.body)
        }
        let dated = response.lines("last-modified").first.flatMap { Self.time($0) == nil ? nil : $0 }
        if let dated, !response.has("etag") { return .validate(tags: [], since: dated) }
        let tags = Set(here.compactMap { $0.response.lines("etag").first }).sorted()
        return tags.isEmpty ? .forward : .validate(tags: tags, since: response.has("etag") ? dated : nil)
    }

    // MARK: What changes

    mutating func store(
        _ response: Message,
        to request: Message,
        url: String,
        sentAt: Double,
        receivedAt: Double,
        body: String
    ) {
        let new = Stored(
            url: url,
            response: response,
            request: request,
            sentAt: sentAt,
            receivedAt: receivedAt,
            body: body,
            vary: response.lines("vary")
        )
        stored.removeAll { old in
            old.url == url && Self.names(old.vary) == Self.names(new.vary)
                && Self.names(new.vary).allSatisfy { old.request.lines($0) == request.lines($0) }
        }
        stored.append(new)
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
    ) -> String? {
        let selected = selected(request, url)
        var asked: [Int]
        if let selected, !stored[selected].response.has("etag") {
            // Asked about by its date alone, if it has one.
            asked = Self.time(stored[selected].response.lines("last-modified").first) == nil ? tagged(url) : [selected]
        } else {
            asked = tagged(url)
        }
        asked.removeAll { $0 == selected }
        if let selected, stored[selected].response.has("etag") || asked.isEmpty { asked.insert(selected, at: 0) }
        let opaque = { (tag: String) in tag.replacingOccurrences(of: "W/", with: "") }
        var matching: [Int]
        if let tag = answer.lines("etag").first {
            matching = asked.filter { stored[$0].response.lines("etag").first.map(opaque) == opaque(tag) }
            if tag.hasPrefix("W/") { matching = Array(matching.prefix(1)) }
        } else {
            matching = asked
            if let modified = Self.time(answer.lines("last-modified").first) {
                matching = asked.filter { Self.time(stored[$0].response.lines("last-modified").first) == modified }
            }
            if asked.count != 1 { matching = [] }
        }
        guard let first = matching.first(where: { $0 == selected }) ?? matching.first else { return nil }
        let body = stored[first].body
        guard !Self.has("no-store", request) else { return body }
        update(matching, with: answer, to: request, sentAt: sentAt, receivedAt: receivedAt)
        return body
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
            var entry = stored[index]
            let isSelected = Self.selects(entry, request)
            let names = Set(answer.fields.map(\.name)).union(["age", "date"])
            entry.response.fields.removeAll { names.contains($0.name) }
            entry.response.fields += answer.fields
            entry.sentAt = sentAt
            entry.receivedAt = receivedAt
            entry.isInvalidated = false
            if isSelected {
                entry.request = request
                entry.vary = entry.response.lines("vary")
            }
            stored[index] = entry
            if !isStorable(entry.response, to: request, method: "GET", receivedAt: receivedAt) {
                forbidden.append(index)
            }
        }
        for index in forbidden.sorted(by: >) { stored.remove(at: index) }
    }

    /// What an unsafe request does, §4.4: to its target, and to what the answer names in the same origin.
    mutating func invalidate(_ url: String, method: String, answer: Message) {
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
        stored.removeAll { urls.contains($0.url) }
    }
}
