import DrillSupport
import Foundation

/// How a reply is read; it follows from its number.
enum ReplyReading: Int, CaseIterable {
    case json, value, events, parts, head, trace, lines, post, put, reopenedEvents, linkedPages, pages, batch, page
    case upload, body

    init(_ number: Int) { self = Self.allCases[number % Self.allCases.count] }
}

/// The reply of a server that means harm, or is broken.
struct Reply: Sendable {
    /// All bytes that the server sends.
    let bytes: Data
    /// Whether the connection stays open after it for a moment.
    let staysOpen: Bool

    /// The reply that follows from a seed and a number: one of the grammar, and often some of its bytes changed.
    init(seed: UInt64, number: Int) {
        var numbers = Numbers(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        // The first numbers of neighbors are alike.
        for _ in 0..<4 { _ = numbers.next(2) }
        var grammar = ReplyGrammar(numbers: numbers, path: "/r/\(number)", reading: ReplyReading(number))
        var bytes = grammar.reply()
        staysOpen = grammar.chance(4)
        if grammar.chance(3) { grammar.mutate(&bytes) }
        self.bytes = Data(bytes)
    }

    /// Whether Foundation on Linux may end the process at the reply, as the documentation of `URLSessionTransport` says:
    /// the head is cut, a trailer field follows a chunked body, or the length is next to 2^63.
    var mayEndFoundation: Bool {
        var rest = bytes
        while true {
            guard let end = Self.endOfHead(rest) else { return !rest.isEmpty }
            let head = String(decoding: rest[..<end], as: UTF8.self).lowercased()
            rest = rest[end...]
            if Self.hasHugeLength(head) { return true }
            // Another head follows an interim one, and whatever there is then.
            if head.hasPrefix("http/1.1 1") { continue }
            guard head.contains("chunked") else { return false }
            // After the last chunk, whose size is zero, an empty line is the end.
            let last =
                rest.starts(with: "0\r\n".utf8)
                ? rest.startIndex + 3 : rest.range(of: Data("\r\n0".utf8), options: .backwards)?.upperBound
            guard let last else { return false }
            return !["\r\n\r\n", "\r\n"].contains { rest[last...].elementsEqual($0.utf8) }
        }
    }

    /// Whether a length may end the process in Foundation, without any words.
    var mayTrapFoundation: Bool { Self.hasHugeLength(String(decoding: bytes, as: UTF8.self).lowercased()) }

    /// Whether the last 512 numbers of 63 bits are a length.
    private static func hasHugeLength(_ head: String) -> Bool {
        head.components(separatedBy: "content-length").dropFirst().contains { part in
            let digits = part.drop { !$0.isNumber && $0 != "\n" }.prefix { $0.isNumber }
            return Int64(digits).map { $0 >= Int64.max - 511 } ?? false
        }
    }

    /// The first byte after the empty line at which a head ends; nil if there is none.
    static func endOfHead(_ bytes: Data) -> Int? {
        let ends = ["\r\n\r\n", "\n\n", "\n\r\n"].compactMap { bytes.range(of: Data($0.utf8))?.upperBound }
        return ends.min()
    }
}

/// The grammar of heads, statuses, fields, framings and bodies.
struct ReplyGrammar {
    var numbers: Numbers
    /// The path of the request, to which a reply may lead again.
    let path: String
    /// How the reply is read, to which every other content fits.
    let reading: ReplyReading

    /// True once in so many times.
    mutating func chance(_ times: Int) -> Bool { numbers.next(times) == 0 }

    mutating func any(_ texts: [String]) -> String { texts[numbers.next(texts.count)] }

    mutating func any(_ values: [Int]) -> Int { values[numbers.next(values.count)] }

