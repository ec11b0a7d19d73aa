/// SHA-256 (FIPS 180-4 §6.2) of short text and content, for comparing values that must not be stored.
///
/// The core has no dependency on a cryptography library; the stages that hash bodies use one.
package enum SHA256Digest {
    /// Returns the digest of a text's UTF-8 as 64 hexadecimal digits.
    package static func hex(of text: String) -> String { hex(of: text.utf8) }

    /// Returns the digest as 64 hexadecimal digits.
    package static func hex(of bytes: some Sequence<UInt8>) -> String {
        hash(Array(bytes)).map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }.joined()
    }

    private static func hash(_ message: [UInt8]) -> [UInt32] {
        // §5.1.1: the padding is a one bit, zeros, and the length in bits.
        var bytes = message + [0x80]
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        let length = UInt64(message.count) * 8
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * $0)) }
        var state = initial
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var w = (0..<16).map { index in
                bytes[(start + 4 * index)..<(start + 4 * index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for t in 16..<64 {
                let s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3
                let s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10
                w.append(w[t - 16] &+ s0 &+ w[t - 7] &+ s1)
            }
            var v = state
            for t in 0..<64 {
                let sum1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
                let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
                let one = v[7] &+ sum1 &+ choice &+ constants[t] &+ w[t]
                let sum0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
                v = [one &+ sum0 &+ majority, v[0], v[1], v[2], v[3] &+ one, v[4], v[5], v[6]]
            }
            state = zip(state, v).map { $0 &+ $1 }
        }
        return state
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of roots: §4.2.2, the cube roots of the first 64 primes, and §5.3.3,
    /// the square roots of the first eight.
    private static let constants = primes.map { fraction(of: $0, root: 3) }
    private static let initial = primes.prefix(8).map { fraction(of: $0, root: 2) }

    private static let primes: [UInt64] = (2..<312).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }

    /// Returns the first 32 bits of a root's fractional part, computed with integers as the root of the number times
    /// 2^(32·root).
    private static func fraction(of number: UInt64, root: Int) -> UInt32 {
        var low: UInt64 = 0
        var high: UInt64 = 1 << 37
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if isAtMost(middle, number, root) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Whether value^root is at most number · 2^(32·root).
    private static func isAtMost(_ value: UInt64, _ number: UInt64, _ root: Int) -> Bool {
        // The product as four 32-bit words, lowest first.
        var product: [UInt64] = [1, 0, 0, 0]
        for _ in 0..<root { product = multiplied(product, value) }
        var limit: [UInt64] = [0, 0, 0, 0]
        limit[root] = number
        for index in (0..<4).reversed() where product[index] != limit[index] { return product[index] < limit[index] }
        return true
    }

    private static func multiplied(_ words: [UInt64], _ factor: UInt64) -> [UInt64] {
        var result: [UInt64] = [0, 0, 0, 0]
        for (half, shift) in [(factor & 0xFFFF_FFFF, 0), (factor >> 32, 1)] {
            var carry: UInt64 = 0
            for index in 0..<(4 - shift) {
                let sum = result[index + shift] + words[index] * half + carry
                result[index + shift] = sum & 0xFFFF_FFFF
                carry = sum >> 32
            }
        }
        return result
    }
}
