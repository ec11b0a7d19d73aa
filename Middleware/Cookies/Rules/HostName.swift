import Foundation

/// Host names as cookies compare them: RFC 6265bis §5.1.2 and §5.1.3.
enum HostName {
    /// In lower case, and each label outside ASCII as punycode (RFC 5891 §4.4, without its mapping of characters).
    static func canonical(_ host: String) -> String {
        if host.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) { return host }
        let lowered = host.lowercased()
        if lowered.utf8.allSatisfy({ $0 < 0x80 }) { return lowered }
        return lowered.precomposedStringWithCanonicalMapping.split(separator: ".", omittingEmptySubsequences: false)
            .map { label in
                label.utf8.allSatisfy { $0 < 0x80 }
                    ? String(label) : Punycode.encode(label).map { "xn--" + $0 } ?? String(label)
            }
            .joined(separator: ".")
    }

    /// Whether a host is the domain or lies below it; an address lies below nothing.
    static func matches(_ host: String, domain: String) -> Bool {
        if host == domain { return true }
        let hostBytes = host.utf8
        let domainBytes = domain.utf8
        guard hostBytes.count > domainBytes.count, !domainBytes.isEmpty, host.hasSuffix(domain),
            hostBytes[hostBytes.index(hostBytes.endIndex, offsetBy: -domainBytes.count - 1)] == UInt8(ascii: ".")
        else { return false }
        return !isAddress(host)
    }

    /// Whether a host is an address and not a name: in brackets, or four numbers with dots between them.
    static func isAddress(_ host: String) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") { return true }
        guard let last = host.utf8.last, (0x30...0x39).contains(last) else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether the host is this machine, whose connections browsers and curl take for secure.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && isAddress(host))
    }

    /// The host and the domains above it, nearest first; for an address only itself.
    static func domains(of host: String) -> [String] {
        var result = [host]
        if isAddress(host) { return result }
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { result.append(String(Substring(rest))) }
        }
        return result
    }
}

/// Labels outside ASCII, RFC 3492.
enum Punycode {
    /// The label without its `xn--`; nil for one that is too long to count.
    static func encode(_ label: Substring) -> String? {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        var output = scalars.filter { $0 < 0x80 }.compactMap { UInt8(exactly: $0) }
        let basic = output.count
        var handled = basic
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var code = 128
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = (next - code).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= Int.max - step else { return nil }
            delta += step
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                var rest = delta
                var position = 36
                while true {
                    let threshold = min(max(position - bias, 1), 26)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    position += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, handled: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func adapted(_ delta: Int, handled: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / handled
        var position = 0
        while delta > 455 {
            delta /= 35
            position += 36
        }
        return position + 36 * delta / (delta + 38)
    }
}