    mutating func reply() -> [UInt8] {
        var bytes: [UInt8] = []
        if chance(8) {
            for _ in 0...(chance(40) ? 150 : numbers.next(2)) {
                bytes += "HTTP/1.1 \(any(["100", "102", "103", "199"])) x\r\n".utf8
                if chance(2) { bytes += "Link: </a>; rel=preload\r\n".utf8 }
                bytes += "\r\n".utf8
            }
        }
        var body = (chance(2) ? fittingContent() : nil) ?? content()
        var fields = [("Content-Type", body.type)]
        let coded = coding(of: &body.bytes)
        if let coded { fields.append(("Content-Encoding", coded)) }
        for _ in 0..<numbers.next(10) { fields.append(field()) }
        if chance(8) { fields += signature() }
        if chance(reading == .upload ? 2 : 16) { fields += upload() }
        if reading == .linkedPages, chance(2) { fields.append(("Link", "<\(path)>; rel=\"next\"")) }
        if chance(150) { fields += flood() }
        let framing = framing(of: &body.bytes)
        fields.insert(contentsOf: framing, at: numbers.next(fields.count + 1))
        if chance(40) { fields.removeAll() }
        bytes += statusLine().utf8
        for (name, value) in fields { bytes += "\(name): \(value)\(chance(200) ? "\n" : "\r\n")".utf8 }
        bytes += "\r\n".utf8
        return bytes + body.bytes
    }

    /// Changes some bytes, or cuts the reply.
    mutating func mutate(_ bytes: inout [UInt8]) {
        for _ in 0..<(1 + numbers.next(4)) where !bytes.isEmpty {
            // In the head more often than behind it.
            let index = numbers.next(chance(3) ? bytes.count : min(bytes.count, 200))
            let end = min(bytes.count, index + 1 + numbers.next(chance(4) ? 40 : 2))
            switch numbers.next(5) {
            case 0: bytes[index] = UInt8(numbers.next(256))
            case 1:
                bytes.insert(
                    UInt8(any([0x00, 0x0A, 0x0D, 0x20, 0x2C, 0x3A, 0x3B, 0x22, 0x80, 0xFF, 0x30, 0x39])),
                    at: index
                )
            case 2: bytes.removeSubrange(index..<end)
            case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
            default:
                if chance(6) { bytes.removeSubrange(index...) } else { bytes[index] ^= UInt8(1 << numbers.next(8)) }
            }
        }
    }
}

extension ReplyGrammar {
    // MARK: - Heads

