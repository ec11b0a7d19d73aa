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
        for line in stored.response.lines("vary") {
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

    func verdict(_ request: Message, method: String, url: String, at now: Double) -> Verdict {
        let onlyCached = Self.has("only-if-cached", request)
        guard method == "GET" else { return .forward }
        let here = stored.filter { $0.url == url }
        let selected = here.filter { Self.selects($0, request) }.max { left, right in
            let leftDate = Self.time(left.response.lines("date").first) ?? left.receivedAt.rounded(.down)
            let rightDate = Self.time(right.response.lines("date").first) ?? right.receivedAt.rounded(.down)
            return leftDate != rightDate ? leftDate < rightDate : left.receivedAt <= right.receivedAt
        }
        guard let selected else {
            if onlyCached { return .gatewayTimeout }
            let tags = here.compactMap { $0.response.lines("etag").first }
            return tags.isEmpty ? .forward : .validate(tags: Set(tags).sorted(), since: nil)
        }
        let age = age(selected, at: now)
        let lifetime = lifetime(selected.response, receivedAt: selected.receivedAt)
        let isFresh = lifetime > age
        let response = selected.response
        let forbidsStale =
            Self.has("no-cache", response) || Self.has("must-revalidate", response)
            || isShared && (Self.has("proxy-revalidate", response) || Self.has("s-maxage", response))
        var mayServe = isFresh && !Self.has("no-cache", response)
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
        if !isFresh, !forbidsStale, Self.has("max-stale", request) {
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
        if !isFresh, !forbidsStale, !wantsNewer,
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
            body: body
        )
        stored.removeAll { old in
            old.url == url && Self.names(old.response) == Self.names(response)
                && Self.names(response).allSatisfy { old.request.lines($0) == request.lines($0) }
        }
        stored.append(new)
    }

    private static func names(_ response: Message) -> [String] {
        let all = response.lines("vary").joined(separator: ",").lowercased().components(separatedBy: ",")
        return Set(all.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }).sorted()
    }

    /// What an unsafe request does, §4.4.
    mutating func invalidate(_ url: String, method: String, status: Int) {
        guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method), (200..<400).contains(status) else { return }
        stored.removeAll { $0.url == url }
    }
}
