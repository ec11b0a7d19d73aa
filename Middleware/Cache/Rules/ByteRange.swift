import HTTPChainSupport
import HTTPTypes

/// The ranges that a request asks for, RFC 9110 §14.1.2.
enum RequestedRange: Equatable {
    /// None, or an invalid value, which is ignored (§14.2).
    case none
    /// From one position through another, or to the end if there is no other.
    case from(Int64, through: Int64?)
    /// The last bytes, this many.
    case suffix(Int64)
    case several

    init(_ fields: HTTPFields) {
        guard let text = fields.first(of: .range), let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
            text[..<equals].trimmed.lowercased() == "bytes"
        else {
            self = .none
            return
        }
        let specs = text[text.utf8.index(after: equals)...].pieces(at: ",").map(\.trimmed)
            .filter { !$0.isEmpty }
        guard specs.count <= 1 else {
            self = .several
            return
        }
        self = specs.first.map(Self.init(spec:)) ?? .none
    }

    private init(spec: Substring) {
        self = .none
        guard let dash = spec.utf8.firstIndex(of: UInt8(ascii: "-")) else { return }
        let first = spec[..<dash]
        let last = spec[spec.utf8.index(after: dash)...]
        if first.isEmpty {
            if let count = Self.number(last) { self = .suffix(count) }
        } else if let first = Self.number(first) {
            if last.isEmpty {
                self = .from(first, through: nil)
            } else if let last = Self.number(last), last >= first {
                self = .from(first, through: last)
            }
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }

    /// The byte range within content of this length; `nil` if it is empty (416).
    func resolved(length: Int64) -> Range<Int64>? {
        switch self {
        case .none, .several: return nil
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max, length - 1) + 1)
        case .suffix(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}

/// The value of `Content-Range`, RFC 9110 §14.4.
struct ContentRange: Equatable {
    let range: Range<Int64>
    let length: Int64?

    init?(_ fields: HTTPFields) {
        let lines = fields[values: .contentRange]
        guard lines.count == 1, let text = lines.first else { return nil }
        let words = Substring(text).trimmed.pieces(at: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].pieces(at: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].pieces(at: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < Int64.max
        else { return nil }
        range = first..<(last + 1)
        if halves[1] == "*" {
            length = nil
        } else {
            guard let number = Self.number(halves[1]), last < number else { return nil }
            length = number
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