    private mutating func statusLine() -> String {
        let version =
            chance(30) ? any(["HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "HTTP/0.9", "http/1.1", "ICY"]) : "HTTP/1.1"
        let reason = any([" OK", " OK", " ", "", " \u{FC}ber", " " + String(repeating: "x", count: 900)])
        return "\(version) \(status())\(reason)\r\n"
    }

    private mutating func status() -> String {
        if chance(8) {
            return any([
                "099", "000", "002", "010", "100", "101", "103", "199", "299", "399", "499", "599", "600", "799", "999",
                "1000", "99", "20", "2000", "-01", "+20", "0x1", "abc", "", "2 0", "\u{662}\u{660}\u{660}",
            ])
        }
        if chance(2) { return "200" }
        return any([
            "201", "202", "203", "204", "205", "206", "226", "300", "301", "302", "303", "304", "305", "307", "308",
            "400", "401", "401", "402", "403", "404", "405", "406", "407", "408", "409", "410", "411", "412", "413",
            "415", "416", "421", "422", "425", "428", "429", "429", "431", "451", "500", "501", "502", "503", "503",
            "504", "505", "507", "511",
        ])
    }

    /// A number of a field, at the edges of types more often than elsewhere.
    private mutating func number() -> String {
        any([
            "0", "1", "-1", "60", "3600", "\(numbers.next(100_000))", "2147483647", "2147483648", "4294967296",
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
            "18446744073709551616", "999999999999999", "1e308", "1e999", "NaN", "inf", "1.5", "0.001", "-0", "+5",
            "0x10",
            "\u{663}", "", " ", String(repeating: "9", count: 40), "1,2", "1;2", "00000001",
        ])
    }

    private mutating func date() -> String {
        any([
            "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 27 Nov 2099 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "Fri, 31 Dec 9999 23:59:60 GMT", "Mon, 01 Jan 0001 00:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99 Foo 99999 99:99:99 GMT", "0", "-1", number(),
        ])
    }

    private mutating func word() -> String {
        any([
            "a", "b", "token", "*", "\"\"", "\"quo\\\"ted\"", "\"unclosed", "a=b", "a=\"b\"", ";;", ",,", "=",
            "\u{600}",
            "%41%", "\u{7F}", "(a b);q=1", ":YWJj:", "?1", "@1", String(repeating: "a", count: 300), "",
        ])
    }

    private mutating func digestChallenge() -> String {
        let algorithm = any(["MD5", "SHA-256", "SHA-512-256", "MD5-sess", word()])
        let protection = any(["auth", "auth-int", "auth,auth-int", ""])
        return "Digest realm=\"a\", nonce=\(word()), qop=\"\(protection)\", algorithm=\(algorithm), stale=\(word())"
    }

    private mutating func field() -> (String, String) {
        switch numbers.next(50) {
        case 0:
            (
                "Cache-Control",
                any([
                    "max-age=\(number())", "no-store", "private=\"a, b\"",
                    "s-maxage=\(number()), stale-if-error=\(number())", "stale-while-revalidate=\(number())",
                    "no-cache=\"\(word())\", \(word())", "must-revalidate, immutable",
                ])
            )
        case 1: ("Age", number())
        case 2: ("Expires", date())
        case 3: ("Date", date())
        case 4: ("Last-Modified", date())
        case 5: ("ETag", any(["\"a\"", "W/\"a\"", "\"", "a", word(), "\"\u{600}\""]))
        case 6: ("Vary", any(["*", "Accept, \(word())", "Cookie", String(repeating: "a,", count: 200)]))
        case 7, 8:
            (
                "Set-Cookie",
                "\(word())=\(word()); Max-Age=\(number()); Expires=\(date()); "
                    + "Domain=\(any(["127.0.0.1", ".1", "com", word()])); Path=\(any(["/", "", "a", "/../"])); "
                    + any(["Secure", "HttpOnly", "SameSite=\(word())", "Partitioned", "=", ";"])
            )
        case 9: ("Set-Cookie", String(repeating: "a=,", count: 1 + numbers.next(50)))
        case 10, 11:
            (
                "Location",
                any([
                    path, "/elsewhere", "", "?", "#", "//127.0.0.1/x", "http://[::1", "/../../..",
                    "http://127.0.0.1:99999/",
                    "data:,x", "http://u:p@127.0.0.1/", word(), "/\u{600}", "/" + String(repeating: "a/", count: 500),
                ])
            )
        case 12, 13: ("Retry-After", any([number(), date()]))
        case 14, 15:
            (
                "WWW-Authenticate",
                any([
                    "Basic realm=\(word())",
                    digestChallenge(),
                    "Bearer error=\(word())", word(), "Digest " + String(repeating: "a=b,", count: 100),
                ])
            )
        case 16: ("Proxy-Authenticate", "Basic realm=\(word())")
        case 17: ("Authentication-Info", "nextnonce=\(word()), rspauth=\(word()), nc=\(number())")
        case 18:
            (
                "Content-Digest",
                any([
                    "sha-256=:\(word()):", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "md5=\(word())",
                    word(), number(),
                ])
            )
        case 19: ("Repr-Digest", "sha-512=:\(word()):")
        case 20: ("Content-MD5", any(["1B2M2Y8AsgTpgAmY7PhCfg==", word()]))
        case 21:
            (
                "RateLimit",
                any([
                    "\"a\";r=\(number());t=\(number())", "limit=\(number()), remaining=\(number()), reset=\(number())",
                    word(),
                ])
            )
        case 22: ("RateLimit-Policy", "\"a\";q=\(number());w=\(number())")
        case 23: ("X-RateLimit-Remaining", number())
        case 24: ("X-RateLimit-Reset", any([number(), date(), "6m0s", "\(number())ms"]))
        case 25: ("RateLimit-Reset", number())
        case 26:
            (
                "Link",
                any(["</a>; rel=next", "<\(path)>; rel=next", "<\(word())>; rel=\"next\"; a=\(word())", "<", word()])
            )
        case 27:
            (
                "Content-Range",
                any(["bytes \(number())-\(number())/\(number())", "bytes 0-3/*", "bytes */\(number())", word()])
            )
        case 28: ("Accept-Ranges", any(["bytes", "none", word()]))
        case 29: ("Content-Location", any(["/a", word()]))
        case 30:
            (
                "Content-Disposition",
                any(["attachment; filename=\(word())", "inline; filename*=UTF-8''%\(word())", word()])
            )
        case 31: ("Connection", any(["close", "keep-alive", "Upgrade", "\(word()), ETag"]))
        case 32: ("Upgrade", any(["h2c", "websocket", word()]))
        case 33: ("Trailer", word())
        case 34: ("Allow", "GET, \(word())")
        case 35: ("Server-Timing", "a;dur=\(number());desc=\(word()), \(word())")
        case 36: ("traceparent", any(["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", word()]))
        case 37: ("Cache-Status", any(["a; hit; ttl=\(number())", word()]))
        case 38: ("CDN-Cache-Control", "max-age=\(number())")
        case 39:
            ("Content-Encoding", any(["gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x-gzip", word()]))
        case 40: ("Content-Type", word())
        case 41: ("Content-Length", number())
        case 42: ("Warning", "110 \(word()) \(word())")
        case 43: ("Keep-Alive", "timeout=\(number()), max=\(number())")
        case 44:
            (
                any([
                    "", " ", "a b", "a\u{1}", "\u{FC}", ":status", "X-\(String(repeating: "y", count: 800))", "cookie",
                ]), word()
            )
        case 45:
            (
                any(["Signature-Input", "Signature", "Accept-Signature"]),
                any([
                    "sig=(\"@status\" \"content-digest\");created=\(number());keyid=\(word())", "sig=:YWJj:",
                    "sig=\(word())", word(),
                ])
            )
        case 46:
            (
                any(["Upload-Offset", "Upload-Length", "Tus-Max-Size", "Upload-Draft-Interop-Version"]), number()
            )
        case 47: (any(["Upload-Complete", "Upload-Incomplete"]), any(["?1", "?0", word()]))
        case 48:
            (
                any(["Upload-Limit", "Upload-Expires", "Upload-Metadata", "Tus-Resumable", "Tus-Extension"]),
                any(["max-size=\(number()), min-size=\(number())", date(), "1.0.0", "creation,\(word())", word()])
            )
        default:
            (
                "X-\(numbers.next(50))",
                any([word(), number(), "\u{1B}[31m", "eyJhbGciOiJIUzI1NiJ9.e30.abc", "Bearer abc"])
            )
        }
    }

    /// A signature with its input, which the chain's key takes for valid if its length is even.
    private mutating func signature() -> [(String, String)] {
        let components = any([
            "\"@status\"", "\"content-type\" \"content-digest\"", "\"@status\" \"@method\";req", "\"\(word())\"",
            "\"set-cookie\";bs", "\"cache-control\";key=\"max-age\"", "\"content-length\";sf", "\"@status\";tr", "",
        ])
        let parameters = any([
            ";created=1", ";created=1;expires=4000000000", ";created=\(number())", ";created=1;nonce=\(word())",
            ";created=1;keyid=\"a\";alg=\"hmac-sha256\"", ";created=1;\(word())",
        ])
        return [
            ("Signature-Input", "sig=(\(components))\(parameters)"),
            ("Signature", any(["sig=:YWI=:", "sig=:YWI=:, b=:YWI=:", "sig=:YQ==:", "sig=\(word())"])),
        ]
    }

    /// What a server says of an upload, in either protocol.
    private mutating func upload() -> [(String, String)] {
        [
            ("Location", any([path, "\(path)/upload", "/\(word())"])),
            ("Upload-Offset", any(["0", "12", "1024", "3000", number()])),
            ("Upload-Complete", any(["?0", "?1", word()])),
            ("Upload-Length", any(["3000", number()])),
            (
                "Upload-Limit",
                any(["max-size=\(number()), max-append-size=\(number()), min-append-size=\(number())", word()])
            ),
            ("Tus-Resumable", any(["1.0.0", word()])),
            ("Upload-Expires", date()),
        ]
    }

    /// More fields than a message can have, or longer ones.
    private mutating func flood() -> [(String, String)] {
        switch numbers.next(4) {
        case 0: (0..<4000).map { ("a\($0)", "") }
        case 1: (0..<3).map { _ in ("Set-Cookie", String(repeating: "a=,", count: 33_000)) }
        case 2: [("X-Long", String(repeating: "x", count: 90_000))]
        default: (0..<500).map { _ in ("Set-Cookie", "a=b") }
        }
    }

    // MARK: - Framings

    private mutating func framing(of body: inout [UInt8]) -> [(String, String)] {
        switch numbers.next(20) {
        case 0...8: return [("Content-Length", "\(body.count)")]
        case 9: return [("Content-Length", "\(body.count + 1 + numbers.next(100))")]
        case 10: return [("Content-Length", "\(max(0, body.count - 1 - numbers.next(20)))")]
        case 11: return [("Content-Length", number())]
        case 12: return [("Content-Length", "\(body.count)"), ("Content-Length", "\(body.count + numbers.next(2))")]
        case 13: return []
        case 14:
            return [("Transfer-Encoding", any(["gzip", "identity", "gzip, chunked", "chunked, chunked", "chunke d"]))]
        default:
            body = chunked(body)
            return [("Transfer-Encoding", "chunked")] + (chance(8) ? [("Content-Length", number())] : [])
        }
    }

    private mutating func chunked(_ body: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + numbers.next(rest.count))
            rest = rest.dropFirst(piece.count)
            let size =
                chance(30)
                ? any(["FFFFFFFFFFFFFFFF", "10000000000000000", "-1", "", "g", "7FFFFFFFFFFFFFFF"])
                : String(piece.count, radix: 16)
            result += "\(size)\(chance(10) ? ";a=\(word())" : "")\r\n".utf8 + piece + "\r\n".utf8
        }
        guard !chance(20) else { return result }
        result += "0\r\n".utf8
        if chance(12) { result += "X-Trailer: \(word())\r\n".utf8 }
        return result + "\r\n".utf8
    }

