public import Foundation
import HTTPChainSupport

/// An incremental checksum that detects damage on a disk; it doesn't protect against forgery.
///
/// The value depends only on the bytes, not on how they were divided. Any change within a single group of eight bytes
/// is detected. Other changes are missed with a probability of 1 in 2⁶⁴.
public struct ContentChecksum: Sendable, Hashable {
    private var state: UInt64 = 0x243F_6A88_85A3_08D3
    private var pending: UInt64 = 0
    private var count: UInt64 = 0

    /// Creates the checksum of no bytes.
    public init() {}

    /// Creates the checksum of some bytes.
    package init(of bytes: some DataProtocol) {
        update(bytes)
    }

    /// Creates the checksum of some bytes, which differs for each salt.
    package init(of bytes: some DataProtocol, salt: UInt64) {
        state = salt
        update(bytes)
    }

    /// Adds bytes.
    public mutating func update(_ bytes: some DataProtocol) {
        for region in bytes.regions {
            region.withUnsafeBytes { update($0) }
        }
    }

    /// Adds bytes.
    package mutating func update(_ buffer: UnsafeRawBufferPointer) {
        Steps.take(buffer.count)
        var index = 0
        while index < buffer.count, count % 8 != 0 {
            take(buffer[index])
            index += 1
        }
        while index + 8 <= buffer.count {
            mix(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
            count &+= 8
        }
        while index < buffer.count {
            take(buffer[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        pending |= UInt64(byte) << (8 * (count % 8))
        count &+= 1
        if count % 8 == 0 {
            mix(pending)
            pending = 0
        }
    }

    /// Each step is a bijection of the state, so different states never become equal.
    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
        state ^= state >> 32
    }

    /// The checksum of all bytes so far.
    public var value: UInt64 {
        var last = self
        last.mix(pending)
        last.mix(count)
        return last.state
    }

    /// The complete state of the checksum, for storage.
    package var saved: (state: UInt64, pending: UInt64, count: UInt64) { (state, pending, count) }

    /// Resumes a checksum from its saved state.
    package init(saved: (state: UInt64, pending: UInt64, count: UInt64)) {
        (state, pending, count) = saved
    }
}