    private mutating func coding(of body: inout [UInt8]) -> String? {
        switch numbers.next(9) {
        case 0:
            body = GzipStream.stored(body)
            return "gzip"
        case 3:
            let isBrotli = chance(2)
            body = isBrotli ? BrotliStream.stored(body) : ZstdFrame.stored(body)
            if chance(3) { body[numbers.next(body.count)] ^= UInt8(1 << numbers.next(8)) }
            return isBrotli ? "br" : "zstd"
        case 1:
            body = GzipStream.stored(body)
            if !body.isEmpty { body[numbers.next(body.count)] ^= UInt8(1 << numbers.next(8)) }
            return any(["gzip", "x-gzip", "gzip, identity"])
        case 2: return chance(4) ? any(["deflate", "gzip", "br"]) : nil
        default: return nil
        }
    }
}

/// Bytes in the format gzip, RFC 1952, that are stored and not compressed.
enum GzipStream {
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(0xFFFF)
            rest = rest.dropFirst(piece.count)
            let count = UInt16(piece.count)
            result.append(rest.isEmpty ? 1 : 0)
            result += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + piece
        } while !rest.isEmpty
        for number in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
            result += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return result
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value = ~UInt32(0)
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}

/// Bytes in the format Brotli, RFC 7932, that are stored and not compressed.
enum BrotliStream {
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        // Before the first block there is one bit, for a window of 64 KiB (§9.1).
        var bits: (value: UInt32, count: UInt32) = (0, 1)
        while !rest.isEmpty {
            let piece = rest.prefix(0xFFFF)
            rest = rest.dropFirst(piece.count)
            // Not the last block, a length of 16 bits, and uncompressed (§9.2).
            let head = UInt32(piece.count - 1) << 3 | 1 << 19
            let value = bits.value | head << bits.count
            result += (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } + piece
            bits = (0, 0)
        }
        // The last block, which is empty.
        return result + [UInt8(truncatingIfNeeded: bits.value | 3 << bits.count)]
    }
}

/// Bytes in the format zstd, RFC 8878, that are stored and not compressed.
enum ZstdFrame {
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        // No checksum and no length of the content, and a window of 2 MiB (§3.1.1.1).
        var result: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(0xFFFF)
            rest = rest.dropFirst(piece.count)
            let head = UInt32(piece.count) << 3 | (rest.isEmpty ? 1 : 0)
            result += (0..<3).map { UInt8(truncatingIfNeeded: head >> (8 * $0)) } + piece
        } while !rest.isEmpty
        return result
    }
}

extension ReplyGrammar {
    // MARK: - Contents

    private mutating func content() -> (type: String, bytes: [UInt8]) {
        switch numbers.next(17) {
        case 0: return ("", [])
        case 13: return ("application/json", Array(batch().utf8))
        case 14: return ("application/json", Array(page().utf8))
        case 15:
            return (
                "application/json",
                Array(
                    ("{\"access_token\":\"\(any(["a", "", "a b", "\\n"]))\",\"token_type\":\"\(any(["Bearer", "bearer", "mac"]))\","
                        + "\"expires_in\":\(number()),\"refresh_token\":\(json(depth: 0)),\"scope\":\(json(depth: 0)),"
                        + "\"error\":\(json(depth: 0)),\"type\":\"about:blank\"}").utf8
                )
            )
        case 1, 2: return ("application/json", Array(json(depth: 3).utf8))
        case 3:
            let depth = any([400, 511, 513, 3000])
            return (
                "application/json",
                Array(
                    (String(repeating: "[", count: depth) + String(repeating: chance(2) ? "]" : "", count: depth)).utf8
                )
            )
        case 4:
            return (
                "application/problem+json",
                Array(
                    ("{\"type\":\(json(depth: 0)),\"title\":\(json(depth: 0)),"
                        + "\"status\":\(number()),\"a\":\(json(depth: 2))}")
                        .utf8
                )
            )
        case 5:
            return (
                any(["application/problem+xml", "application/xml"]),
                Array(
                    ("<?xml version=\"1.0\"?><problem><title>\(word())</title>"
                        + "<status>\(number())</status>\(elements(depth: 3))</problem>")
                        .utf8
                )
            )
        case 6:
            let depth = any([100, 127, 129, 2000])
            return (
                any(["application/problem+xml", "text/xml"]),
                Array(
                    (String(repeating: "<i>", count: depth) + String(repeating: chance(2) ? "</i>" : "", count: depth))
                        .utf8
                )
            )
        case 7: return ("application/x-plist", propertyList())
        case 8, 9: return ("text/event-stream", events())
        case 10: return ("multipart/mixed; boundary=\(any(["b", "\"b\"", "", word()]))", multipart(depth: 2))
        case 11:
            return (
                "application/x-www-form-urlencoded",
                Array("a=\(word())&b[\(number())]=\(number())&c[d][\(word())]=\(word())&%=\(word())".utf8)
            )
        case 12:
            return (
                "text/html; charset=\(any(["utf-8", "utf-16", "shift_jis", word()]))",
                Array("<p>\(word())</p>\u{600}\(word())".utf8)
            )
        default:
            let count = numbers.next(chance(10) ? 60_000 : 300)
            return (
                any(["application/octet-stream", "text/plain", "application/json"]),
                (0..<count).map { _ in UInt8(numbers.next(256)) }
            )
        }
    }

    /// Content of the kind that is expected; nil if any will do.
    private mutating func fittingContent() -> (type: String, bytes: [UInt8])? {
        switch reading {
        case .events, .reopenedEvents: ("text/event-stream", events())
        case .parts: ("multipart/mixed; boundary=b", multipart(depth: 2))
        case .lines:
            (
                "application/x-ndjson",
                Array(
                    (0..<numbers.next(5)).map { _ in json(depth: 2) }.joined(separator: any(["\n", "\r\n", "\n\n"]))
                        .utf8
                )
            )
        case .pages, .page: ("application/json", Array(page().utf8))
        case .batch: ("application/json", Array(batch().utf8))
        case .json, .value, .post, .linkedPages: ("application/json", Array(json(depth: 3).utf8))
        case .head, .trace, .put, .upload, .body: nil
        }
    }

    /// A page of entities as OData has it.
    private mutating func page() -> String {
        let context = any(["http://127.0.0.1/$metadata#A", "", "\u{600}"])
        let next = any([path, "", "?a", "//a.example", "\\u0000"])
        return "{\"@odata.context\":\"\(context)\",\"@odata.count\":\(number()),\"value\":[\(json(depth: 2))],"
            + "\"@odata.nextLink\":\"\(next)\"}"
    }

    /// A response to an OData batch.
    private mutating func batch() -> String {
        let items = (0..<numbers.next(4)).map { index in
            let status = chance(4) ? number() : any(["200", "204", "404"])
            let name = any(["content-type", "a", "", "a b"])
            let value = any(["\"text/plain\"", "\"image/png\"", json(depth: 0)])
            return "{\"id\":\"\(chance(8) ? 1 : index + 1)\",\"status\":\(status),"
                + "\"headers\":{\"\(name)\":\(value)},\"body\":\(json(depth: 2))}"
        }
        return "{\"responses\":[\(items.joined(separator: ","))]}"
    }

    private mutating func json(depth: Int) -> String {
        switch numbers.next(depth > 0 ? 9 : 6) {
        case 0: "null"
        case 1: any(["true", "false", "tru"])
        case 2: any([number(), "1.5e3", "-", "1e400", "123456789012345678901234567890"])
        case 3: "\"\(any(["a", "\\u0600", "\\ud800", "\\", "\\u00", "\n", "a\\nb"]))\""
        case 4: "[]"
        case 5: "{}"
        case 6: "[\(json(depth: depth - 1)),\(json(depth: depth - 1))]"
        default: "{\"a\":\(json(depth: depth - 1)),\"\(any(["a", "b", "items"]))\":\(json(depth: depth - 1))}"
        }
    }

    private mutating func elements(depth: Int) -> String {
        guard depth > 0 else {
            return any(["text", "&amp;", "&unknown;", "<![CDATA[<a>]]>", "<!-- <a> -->", "<a b=\"c\"/>"])
        }
        let name = any(["a", "i", "x:y", "1"])
        return "<\(name)>\(elements(depth: depth - 1))</\(chance(10) ? "z" : name)>\(elements(depth: depth - 1))"
    }

    private mutating func propertyListValue() -> String {
        any([
            "<integer>\(number())</integer>", "<real>\(number())</real>", "<date>\(date())</date>",
            "<data>\(word())</data>",
        ])
    }

    private mutating func propertyList() -> [UInt8] {
        switch numbers.next(4) {
        case 0:
            return Array(
                "<plist version=\"1.0\"><dict><key>a</key>\(propertyListValue())</dict></plist>"
                    .utf8
            )
        case 1:
            let depth = any([100, 3000])
            return Array(("<plist>" + String(repeating: "<array>", count: depth)).utf8)
        case 2: return Array("{ a = (\(word()), <0f>); }".utf8)
        default:
            // A dictionary with an array that contains itself, and a trailer whose numbers are forged at times.
            var bytes = Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61, 0xA1, 2]
            bytes += [8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1]
            for value in [3, 0, 15] {
                let forged = chance(6) ? any([0, 1, Int.max, -1, 1 << 40]) : value
                bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: forged >> (8 * $0)) }
            }
            return bytes
        }
    }

    private mutating func events() -> [UInt8] {
        var text = chance(5) ? "\u{FEFF}" : ""
        for _ in 0..<numbers.next(8) {
            let end = any(["\n", "\r", "\r\n"])
            text +=
                any([
                    "data: \(word())", "event: \(word())", "id: \(word())\u{0}", "retry: \(number())", ": \(word())",
                    "data", word(),
                ]) + end
            if chance(2) { text += end }
        }
        return Array(text.utf8)
    }

    private mutating func multipart(depth: Int) -> [UInt8] {
        var bytes: [UInt8] = chance(4) ? Array("preamble\r\n".utf8) : []
        for _ in 0..<numbers.next(4) {
            let (name, value) = field()
            bytes += "--b\(chance(20) ? "x" : "")\r\n\(name): \(value)\r\n\r\n".utf8
            bytes += depth > 0 && chance(3) ? multipart(depth: depth - 1) : Array(word().utf8)
            bytes += "\r\n".utf8
        }
        return bytes + (chance(5) ? [] : Array("--b--\r\n".utf8))
    }
}
